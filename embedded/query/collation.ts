import { isObject } from '../bson/value.ts';
import { notImplemented } from '../fault.ts';

/** The simple collation is what there is. */
export function checkCollation(collation: unknown): void {
  if (isObject(collation) && collation['locale'] === 'simple') return;
  throw notImplemented('A collation other than simple');
}
