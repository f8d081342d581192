import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

type Versions = Readonly<Record<string, string>>;

/** Members of package.json that are used here. */
export interface Manifest {
  readonly [member: string]: unknown;
  readonly dependencies: Versions;
  readonly devDependencies: Versions;
  readonly optionalDependencies: Versions;
}

const typed = (path: string) => ({ types: `./dist/${path}.d.ts`, default: `./dist/${path}.js` });

const keep = (versions: Versions, wanted: (name: string) => boolean): Versions =>
  Object.fromEntries(Object.entries(versions).filter(([name]) => wanted(name)));

/** Named by no module, and needed: the runtime. */
const needed = new Set(['node']);

/** Dependencies of the repository's own packages, which become part of this one. */
export function ownDependencies(root: string): Versions {
  const manifests = globSync('packages/*/package.json', { cwd: root }).map(
    (path) => JSON.parse(readFileSync(join(root, path), 'utf8')) as Partial<Manifest>,
  );
  return Object.assign({}, ...manifests.map(({ dependencies = {} }) => dependencies)) as Versions;
}

/** The manifest that is published: it names what `dist` holds and imports, of its own dependencies and `more`. */
export function publishedManifest(source: Manifest, more: Versions, uses: (name: string) => boolean): object {
  const { name, version, description, license, type, engines, optionalDependencies } = source;
  return {
    name,
    version,
    description,
    license,
    type,
    bin: { inkgraph: 'dist/scripts/inkgraph.cjs' },
    files: ['dist'],
    exports: {
      '.': typed('graphs/code/inkgraph'),
      './nodes': typed('graphs/code/nodes'),
      './client': typed('packages/client/src/client'),
    },
    dependencies: keep(
      { ...source.dependencies, ...more },
      (one) => (uses(one) || needed.has(one)) && !one.startsWith('@inkgraph/'),
    ),
    optionalDependencies,
    engines,
  };
}
