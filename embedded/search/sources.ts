import type { Document } from '../bson/value.ts';
import type { Query } from '../plan/rows.ts';
import type { Collection } from '../storage/collection.ts';
import type { Database } from '../storage/database.ts';
import { parseSearch } from './text/request.ts';
import { openSearch } from './text/run.ts';
import { type ScoredRows, scoredRows } from './scored.ts';
import { parseVectorSearch } from './vector/request.ts';
import { vectorSearch } from './vector/run.ts';

/** Opens a search; of the query that follows it only filter, skip and limit apply. */
export type OpenSource = (database: Database, collection: Collection, query: Query) => ScoredRows;

/** The stages that search an index and so may only stand first in a pipeline, each with its parser. */
export const SOURCES: Readonly<Record<string, (spec: Document) => OpenSource>> = {
  $search: (spec) => {
    const request = parseSearch(spec);
    return (database, collection, query) => openSearch(database, collection, request, query);
  },
  $vectorSearch: (spec) => {
    const request = parseVectorSearch(spec);
    return (database, collection, query) => scoredRows(vectorSearch(database, collection, request), query);
  },
};
