import { existsSync, readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { dirname, join, normalize, relative } from 'node:path';

/** Modules of the repository that other packages' names stand for, by these names. */
export type Workspaces = ReadonlyMap<string, string>;

/** A module of the package: its path from the root, and its JavaScript. */
export interface Module {
  readonly path: string;
  readonly code: string;
}

const specifier = /(\bfrom\s*|\bimport\s*\(\s*|\bimport\s+)(['"])([^'"\n]+)\2/g;
const fileUrl = /new URL\((['"])([^'"\n]+)\.ts\1, import\.meta\.url\)/g;

/** Path from the root of the module that a specifier in a file names; null: it is of another package, or built in. */
function moduleOf(name: string, from: string, workspaces: Workspaces): string | null {
  if (name.startsWith('#')) return name.slice(1);
  if (name.startsWith('.')) return normalize(join(dirname(from), name));
  return workspaces.get(name) ?? null;
}

const asRelative = (from: string, to: string): string => {
  const path = relative(dirname(from), to);
  return path.startsWith('.') ? path : `./${path}`;
};

/**
 * The modules that these ones import at run time, themselves included, as JavaScript: types are left out, and specifiers are relative paths to
 * `.js` files.
 */
export function closureOf(root: string, entries: readonly string[], workspaces: Workspaces): readonly Module[] {
  const found = new Map<string, Module>();
  const open = [...entries];
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    if (found.has(path)) continue;
    const { module, imports } = read(root, path, workspaces);
    found.set(path, module);
    open.push(...imports);
  }
  return [...found.values()];
}

function read(root: string, path: string, workspaces: Workspaces): { module: Module; imports: readonly string[] } {
  const source = readFileSync(join(root, path), 'utf8');
  const stripped = path.endsWith('.ts') ? stripTypeScriptTypes(source) : source;
  const imports: string[] = [];
  const code = stripped
    .replaceAll(specifier, (whole: string, before: string, quote: string, name: string) => {
      const target = moduleOf(name, path, workspaces);
      if (target === null || !target.endsWith('.ts') || !existsSync(join(root, target))) return whole;
      imports.push(target);
      return `${before}${quote}${asRelative(path, target).replace(/\.ts$/, '.js')}${quote}`;
    })
    .replaceAll(fileUrl, (_whole, quote: string, name: string) => {
      imports.push(normalize(join(dirname(path), `${name}.ts`)));
      return `new URL(${quote}${name}.js${quote}, import.meta.url)`;
    });
  return { module: { path: path.replace(/\.ts$/, '.js'), code }, imports };
}
