import { posix } from 'node:path';
import type { Import, Source } from './source.ts';
import type { Layer } from './tables.ts';

/** Target of an import. */
export type Target =
  | { readonly to: 'file'; readonly path: string }
  | { readonly to: 'builtin'; readonly name: string }
  | { readonly to: 'package'; readonly name: string };

/** Subpath imports as package.json has them: `#src/*` to `./src/*`. */
export type Subpaths = Readonly<Record<string, string>>;

/** Follows a specifier as Node does; a built-in without `node:` and an absolute path count as packages that nobody declares. */
export function resolve(from: string, specifier: string, subpaths: Subpaths): Target {
  if (specifier.startsWith('.')) return { to: 'file', path: posix.join(posix.dirname(from), specifier) };
  if (specifier.startsWith('node:')) return { to: 'builtin', name: specifier.slice('node:'.length) };
  for (const [pattern, target] of Object.entries(subpaths)) {
    const prefix = pattern.replace(/\*$/, '');
    if (specifier.startsWith(prefix)) {
      return { to: 'file', path: posix.normalize(target.replace('*', specifier.slice(prefix.length))) };
    }
  }
  if (specifier.startsWith('/')) return { to: 'package', name: specifier };
  const parts = specifier.split('/');
  return { to: 'package', name: parts.slice(0, specifier.startsWith('@') ? 2 : 1).join('/') };
}

function covers(place: string, path: string): boolean {
  return place.endsWith('/') ? path.startsWith(place) : path === place;
}

/** The layer a path belongs to; null for one that belongs to none. Files at the root are configuration. */
export function layerOf(path: string, layers: readonly Layer[]): Layer | null {
  if (!path.includes('/')) return { name: 'root', at: [], imports: 'all' };
  return layers.find((layer) => layer.at.some((place) => covers(place, path))) ?? null;
}

/** True where a vendor's row covers a path: a folder (`tools/`), or a file and the folder of its name (`tools/mcp`). */
function permits(place: string, path: string): boolean {
  if (place.endsWith('/') || place.endsWith('.ts')) return covers(place, path);
  return path === `${place}.ts` || path.startsWith(`${place}/`);
}

export interface Rules {
  readonly layers: readonly Layer[];
  readonly vendors: Readonly<Record<string, readonly string[]>>;
  readonly subpaths: Subpaths;
  /** Names of all packages in package.json. */
  readonly declared: ReadonlySet<string>;
}

/** The workspace under `packages/` that a path belongs to; null for the product itself. */
function packageOf(path: string): string | null {
  return /^packages\/[^/]+\//.exec(path)?.[0] ?? null;
}

function fileFault(source: Source, one: Import, path: string, rules: Rules): string | null {
  if (one.kind === 'url' && one.specifier.startsWith('#'))
    return `names ${path} by a # subpath in a URL: URLs do not follow subpaths, use a relative path`;
  const from = layerOf(source.path, rules.layers);
  const to = layerOf(path, rules.layers);
  if (from === null || from.name === 'root' || from.name === to?.name) return null;
  if (to === null) return from.imports === 'all' ? null : `imports ${path}, which belongs to no layer`;
  const samePackage = packageOf(path) !== null && packageOf(source.path) === packageOf(path);
  if (one.specifier.startsWith('../') && one.kind !== 'url' && !samePackage)
    return `imports ${path} by a relative path: across layers use the # subpath`;
  if (from.imports === 'all') return null;
  if (from.typesOf?.includes(to.name) === true)
    return one.kind === 'type' ? null : `imports ${path}: ${from.name} may import types of ${to.name} only`;
  if (!from.imports.includes(to.name)) return `imports ${path}: ${from.name} may not import ${to.name}`;
  return from.typesOnly && one.kind !== 'type' ? `imports ${path}: ${from.name} may import types only` : null;
}

function packageFault(source: Source, name: string, rules: Rules): string | null {
  if (!rules.declared.has(name)) return `imports ${name}, which package.json does not declare`;
  const layer = layerOf(source.path, rules.layers);
  if (layer === null || layer.imports === 'all') return null;
  const places = rules.vendors[name];
  if (places === undefined) return `imports ${name}, which has no row in the table of vendors`;
  return places.some((place) => permits(place, source.path))
    ? null
    : `imports ${name}: it may be imported in ${places.join(', ')} only`;
}

function builtinFault(source: Source, name: string, rules: Rules): string | null {
  const layer = layerOf(source.path, rules.layers);
  const allowed = layer?.builtins;
  return allowed === undefined || allowed.includes(name)
    ? null
    : `imports node:${name}: ${layer?.name} does no input or output`;
}

function importFault(source: Source, one: Import, rules: Rules): string | null {
  const target = resolve(source.path, one.specifier, rules.subpaths);
  if (target.to === 'file') return fileFault(source, one, target.path, rules);
  return target.to === 'package' ? packageFault(source, target.name, rules) : builtinFault(source, target.name, rules);
}

/** Every import that goes against the tables, one sentence each. */
export function directionViolations(sources: readonly Source[], rules: Rules): string[] {
  return sources.flatMap((source) => {
    if (layerOf(source.path, rules.layers) === null) return [`${source.path} belongs to no layer`];
    return source.imports.flatMap((one) => {
      const error = importFault(source, one, rules);
      return error === null ? [] : [`${source.path}:${one.line} ${error}`];
    });
  });
}

/** Counts imports seen in each layer: proof that the guard looked. */
export function importCounts(sources: readonly Source[], layers: readonly Layer[]): Map<string, number> {
  const counts = new Map(layers.map((layer) => [layer.name, 0]));
  for (const source of sources) {
    const name = layerOf(source.path, layers)?.name;
    if (name !== undefined) counts.set(name, (counts.get(name) ?? 0) + source.imports.length);
  }
  return counts;
}

/** Circles of files that import each other, each as `a -> b -> a`; imports of types count too. */
export function cycles(sources: readonly Source[], subpaths: Subpaths): string[] {
  const graph = new Map(sources.map((source) => [source.path, importedFiles(source, subpaths)]));
  const done = new Set<string>();
  const found: string[] = [];
  const follow = (path: string, trail: readonly string[]): void => {
    const start = trail.indexOf(path);
    if (start !== -1) found.push([...trail.slice(start), path].join(' -> '));
    if (start !== -1 || done.has(path)) return;
    for (const next of graph.get(path) ?? []) follow(next, [...trail, path]);
    done.add(path);
  };
  for (const path of graph.keys()) follow(path, []);
  return found;
}

/** Files that a source imports, without the ones it only names by `new URL`. */
export function importedFiles(source: Source, subpaths: Subpaths): string[] {
  const files = source.imports.flatMap((one) => {
    const target = resolve(source.path, one.specifier, subpaths);
    return target.to === 'file' && one.kind !== 'url' ? [target.path] : [];
  });
  return [...new Set(files)];
}
