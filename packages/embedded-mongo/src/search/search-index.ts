import type { Document } from '../bson/value.ts';
import { argumentsOf } from '../expression/operator.ts';
import { CommandError } from '../errors.ts';
import type { Database } from '../storage/database.ts';
import { TextIndex } from './text/text-index.ts';
import { VectorIndex } from './vector/vector-index.ts';

/** An Atlas-style search index. */
export type SearchIndex = TextIndex | VectorIndex;

/** The definition tells the type: `fields` of vectors and filters, or `mappings` of text. */
export function openSearchIndex(database: Database, id: number, name: string, definition: Document): SearchIndex {
  return 'fields' in definition
    ? new VectorIndex(database, id, name, definition)
    : new TextIndex(database, id, name, definition);
}

/** The id that clients know an index by. */
export function idOf(index: SearchIndex): string {
  return index.id.toString(16).padStart(24, '0');
}

/** The `$listSearchIndexes` stage. */
export function describeSearchIndexes(indexes: readonly SearchIndex[], spec: unknown): Document[] {
  const { id, name } = argumentsOf(spec, 'id? name?', '$listSearchIndexes', [40415, 40414]);
  if (id !== undefined && name !== undefined)
    throw new CommandError(72, "Cannot set both 'name' and 'id' for $listSearchIndexes.");
  return indexes
    .filter((index) => (name === undefined || index.name === name) && (id === undefined || idOf(index) === id))
    .map((index) => ({
      id: idOf(index),
      name: index.name,
      type: index.type,
      status: 'READY',
      queryable: true,
      latestVersion: 0,
      latestDefinition: index.definition,
    }));
}
