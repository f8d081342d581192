import { decode } from '../bson/decode.ts';
import type { Document } from '../bson/value.ts';
import type { Query } from '../plan/rows.ts';
import { matches } from '../query/match.ts';
import type { Collection } from '../storage/collection.ts';
import type { Database } from '../storage/database.ts';
import type { Hit } from './best.ts';
import { check } from './request.ts';
import type { SearchIndex } from './search-index.ts';

/** A document that was found, as stored, or parsed where only its `_id` is asked for. */
export type Scored = Hit & ({ bytes: Uint8Array } | { doc: Document });

/**
 * Opens a search, best first. Of the query that follows it only filter, skip and limit apply. `onlyId`: what follows reads no other field of
 * the documents.
 */
export type OpenSource = (
  database: Database,
  collection: Collection,
  query: Query & { onlyId?: boolean },
) => Iterable<Scored>;

export function passesAll({ filter }: Query): boolean {
  return filter.op === 'and' && filter.filters.length === 0;
}

/**
 * Applies filter, skip and limit of the following query to the hits. Documents are read only as far as requested, and not at all for an
 * `_id` that the index knows.
 */
export function scoredRows(
  { database, collection }: { database: Database; collection: Collection },
  hits: readonly Hit[],
  query: Parameters<OpenSource>[2],
  idOf: (row: number) => string | undefined,
): Iterable<Scored> {
  const { filter, skip, limit } = query;
  const every = passesAll(query);
  const found = hits.values().flatMap(({ row, score }): Scored[] => {
    database.tick();
    const id = every && query.onlyId ? idOf(row) : undefined;
    if (id !== undefined) return [{ row, score, doc: { _id: id } }];
    const bytes = collection.get(row);
    return bytes && (every || matches(filter, decode(bytes))) ? [{ row, score, bytes }] : [];
  });
  return limit > 0 ? found.drop(skip).take(limit) : found.drop(skip);
}

/** The index of that name. As on Atlas, a name that no index has finds nothing, and one of the other type is refused. */
export function searchIndex<Type extends SearchIndex['type']>(
  { searchIndexes }: Collection,
  name: string,
  type: Type,
): Extract<SearchIndex, { type: Type }> | undefined {
  const index = searchIndexes.find((one) => one.name === name);
  check(!index || index.type === type, `Cannot execute $${type} over ${index?.type} index '${name}'`);
  return index as Extract<SearchIndex, { type: Type }> | undefined;
}
