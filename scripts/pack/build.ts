import { execFileSync } from 'node:child_process';
import { cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { execPath } from 'node:process';
import { command } from '#scripts/check/command.ts';
import { builtBundle } from '#src/adapters/web/open-bundle.ts';
import { closureOf, type Workspaces } from './closure.ts';

/** Modules that nothing imports by name: programs. */
const entries = [
  'app/main.ts',
  'app/run.ts',
  'app/stdio.ts',
  'scripts/inkgraph/main.ts',
  'graphs/code/inkgraph.ts',
  'graphs/code/nodes.ts',
  'packages/client/src/client.ts',
];
/** The package brings its dashboard, and its services start from its modules: it bundles nothing. */
const leftOut = new Set(['src/adapters/web/build-bundle.js', 'app/bundle/build.js', 'app/bundle/write-bundle.js']);
const assets = ['http/**/*.js', 'mcp/**/*.{js,css,md}', 'scripts/*.cjs', 'scripts/inkgraph/template/**/*.{ts,md}'];
const typed = ['graphs/code/inkgraph.ts', 'graphs/code/nodes.ts', 'packages/client/src/client.ts'];

/** Names under which the repository imports its own packages, and their files. */
function workspacesOf(root: string): Workspaces {
  const names = new Map([['inkgraph/client', 'packages/client/src/client.ts']]);
  for (const path of globSync('packages/*/package.json', { cwd: root })) {
    const { name, exports = {} } = JSON.parse(readFileSync(join(root, path), 'utf8')) as {
      name: string;
      exports?: Readonly<Record<string, string>>;
    };
    for (const [entry, target] of Object.entries(exports)) addExport(names, { root, path, name, entry, target });
  }
  return names;
}

function addExport(
  names: Map<string, string>,
  { root, path, name, entry, target }: Readonly<Record<'root' | 'path' | 'name' | 'entry' | 'target', string>>,
): void {
  const file = join(dirname(path), target);
  if (!entry.includes('*')) return void names.set(join(name, entry), file);
  const [before = '', after = ''] = file.split('*');
  for (const match of globSync(file, { cwd: root }))
    names.set(join(name, entry.replace('*', match.slice(before.length, -after.length))), match);
}

/** Declarations of the entry points, with `#` names as relative paths. */
function writeTypes(root: string, dist: string): void {
  const options = ['--emitDeclarationOnly', '--declaration', '--noEmit', 'false', '--noCheck', '--rootDir', root];
  // Below the root, so that TypeScript finds the types of Node.
  const cache = join(root, 'node_modules/.cache');
  const config = join(cache, 'tsconfig.pack.json');
  mkdirSync(cache, { recursive: true });
  const settings = {
    extends: join(root, 'tsconfig.json'),
    include: [],
    files: typed.map((file) => join(root, file)),
  };
  writeFileSync(config, JSON.stringify(settings));
  execFileSync(execPath, [command('typescript', 'tsc'), '--project', config, ...options, '--outDir', dist], {
    stdio: 'inherit',
  });
  rmSync(config);
  for (const file of globSync('**/*.d.ts', { cwd: dist })) {
    const text = readFileSync(join(dist, file), 'utf8');
    const changed = text.replaceAll(
      /(["'])(#|\.{1,2}\/)([^"'\n]+)\.ts\1/g,
      (_whole, quote: string, kind: string, name: string) => {
        const path = kind === '#' ? relative(dirname(file), name) : kind + name;
        return `${quote}${path.startsWith('.') ? path : `./${path}`}.js${quote}`;
      },
    );
    if (changed !== text) writeFileSync(join(dist, file), changed);
  }
}

/**
 * Writes the package `inkgraph` into `dist`: JavaScript, declarations of its entry points and the dashboard. Node strips no types below
 * node_modules. Returns true for the name of a package that its code names. Source: docs/decisions/0200.
 */
export async function buildPackage(root: string, dist: string): Promise<(name: string) => boolean> {
  rmSync(dist, { recursive: true, force: true });
  mkdirSync(dist, { recursive: true });
  const modules = closureOf(root, entries, workspacesOf(root)).filter(({ path }) => !leftOut.has(path));
  for (const { path, code } of modules) {
    mkdirSync(dirname(join(dist, path)), { recursive: true });
    writeFileSync(join(dist, path), code);
  }
  for (const file of globSync(assets, { cwd: root })) cpSync(join(root, file), join(dist, file));
  const { name, version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Record<string, string>;
  writeFileSync(join(dist, 'package.json'), `${JSON.stringify({ name, version, type: 'module', private: true })}\n`);
  writeTypes(root, dist);
  cpSync(await builtBundle(), join(dist, 'web-bundle'), { recursive: true });
  return (one) => modules.some(({ code }) => code.includes(`'${one}'`) || code.includes(`'${one}/`));
}
