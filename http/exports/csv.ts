import { createRequire } from 'node:module';
import type * as stringifier from 'csv-stringify/sync';

// The library is for the first table.
const load = createRequire(import.meta.url);

/** A table as CSV. Values are untrusted: those that a spreadsheet would compute, such as a text that begins with =, are escaped. */
export function csvOf(rows: readonly (readonly unknown[])[]): string {
  const { stringify } = load('csv-stringify/sync') as typeof stringifier;
  return stringify(rows as unknown[][], { escape_formulas: true, cast: { boolean: String } });
}
