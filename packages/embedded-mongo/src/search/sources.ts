import type { Document } from '../bson/value.ts';
import type { OpenSource } from './scored.ts';
import { parseSearch } from './text/operators.ts';
import { parseVectorSearch } from './vector/request.ts';

/** The stages that search an index and so may only stand first in a pipeline, each with its parser. */
export const SOURCES: Readonly<Record<string, (spec: Document) => OpenSource>> = {
  $search: parseSearch,
  $vectorSearch: parseVectorSearch,
};
