import { type Document, fieldsOf, isNumeric, kindOf, numeric } from '../bson/value.ts';
import { CommandError, notImplemented } from '../errors.ts';
import { type Compare, compare } from './compare.ts';
import { keyTuples, type Parts } from './path.ts';

export interface SortField {
  path: string;
  parts: Parts;
  descending: boolean;
  collate?: Compare;
}

export function parseSort(spec: Document, collate?: Compare): SortField[] {
  return fieldsOf(spec).map(([path, direction]) => {
    if (typeof direction === 'object' && direction !== null && '$meta' in direction)
      throw notImplemented('Sorting by $meta');
    const way = isNumeric(kindOf(direction)) ? Number(numeric(direction)) : NaN;
    if (way !== 1 && way !== -1) {
      throw new CommandError(15975, '$sort key ordering must be 1 (for ascending) or -1 (for descending)');
    }
    if (path === '' || path.startsWith('$')) throw new CommandError(16410, `Invalid sort field path '${path}'`);
    return { path, parts: path.split('.'), descending: way === -1, ...(collate && { collate }) };
  });
}

/** The tuple a document sorts by: of the keys its arrays give, the first in the sort's own order. */
export function sortKey(doc: Document, fields: readonly SortField[]): unknown[] {
  const tuples = keyTuples(
    doc,
    fields.map((field) => field.parts),
    'sort',
  );
  return tuples.reduce((best, tuple) => (compareKeys(tuple, best, fields) < 0 ? tuple : best));
}

export function compareKeys(a: readonly unknown[], b: readonly unknown[], fields: readonly SortField[]): number {
  for (let at = 0; at < fields.length; at++) {
    const field = fields[at];
    const order = (field?.collate ?? compare)(a[at], b[at]);
    if (order !== 0) return field?.descending ? -order : order;
  }
  return 0;
}
