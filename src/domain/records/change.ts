import { recordLimits } from '#src/contracts/records/record-type.ts';
import type { RecordStatus } from '#src/contracts/records/record.ts';
import { AppError } from '#src/domain/app-error.ts';
import { parseValue } from '#src/domain/records/parse-value.ts';
import {
  isChecked,
  type CellRecord,
  type CellValue,
  type CorrectionRecord,
  type RecordProblem,
  type RecordRecord,
} from '#src/domain/records/record.ts';
import {
  fieldAt,
  pathsOf,
  rowOf,
  rowsIn,
  type FieldPath,
  type RecordTypeVersion,
} from '#src/domain/records/record-type.ts';

/** Confidence below which a required value makes the record doubtful. */
const leastConfidence = 0.5;

/** Cells after another extraction: those that a person or an agent gave stay, and so do lists with such a cell, or without a row that they removed. */
export function mergeCells(
  { cells: before, corrections }: Pick<RecordRecord, 'cells' | 'corrections'>,
  found: readonly CellRecord[],
): readonly CellRecord[] {
  const kept = before.filter(isChecked);
  const keptPaths = new Set(kept.map(({ path }) => path));
  const keptLists = new Set([...kept, ...corrections].flatMap(({ path }) => rowOf(path)?.list ?? []));
  const listOf = ({ path }: CellRecord): string => rowOf(path)?.list ?? '';
  return [
    ...before.filter((cell) => keptPaths.has(cell.path) || keptLists.has(listOf(cell))),
    ...found.filter((cell) => !keptPaths.has(cell.path) && !keptLists.has(listOf(cell))),
  ];
}

/** Reasons why a record is doubtful: missing and uncertain required values, and the rules that it breaks. */
export function problemsOf(
  cells: readonly CellRecord[],
  { fields, rules }: Pick<RecordTypeVersion, 'fields' | 'rules'>,
  broken: ReadonlySet<string>,
): readonly RecordProblem[] {
  const byPath = new Map(cells.map((cell) => [cell.path, cell]));
  const required = pathsOf(fields).filter((field) => field.required);
  const values = required.flatMap(({ path }): RecordProblem[] => {
    const cell = byPath.get(path);
    if (cell === undefined || cell.value === null)
      return [{ code: 'missing', field: path, detail: `The document has no ${path} that could be read.` }];
    if (cell.confidence >= leastConfidence || isChecked(cell)) return [];
    return [{ code: 'unsure', field: path, detail: `The ${path} is uncertain: compare it with the page.` }];
  });
  const lists = Object.entries(fields).flatMap(([name, field]): RecordProblem[] =>
    field.type === 'list' && field.required === true && !cells.some(({ path }) => rowOf(path)?.list === name)
      ? [{ code: 'missing', field: name, detail: `The document has no ${name} that could be read.` }]
      : [],
  );
  const ofRules = rules
    .filter(({ name }) => broken.has(name))
    .map(({ name, message }): RecordProblem => ({ code: 'rule', field: name, detail: message }));
  return [...values, ...lists, ...ofRules];
}

export const statusOf = (problems: readonly RecordProblem[], confirmed: boolean): RecordStatus =>
  confirmed ? 'confirmed' : problems.length > 0 ? 'doubtful' : 'proposed';

export interface Changes {
  readonly set: Readonly<Record<string, CellValue>>;
  /** Rows: `items.2`. */
  readonly remove: readonly string[];
}

type By = Pick<CorrectionRecord, 'by' | 'actorId' | 'at'>;

function refused(pointer: string, message: string): AppError {
  return new AppError('request.invalid', `Field ${pointer}: ${message}.`, {
    errors: [{ pointer, code: 'invalid_value', message }],
  });
}

/** A name as a member of a JSON Pointer. Source: RFC 6901. */
const member = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1');

/** The cell that a correction names, with the type of its field. Rows begin where the list ends: no row is left out. */
function placeOf(cells: readonly CellRecord[], paths: readonly FieldPath[], path: string): FieldPath {
  const field = fieldAt(paths, path);
  if (field === undefined) {
    const known = paths.map((one) => (one.list === null ? one.path : one.path.replace('.', '.<row>.')));
    throw refused(`/set/${member(path)}`, `the record has no such cell; it has ${known.slice(0, 60).join(', ')}`);
  }
  const place = rowOf(path);
  if (place === null) return field;
  const rows = rowsIn(cells, place.list);
  if (place.row > rows || place.row >= recordLimits.rows)
    throw refused(
      `/set/${member(path)}`,
      `${place.list} has ${rows} rows, so ${rows} is the next one; a list has at most ${recordLimits.rows}`,
    );
  return field;
}

/** Removes a row; those after it move up. */
function withoutRow(cells: readonly CellRecord[], list: string, row: number): CellRecord[] {
  return cells.flatMap((cell) => {
    const place = rowOf(cell.path);
    if (place === null || place.list !== list || place.row < row) return [cell];
    return place.row === row ? [] : [{ ...cell, path: `${list}.${place.row - 1}.${place.field}` }];
  });
}

const same = (a: CellValue, b: CellValue): boolean =>
  a === b ||
  (typeof a === 'object' && typeof b === 'object' && a !== null && b !== null
    ? a.amount === b.amount && a.currency === b.currency
    : false);

/**
 * The cells with corrections, and the corrections as history. A corrected cell keeps its place in the document. Error: `request.invalid`
 * for a path that the type does not have, a value of another type, and a row that is not there.
 */
export function correctCells(
  before: readonly CellRecord[],
  fields: RecordTypeVersion['fields'],
  { set, remove }: Changes,
  by: By,
): { readonly cells: readonly CellRecord[]; readonly corrections: readonly CorrectionRecord[] } {
  const paths = pathsOf(fields);
  const corrections: CorrectionRecord[] = [];
  let cells = [...before];
  for (const [path, given] of Object.entries(set)) {
    const field = placeOf(cells, paths, path);
    const at = cells.findIndex((cell) => cell.path === path);
    const cell = cells[at];
    const parsed = parseValue(field, given, cell?.value ?? null);
    if ('problem' in parsed) throw refused(`/set/${member(path)}`, parsed.problem);
    const { value } = parsed;
    if (!same(value, cell?.value ?? null)) corrections.push({ path, before: cell?.value ?? null, after: value, ...by });
    const place = { raw: cell?.raw ?? null, page: cell?.page ?? null, box: cell?.box ?? null };
    const next: CellRecord = {
      ...place,
      path,
      value,
      confidence: 1,
      verified: cell !== undefined && cell.verified && same(value, cell.value),
      by: by.by,
      at: by.at,
      runId: null,
    };
    if (at === -1) cells.push(next);
    else cells[at] = next;
  }
  // From the last row, so that earlier removals do not move later ones.
  const rows = remove.map((path, at) => ({ at, ...rowNamed(cells, path, at) }));
  for (const { list, row } of rows.toSorted((a, b) => b.row - a.row)) {
    for (const { path, value } of cells)
      if (rowOf(path)?.list === list && rowOf(path)?.row === row)
        corrections.push({ path, before: value, after: null, ...by });
    cells = withoutRow(cells, list, row);
  }
  return { cells, corrections };
}

function rowNamed(
  cells: readonly CellRecord[],
  path: string,
  at: number,
): { readonly list: string; readonly row: number } {
  const [, list = '', row = ''] = /^([^.]+)\.(0|[1-9]\d{0,3})$/.exec(path) ?? [];
  if (list === '' || Number(row) >= rowsIn(cells, list))
    throw refused(`/remove/${at}`, 'the record has no such row; name one as items.2');
  return { list, row: Number(row) };
}
