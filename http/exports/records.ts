import type { Request, Response } from 'express';
import { csvOf } from '#http/exports/csv.ts';
import { limits } from '#src/contracts/fields.ts';
import type { RecordPage, RecordsQuery } from '#src/contracts/records/record.ts';
import { recordLimits } from '#src/contracts/records/record-type.ts';
import { AppError } from '#src/domain/app-error.ts';

type ShownRecord = RecordPage['records'][number];
type Cell = ShownRecord['cells'][string];

const facts = ['recordId', 'documentId', 'status'] as const;

/** A cell that a spreadsheet takes: money has its currency in a column of its own. */
function written(value: Cell['value'] | undefined): string | number | boolean | null {
  return typeof value === 'object' ? (value?.amount ?? null) : (value ?? null);
}

const isMoney = (value: Cell['value'] | undefined): value is Extract<Cell['value'], object> =>
  typeof value === 'object' && value !== null;

/** Rows of a record: one, or one for each row of the list. */
function rowsOf(record: ShownRecord, list: string | null): readonly string[] {
  if (list === null) return [''];
  const rows = Object.keys(record.cells).flatMap((path) => {
    const [name, row = ''] = path.split('.');
    return name === list ? [`${list}.${row}.`] : [];
  });
  return rows.length === 0 ? [`${list}.0.`] : [...new Set(rows)];
}

/**
 * The records as a table: a column for each field outside of lists, and with `explode` for each field of that list, with a row for each of
 * its rows. Money has a column for its currency, and with `boxes` each field has columns for its page and its box. The last columns have the
 * address of the page of the record's first cell and the name of the document.
 */
function tableOf({ recordType, records }: RecordPage, list: string | null, boxes: boolean): string {
  const { fields = [], lists = [] } = recordType ?? {};
  const paths = fields.filter((path) => {
    const [name = ''] = path.split('.');
    return !lists.includes(name) || name === list;
  });
  const cellOf = (record: ShownRecord, start: string, path: string): Cell | undefined =>
    record.cells[list !== null && path.startsWith(`${list}.`) ? start + path.slice(list.length + 1) : path];
  const hasMoney = new Set(
    paths.filter((path) =>
      records.some((record) => rowsOf(record, list).some((start) => isMoney(cellOf(record, start, path)?.value))),
    ),
  );
  const headings = [
    ...facts,
    ...paths.flatMap((path) => [
      ...(hasMoney.has(path) ? [path, `${path}.currency`] : [path]),
      ...(boxes ? [`${path}.page`, `${path}.box`] : []),
    ]),
    'pageUrl',
    'documentName',
  ];
  const rows = records.flatMap((record) =>
    rowsOf(record, list).map((start) => [
      ...facts.map((name) => record[name]),
      ...paths.flatMap((path) => {
        const { value, page = null, box = null } = cellOf(record, start, path) ?? {};
        return [
          ...(hasMoney.has(path) ? [written(value), isMoney(value) ? value.currency : null] : [written(value)]),
          ...(boxes ? [page, box?.join(' ') ?? null] : []),
        ];
      }),
      Object.values(record.pageUrls)[0] ?? null,
      record.document?.title ?? record.document?.filename ?? null,
    ]),
  );
  return csvOf([headings, ...rows]);
}

/** Groups as a table: a column for each part of the key, and for each aggregate. */
function tableOfGroups(groups: NonNullable<RecordPage['groups']>): string {
  const [first] = groups;
  const [keys, names] = [Object.keys(first?.key ?? {}), Object.keys(first?.values ?? {})];
  const rows = groups.map(({ key, count, values }) => [
    ...keys.map((name) => key[name]),
    count,
    ...names.map((name) => values[name]),
  ]);
  return csvOf([[...keys, 'count', ...names], ...rows]);
}

/** Error: `request.invalid` for records of several types, and for a list that the type does not have. */
function csvTable(page: RecordPage, explode: unknown, boxes: boolean): string {
  if (page.groups !== null) return tableOfGroups(page.groups);
  const { recordType } = page;
  if (recordType === null) throw refused('/recordType', 'a table has records of one type: name it');
  if (explode === undefined) return tableOf(page, null, boxes);
  const list = recordType.lists.find((one) => one === explode);
  if (list !== undefined) return tableOf(page, list, boxes);
  throw refused('/explode', `records of this type have these lists: ${recordType.lists.join(', ') || 'none'}`);
}

function refused(pointer: string, message: string): AppError {
  return new AppError('request.invalid', `Field ${pointer}: ${message}.`, {
    errors: [{ pointer, code: 'invalid_value', message }],
  });
}

/** One line a record: its values by path, and with `cells` their proofs. */
function lineOf({ cells, ...record }: ShownRecord, withCells: boolean): string {
  const values = Object.fromEntries(Object.entries(cells).map(([path, { value }]) => [path, value]));
  return `${JSON.stringify({ ...record, values, ...(withCells && { cells }) })}\n`;
}

/** Takes the default of `limit` from the form. */
export function recordsInput(given: object): object {
  const { format, explode: _explode, cells: _cells, boxes: _boxes, limit, ...asked } = given as RecordsQuery;
  const most = format === 'json' ? limits.pageMax : recordLimits.exported;
  if (limit !== undefined && limit > most) throw refused('/limit', `use at most ${most} with format=${format}`);
  return { ...asked, limit: limit ?? (format === 'json' ? limits.pageDefault : recordLimits.exported) };
}

/** Sends records as a file to save. The header `x-next-cursor` has the cursor of the rest. */
export function sendRecords(request: Request, response: Response, output: Record<string, unknown>): boolean {
  const page = output as unknown as RecordPage;
  const { format, explode, cells, boxes } = request.query;
  if (format !== 'csv' && format !== 'jsonl') return false;
  const lines = page.groups?.map((group) => `${JSON.stringify(group)}\n`);
  const text =
    format === 'csv'
      ? csvTable(page, explode, boxes === 'true')
      : (lines ?? page.records.map((one) => lineOf(one, cells !== 'false'))).join('');
  const name = page.recordType?.name ?? 'records';
  response.setHeader('content-disposition', `attachment; filename="${name}.${format}"`);
  if (page.nextCursor !== null) response.setHeader('x-next-cursor', page.nextCursor);
  response.type(format === 'csv' ? 'text/csv; charset=utf-8' : 'application/jsonl').send(text);
  return true;
}
