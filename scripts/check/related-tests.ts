import { posix } from 'node:path';
import { importedFiles, type Subpaths } from '#test/architecture/directions.ts';
import type { Source } from '#test/architecture/source.ts';

const isTest = (path: string): boolean => path.endsWith('.test.ts');

/**
 * Test files that a change reaches, nearest first: changed tests, then those that import a changed file, then those that import an
 * importer of one, and so on. A test also counts as near to the source of its name (`test/domain/cursor.test.ts` to `cursor.ts`).
 */
export function relatedTests(sources: readonly Source[], subpaths: Subpaths, changed: readonly string[]): string[] {
  const importers = new Map<string, string[]>();
  for (const source of sources)
    for (const target of importedFiles(source, subpaths))
      importers.set(target, [...(importers.get(target) ?? []), source.path]);
  const names = new Set(changed.map((path) => posix.basename(path, '.ts')));
  const known = new Set(sources.map(({ path }) => path));
  const reached = new Set([
    ...changed.filter((path) => known.has(path)),
    ...sources.map(({ path }) => path).filter((path) => isTest(path) && names.has(posix.basename(path, '.test.ts'))),
  ]);
  for (const path of reached) for (const importer of importers.get(path) ?? []) reached.add(importer);
  return [...reached].filter(isTest);
}

export interface Choice {
  readonly chosen: readonly string[];
  readonly leftOut: readonly string[];
}

/** As many of the tests, nearest first, as fit into the seconds; one that takes too long makes room for a shorter one behind it. */
export function withinSeconds(tests: readonly string[], secondsOf: (path: string) => number, budget: number): Choice {
  let left = budget;
  const chosen: string[] = [];
  for (const path of tests) {
    const needed = secondsOf(path);
    if (needed > left) continue;
    left -= needed;
    chosen.push(path);
  }
  return { chosen, leftOut: tests.filter((path) => !chosen.includes(path)) };
}
