import { posix } from 'node:path';
import type { Source } from './source.ts';
import { productRoots } from './tables.ts';

const vagueFolder = /(^|\/)(utils?|helpers?|common|types|misc|shared|lib)\//;
const kebabName = /^[a-z0-9]+(-[a-z0-9]+)*(\.[a-z0-9]+)*\.(ts|tsx|mts|cts)$/;

function inProduct(path: string): boolean {
  return productRoots.some((root) => path.startsWith(root));
}

/** Files over 400 lines; 600 under a `test/` folder. */
export function tooLong(sources: readonly Source[]): string[] {
  return sources.flatMap(({ path, lines }) => {
    const most = /(^|\/)test\//.test(path) ? 600 : 400;
    return lines > most ? [`${path} has ${lines} lines, over ${most}`] : [];
  });
}

/** Folders with more than 15 source files that have no row in `wide`. */
export function tooWide(sources: readonly Source[], wide: Readonly<Record<string, string>>): string[] {
  const counts = new Map<string, number>();
  for (const { path } of sources) {
    const folder = posix.dirname(path);
    counts.set(folder, (counts.get(folder) ?? 0) + 1);
  }
  return [...counts]
    .filter(([folder, count]) => count > 15 && !(folder in wide))
    .map(([folder, count]) => `${folder}/ has ${count} files, over 15`);
}

/** Folders whose name says nothing, and file names that are not kebab-case. */
export function badNames(sources: readonly Source[]): string[] {
  return sources.flatMap(({ path }) => [
    ...(vagueFolder.test(path) ? [`${path} is in a folder whose name says nothing`] : []),
    ...(kebabName.test(posix.basename(path)) ? [] : [`${path} is not in kebab-case`]),
  ]);
}

/** Files of nothing but re-exports, and `export * from`. */
export function barrels(sources: readonly Source[], entries: readonly string[] = []): string[] {
  return sources
    .filter(({ path }) => !entries.includes(path))
    .flatMap(({ path, barrel, exportAlls }) => [
      ...(barrel ? [`${path} only re-exports`] : []),
      ...exportAlls.map((line) => `${path}:${line} exports everything of another file`),
    ]);
}

/** Default exports outside `*.config.ts`, which their tools want so. */
export function defaultExports(sources: readonly Source[]): string[] {
  return sources.flatMap(({ path, defaultExports: lines }) =>
    path.endsWith('.config.ts') ? [] : lines.map((line) => `${path}:${line} has a default export`),
  );
}

/** Uses of `console` in the product, except in its entry points. */
export function consoles(sources: readonly Source[]): string[] {
  return sources.flatMap(({ path, consoles: lines }) => {
    const free = !inProduct(path) || path === 'app/main.ts' || path === 'app/stdio.ts';
    return free ? [] : lines.map((line) => `${path}:${line} writes to the console`);
  });
}

/** `let` and `var` at the top of a product file: state that outlives and is shared by every composition. */
export function moduleVariables(sources: readonly Source[]): string[] {
  return sources.flatMap(({ path, moduleVariables: lines }) =>
    inProduct(path) ? lines.map((line) => `${path}:${line} keeps state in the module`) : [],
  );
}
