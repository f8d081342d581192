import { csvOf } from '#http/exports/csv.ts';
import { items, type Client, type RecordCell } from 'inkgraph/client';
import { sideBySide } from './side-by-side.ts';
import type { PushedFile } from './upload-files.ts';

const headings = 'file,documentId,recordType,status,field,value,currency,raw,confidence,page,x,y,width,height'.split(
  ',',
);

function cellRow({ value, raw, confidence, page, box }: RecordCell): unknown[] {
  const [amount, currency] =
    typeof value === 'object' && value !== null ? [value.amount, value.currency] : [value, null];
  return [amount, currency, raw, confidence, page, ...(box ?? [null, null, null, null])];
}

/** Records of files as CSV: a row for each cell, with its page and its box in shares of the page. */
export async function cellsCsv(client: Client, pushed: readonly PushedFile[], parallel: number): Promise<string> {
  const rows = new Map<string, unknown[][]>();
  await sideBySide(pushed, parallel, async ({ path, document: { id } }) => {
    const cellsOf: unknown[][] = [];
    const asked = { documentId: id, limit: 100 };
    for await (const { recordType, status, cells } of items(client.records.query, 'records', asked))
      for (const [field, cell] of Object.entries(cells))
        cellsOf.push([path, id, recordType, status, field, ...cellRow(cell)]);
    rows.set(path, cellsOf);
  });
  return csvOf([headings, ...pushed.flatMap(({ path }) => rows.get(path) ?? [])]);
}
