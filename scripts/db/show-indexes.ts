import type { OpenedDatabase } from '#scripts/cli/open-database.ts';
import type { Terminal } from '#scripts/cli/terminal.ts';
import { findIndexes, type IndexFinding } from '#src/stores/find-indexes.ts';
import { findSearchIndexes, wordIndexName, type VectorIndexOptions } from '#src/stores/search/definitions.ts';

/** Without search, the ordinary index of words takes the place of the search indexes. */
function withWordIndex(found: readonly IndexFinding[], hasSearch: boolean): readonly IndexFinding[] {
  if (hasSearch) return found;
  const others = found.filter(({ name }) => name !== wordIndexName);
  const state = others.length === found.length ? 'missing' : 'there';
  return [...others, { collection: 'searchRecords', name: wordIndexName, state }];
}

/** Writes the state of each index. Returns 1 when one is missing or differs. */
export async function showIndexes(
  { database: { db } }: OpenedDatabase,
  vectors: VectorIndexOptions,
  { out }: Pick<Terminal, 'out'>,
): Promise<void | 1> {
  const search = await findSearchIndexes(db, vectors);
  const found = withWordIndex(await findIndexes(db), search !== null);
  const searching = (search ?? []).map((one) => ({ ...one, collection: 'searchRecords', name: `search ${one.name}` }));
  const all = [...found, ...searching];
  for (const { collection, name, state } of all) out(`${state.padEnd(10)} ${collection}: ${name}\n`);
  const wanting = all.filter(({ state }) => state === 'missing' || state === 'differs').length;
  if (wanting === 0) return;
  out(`${wanting} are missing or differ. npm run db -- migrate makes missing ones; drop one that differs first.\n`);
  return 1;
}
