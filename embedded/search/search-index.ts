import type { Document } from '../bson/value.ts';
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
