import type { z } from 'zod';
import { CsvError, parse } from 'csv-parse/sync';
import { datasetLimits, SaveDatasetBody } from '#src/contracts/experiments/dataset.ts';
import { unsafePath } from '#src/contracts/fields.ts';
import { AppError } from '#src/domain/app-error.ts';

const Item = SaveDatasetBody.shape.items.unwrap().element;
export type AskedItem = z.output<typeof Item>;

/** Characters of a message, which may name a path of the source. */
const messageCharacters = 400;

function refused(line: number, reason: string): AppError {
  const message = reason.slice(0, messageCharacters).toWellFormed();
  return new AppError('request.invalid', `The source is not valid where line ${line} ends: ${message}.`, {
    errors: [{ pointer: '/source/text', code: 'invalid_value', message: `line ${line}: ${message}` }],
  });
}

const tooMany = (line: number): AppError =>
  refused(line, `a dataset has at most ${datasetLimits.items} items: split the source`);

function itemOf(value: unknown, line: number): AskedItem {
  const unsafe = unsafePath(value);
  if (unsafe !== null) throw refused(line, unsafe);
  const { data, error } = Item.safeParse(value);
  if (data !== undefined) return data;
  const [first] = error.issues;
  const where = first?.path.join('.') ?? '';
  throw refused(line, `${where === '' ? '' : `${where}: `}${first?.message ?? 'invalid'}`);
}

export function fromJsonl(text: string): AskedItem[] {
  const items: AskedItem[] = [];
  for (const [at, line] of text
    .replace(/^\uFEFF/u, '')
    .split('\n')
    .entries()) {
    if (line.trim() === '') continue;
    if (items.length === datasetLimits.items) throw tooMany(at + 1);
    try {
      items.push(itemOf(JSON.parse(line), at + 1));
    } catch (error) {
      if (error instanceof SyntaxError) throw refused(at + 1, 'it is not JSON');
      throw error;
    }
  }
  return items;
}

/** A value as it is written in a table: a number or a truth value where it looks like one. */
function cellValue(text: string): string | number | boolean | null {
  if (text === 'true' || text === 'false') return text === 'true';
  if (text === 'null') return null;
  return /^-?(0|[1-9]\d{0,14})(\.\d{1,15})?$/.test(text) ? Number(text) : text;
}

const recordBytes = 400_000;

interface Row {
  readonly record: readonly string[];
  readonly info: { readonly lines: number };
}

/** The line of headings, and one row more than a dataset has items: the rest of a longer table is not read. */
function rowsOf(text: string): readonly Row[] {
  try {
    return parse(text, {
      bom: true,
      info: true,
      max_record_size: recordBytes,
      relax_column_count: true,
      skip_empty_lines: true,
      to: datasetLimits.items + 2,
      trim: true,
    }) as unknown as Row[];
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    const { code, message, ...at } = error as CsvError & { column?: unknown; lines?: unknown; records?: unknown };
    const place = `cell ${Number(at.column ?? 0) + 1} of record ${Number(at.records ?? 0) + 1}`;
    const reasons = new Map<string, string>([
      ['CSV_QUOTE_NOT_CLOSED', `the quotes of ${place} never end: close them, and write a quote inside twice`],
      [
        'CSV_MAX_RECORD_SIZE',
        `the record is larger than ${recordBytes} bytes at ${place}: shorten it, or close quotes`,
      ],
    ]);
    throw refused(Number(at.lines ?? 1), reasons.get(code) ?? `it is not CSV: ${message}`);
  }
}

const named = new Set(['documentId', 'text', 'label', 'split', 'tags']);
const fieldPrefix = 'fields.';
/** Characters of a heading in a message. */
const shownCharacters = 120;

/** Errors: `request.invalid` for a heading that occurs twice or means nothing, and without documentId. */
function checkHeadings(headings: readonly string[], line: number): void {
  const most = named.size + datasetLimits.fields;
  if (headings.length > most) throw refused(line, `the table has ${headings.length} columns; use at most ${most}`);
  const seen = new Set<string>();
  for (const heading of headings) {
    const shown = JSON.stringify(heading.slice(0, shownCharacters).toWellFormed());
    if (seen.has(heading)) throw refused(line, `there are two columns ${shown}. Rename or remove one`);
    seen.add(heading);
    const unsafe = heading.startsWith(fieldPrefix) ? unsafePath({ [heading.slice(fieldPrefix.length)]: '' }) : null;
    if (unsafe !== null) throw refused(line, `column ${shown}: ${unsafe}`);
    if (!named.has(heading) && !heading.startsWith(fieldPrefix))
      throw refused(line, `no column is called ${shown}. Use ${[...named].join(', ')} and fields.<name>`);
  }
  if (!seen.has('documentId')) throw refused(line, 'the column documentId is missing');
}

function rowItem(headings: readonly string[], { record, info: { lines } }: Row): AskedItem {
  if (record.length !== headings.length)
    throw refused(lines, `it has ${record.length} cells, and the line of headings has ${headings.length}`);
  const row = new Map(headings.map((heading, at) => [heading, record[at] ?? '']));
  const cell = (name: string): string => row.get(name) ?? '';
  const fields = [...row].filter(([name, value]) => name.startsWith(fieldPrefix) && value !== '');
  const reference = {
    ...(cell('text') !== '' && { text: cell('text') }),
    ...(cell('label') !== '' && { label: cell('label') }),
    ...(fields.length > 0 && {
      fields: Object.fromEntries(fields.map(([name, value]) => [name.slice(fieldPrefix.length), cellValue(value)])),
    }),
  };
  return itemOf(
    {
      documentId: cell('documentId'),
      ...(Object.keys(reference).length > 0 && { reference }),
      ...(cell('split') !== '' && { split: cell('split') }),
      ...(cell('tags') !== '' && { tags: cell('tags').split(';') }),
    },
    lines,
  );
}

/** Cells are text, numbers or truth values: nothing in a table is computed. */
export function fromCsv(text: string): AskedItem[] {
  const [headings, ...rows] = rowsOf(text);
  if (headings === undefined) throw refused(1, 'the table is empty. Begin with a line of headings');
  checkHeadings(headings.record, headings.info.lines);
  const beyond = rows[datasetLimits.items];
  if (beyond !== undefined) throw tooMany(beyond.info.lines);
  return rows.map((row) => rowItem(headings.record, row));
}
