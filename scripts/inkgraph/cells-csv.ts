import { csvOf } from '#http/exports/csv.ts';
import type { Client, RecordCell } from 'inkgraph/client';
import { sideBySide } from './side-by-side.ts';
import type { PushedFile } from './upload-files.ts';

const headings = [
  ...['file', 'documentId', 'recordType', 'status', 'field', 'value', 'currency', 'raw', 'confidence'],
  ...['page', 'x', 'y', 'width', 'height'],
];

function cellRow({ value, raw, confidence, page, box }: RecordCell): unknown[] {
  const [amount, currency] = typeof value === 'object' && value !== null ? [value.amount, value.currency] : [value, null];
  return [amount, currency, raw, confidence, page, ...(box ?? [null, null, null, null])];
}

/** Records of files as CSV: a row for each cell, with its page and its box in shares of the page. */
export async function cellsCsv(client: Client, pushed: readonly PushedFile[], parallel: number): Promise<string> {
  const rows = new Map<string, unknown[][]>();
  await sideBySide(pushed, parallel, async ({ path, document: { id } }) => {
    const { records } = await client.records.query({ documentId: id, limit: 1_000 });
    rows.set(
      path,
      records.flatMap(({ recordType, status, cells }) =>
        Object.entries(cells).map(([field, cell]) => [path, id, recordType, status, field, ...cellRow(cell)]),
      ),
    );
  });
  return csvOf([headings, ...pushed.flatMap(({ path }) => rows.get(path) ?? [])]);
}
