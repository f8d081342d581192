/**
 * Who may import whom. The one table of directions and the one of vendors; `.oxlintrc.json` repeats them for the editor
 * (test/architecture.test.ts holds the two equal). Every path is from the root of the repository, with `/`.
 */
export interface Layer {
  readonly name: string;
  /** A folder (ends in `/`) or a file. */
  readonly at: readonly string[];
  /** Names of other layers it may import; its own files always. */
  readonly imports: readonly string[] | 'all';
  /** Only `import type` may leave the layer. */
  readonly typesOnly?: true;
  /** Node built-ins it may use, without `node:`; all when absent. */
  readonly builtins?: readonly string[];
  /** There is nothing in it yet. */
  readonly empty?: true;
}

const pure = ['assert', 'buffer', 'crypto', 'url', 'util'];

export const layers: readonly Layer[] = [
  { name: 'contracts', at: ['src/contracts/'], imports: [], builtins: pure },
  { name: 'domain', at: ['src/domain/'], imports: ['contracts'], builtins: pure },
  { name: 'config', at: ['src/config/'], imports: ['contracts', 'domain'] },
  { name: 'auth', at: ['src/auth/'], imports: ['domain', 'contracts'] },
  { name: 'adapters', at: ['src/adapters/'], imports: ['domain', 'contracts'] },
  { name: 'graphs', at: ['graphs/'], imports: ['domain', 'contracts'] },
  { name: 'agents', at: ['src/agents/'], imports: ['graphs', 'domain', 'contracts'] },
  { name: 'tools', at: ['tools/'], imports: ['graphs', 'domain', 'contracts'] },
  { name: 'mcp', at: ['mcp/'], imports: ['tools', 'graphs', 'domain', 'contracts'] },
  { name: 'http', at: ['http/'], imports: ['mcp', 'tools', 'auth', 'domain', 'contracts'] },
  { name: 'embedded', at: ['embedded/'], imports: [] },
  { name: 'web', at: ['web/'], imports: ['contracts'], typesOnly: true, empty: true },
  {
    name: 'compose',
    at: ['src/compose.ts', 'src/compose/'],
    imports: [
      'config',
      'contracts',
      'domain',
      'auth',
      'adapters',
      'agents',
      'graphs',
      'tools',
      'mcp',
      'http',
      'embedded',
    ],
  },
  { name: 'main', at: ['src/main.ts', 'src/stdio.ts'], imports: ['compose', 'config'] },
  { name: 'scripts', at: ['scripts/'], imports: 'all' },
  { name: 'test', at: ['test/'], imports: 'all' },
];

/** Layers that end up in front of users; the others build and check them. */
export const productRoots = ['src/', 'graphs/', 'tools/', 'mcp/', 'http/', 'embedded/', 'web/'] as const;

const langGraph = ['graphs/run/', 'graphs/langgraph.ts'];

/** Where in the product each package may be imported: path prefixes. Scripts and tests may import every declared package. */
export const vendors: Readonly<Record<string, readonly string[]>> = {
  zod: ['src/contracts/', 'src/config/', 'graphs/', 'tools/', 'mcp/'],
  '@marcbachmann/cel-js': ['graphs/expression/'],
  ajv: ['graphs/models/'],
  'better-auth': ['src/adapters/sessions/'],
  '@langchain/langgraph': langGraph,
  '@langchain/langgraph-checkpoint': ['src/adapters/'],
  '@langchain/core': [...langGraph, 'src/adapters/'],
  '@langchain/openai': ['src/adapters/'],
  '@modelcontextprotocol/server': ['mcp/', 'src/stdio.ts'],
  '@modelcontextprotocol/node': ['http/mcp'],
  '@modelcontextprotocol/express': ['http/mcp'],
  // Of `npm run mcp` and `npm run demo`, which are clients of the product: nothing in it is.
  '@modelcontextprotocol/client': [],
  '@dagrejs/dagre': ['graphs/draw/'],
  express: ['http/'],
  mongodb: ['src/adapters/'],
  bson: ['src/adapters/', 'embedded/'],
  pino: ['src/adapters/'],
  'prom-client': ['src/adapters/'],
  sharp: ['src/adapters/'],
  'pdfjs-dist': ['src/adapters/'],
  '@napi-rs/canvas': ['src/adapters/'],
  'tesseract.js': ['src/adapters/'],
  '@tesseract.js-data/eng': ['src/adapters/'],
  'snowball-stemmers': ['src/adapters/'],
  'ipaddr.js': ['src/adapters/'],
  '@node-oauth/oauth2-server': ['src/adapters/oauth/'],
  jose: ['src/adapters/oauth/'],
};

/** Declared and imported by no file, with the reason. */
export const neverImported: Readonly<Record<string, string>> = {
  node: 'brings the runtime: npm puts its bin first on the path of every script',
  '@langchain/langgraph-sdk': 'pinned only: without it at the root, installing resolves for minutes',
};

/** Folders that may hold more than 15 files, with the reason. */
export const wideFolders: Readonly<Record<string, string>> = {
  'src/domain/ports': 'one interface for each thing outside',
  'src/adapters/database': 'one repository for each collection',
  'test/embedded/semantics': 'cases of the engine, one file for each part of its language',
  'scripts/bench/rows': 'one file for each row of the benchmark',
  'test/attacks': 'one file for each family of attacks',
  'test/spec/proofs': 'one file for each part of the specification',
  'graphs/nodes': 'one file for each node type, listed in graphs/catalog.ts',
};
