import type { DocumentSort } from '#src/contracts/lists/document-filter.ts';
import type { DocumentRecord } from '#src/domain/documents/document.ts';

/** Order of a list of documents. */
export interface DocumentOrder {
  readonly sort: DocumentSort;
  readonly descending: boolean;
}

/** Value and id of the last document of a page; of `created` in milliseconds since 1970. null: it has no value. */
export interface DocumentPlace {
  readonly value: string | number | null;
  readonly id: string;
}

/** Order that a caller asked for: newest first, names from A, other values from the largest. Source: `lists.documents.sort`. */
export function orderOf(sort: DocumentSort = 'created', order?: 'asc' | 'desc'): DocumentOrder {
  return { sort, descending: (order ?? (sort === 'name' ? 'asc' : 'desc')) === 'desc' };
}

/** Place of a document in an order. */
export function placeOf({ _id: id, ...record }: DocumentRecord, { sort }: DocumentOrder): DocumentPlace {
  if (sort === 'created') return { value: record.createdAt.getTime(), id };
  if (sort === 'size') return { value: record.sizeBytes, id };
  return { value: (sort === 'name' ? record.filename : record.ocr?.avgConfidence) ?? null, id };
}
