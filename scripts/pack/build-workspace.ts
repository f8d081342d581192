import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

// Writes a package that can be published: Node strips no types below node_modules, so it holds JavaScript and declarations.
// `npm run build -w @inkgraph/client` or `-w @inkgraph/embedded-mongo`, or in the folder of one: `node ../../scripts/pack/build-workspace.ts <folder>`.

const here = process.cwd();
const target = resolve(process.argv[2] ?? join(here, 'dist'));
const compiler = fileURLToPath(import.meta.resolve('typescript/package.json'));

rmSync(target, { recursive: true, force: true });
execFileSync(
  process.execPath,
  [join(compiler, '../bin/tsc'), '--project', join(here, 'tsconfig.build.json'), '--outDir', target],
  { stdio: 'inherit' },
);

const {
  scripts: _scripts,
  files: _files,
  exports: sources,
  ...manifest
} = JSON.parse(readFileSync(join(here, 'package.json'), 'utf8')) as Record<string, unknown> & {
  exports: Record<string, string>;
};
const exports = Object.fromEntries(
  Object.entries(sources).map(([name, source]) => {
    const built = source.replace('./src/', './').replace(/\.ts$/, '');
    return [name, { types: `${built}.d.ts`, default: `${built}.js` }];
  }),
);
writeFileSync(join(target, 'package.json'), `${JSON.stringify({ ...manifest, exports }, null, 2)}\n`);
for (const file of ['README.md', 'CHANGELOG.md', 'operators.json'].filter((name) => existsSync(join(here, name))))
  cpSync(join(here, file), join(target, file));
cpSync(join(import.meta.dirname, '../../LICENSE'), join(target, 'LICENSE'));
