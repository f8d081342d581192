import type { Document } from '../bson/value.ts';
import type { Query, Rows } from '../plan/rows.ts';
import type { Collection } from '../storage/collection.ts';
import type { Database } from '../storage/database.ts';
import { parseSearch } from './request.ts';
import { openSearch } from './run.ts';

/** Rows best first, each with its score. */
export type ScoredRows = Rows & { score(): number };

/** Opens a search; of the query that follows it only filter, skip and limit apply. */
export type OpenSource = (database: Database, collection: Collection, query: Query) => ScoredRows;

/** The stages that search an index and so may only stand first in a pipeline, each with its parser. */
export const SOURCES: Readonly<Record<string, (spec: Document) => OpenSource>> = {
  $search: (spec) => {
    const request = parseSearch(spec);
    return (database, collection, query) => openSearch(database, collection, request, query);
  },
};
