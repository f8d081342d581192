import { decode } from '../bson/decode.ts';
import type { Query, Rows } from '../plan/rows.ts';
import type { Row } from '../plan/scan.ts';
import { matches } from '../query/match.ts';
import type { Collection } from '../storage/collection.ts';
import type { Database } from '../storage/database.ts';
import type { Hit } from './best.ts';
import { check } from './request.ts';
import type { SearchIndex } from './search-index.ts';

/** Rows best first, each with its score. */
export type ScoredRows = Rows & { score(): number };

/** Opens a search; of the query that follows it only filter, skip and limit apply. */
export type OpenSource = (database: Database, collection: Collection, query: Query) => ScoredRows;

export function passesAll({ filter }: Query): boolean {
  return filter.op === 'and' && filter.filters.length === 0;
}

/** Applies filter, skip and limit of the following query to the hits. Documents are read only as far as requested. */
export function scoredRows(
  database: Database,
  collection: Collection,
  hits: readonly Hit[],
  query: Query,
): ReturnType<OpenSource> {
  const { filter, skip, limit } = query;
  const every = passesAll(query);
  const found = hits.values().flatMap(({ row: id, score }): (Row & { score: number })[] => {
    database.tick();
    const bytes = collection.get(id);
    return bytes && (every || matches(filter, decode(bytes))) ? [{ id, bytes, score }] : [];
  });
  const rows = limit > 0 ? found.drop(skip).take(limit) : found.drop(skip);
  let score = 0;
  return {
    next: () => {
      const step = rows.next();
      if (step.done) return undefined;
      score = step.value.score;
      return step.value;
    },
    pause: () => undefined,
    score: () => score,
  };
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
