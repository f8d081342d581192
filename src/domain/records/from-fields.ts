import { isNested, recordLimits, type RecordField } from '#src/contracts/records/record-type.ts';
import { foldText } from '#src/domain/embed-locally/fold-text.ts';
import type { RequiredRule } from '#src/domain/extract-locally/required.ts';
import type { FoundField } from '#src/domain/extract-locally/field.ts';
import { absent, composed, rowsOf } from '#src/domain/extract-locally/field.ts';
import type { CellRecord, CellValue } from '#src/domain/records/record.ts';
import { rowsIn, type RecordTypeVersion } from '#src/domain/records/record-type.ts';

type Fields = RecordTypeVersion['fields'];
type Origin = Pick<CellRecord, 'by' | 'at' | 'runId'>;

/** The field as `extract` finds it: an enum is a text, a list is an array of objects. */
function ruleOf(field: RecordField): RequiredRule {
  const { description, aliases } = field;
  const required = field.required === true;
  if (!isNested(field)) {
    if (field.type !== 'enum') return { type: field.type, description, aliases, required };
    const choice = `One of: ${field.values?.join(', ') ?? ''}`;
    return {
      type: 'string',
      description: description === undefined ? choice : `${description}. ${choice}`,
      aliases,
      required,
    };
  }
  const fields = rulesOf(field.fields);
  return field.type === 'object'
    ? { type: 'object', description, aliases, required, fields }
    : { type: 'array', description, aliases, required, items: { type: 'object', fields } };
}

/** Rules with which `extract` finds the fields of a type. */
export function rulesOf(fields: Fields): Readonly<Record<string, RequiredRule>> {
  return Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, ruleOf(field)]));
}

const isCellValue = (value: unknown): value is CellValue =>
  value === null || typeof value !== 'object' || ('amount' in value && 'currency' in value);

/** The listed value that a text means; null where it means none. */
function listed(values: readonly string[], value: CellValue): string | null {
  if (typeof value !== 'string') return null;
  const said = foldText(value);
  return values.find((one) => foldText(one) === said) ?? null;
}

function cellOf(path: string, field: RecordField, found: FoundField, origin: Origin): CellRecord {
  const evidence = Array.isArray(found.evidence)
    ? null
    : (found.evidence as Exclude<FoundField['evidence'], readonly unknown[]>);
  const given = isCellValue(found.value) ? found.value : null;
  const value = field.type === 'enum' && given !== null && !isNested(field) ? listed(field.values ?? [], given) : given;
  return {
    path,
    value: typeof value === 'string' ? value.slice(0, recordLimits.characters).toWellFormed() : value,
    raw: evidence?.text.slice(0, recordLimits.characters).toWellFormed() ?? null,
    confidence: value === null ? 0 : found.confidence,
    verified: value !== null && found.verified,
    page: evidence?.page ?? null,
    box: evidence?.box ?? null,
    ...origin,
  };
}

const cellsOfRow = (start: string, fields: Fields, row: Readonly<Record<string, FoundField>>, origin: Origin) =>
  Object.entries(fields).flatMap(([name, field]) => {
    const found = row[name];
    return found === undefined ? [] : [cellOf(`${start}.${name}`, field, found, origin)];
  });

/** Cells of what `extract` found. Values that were not found have a cell of their own, except in rows of lists. */
export function cellsOf(
  found: Readonly<Record<string, FoundField>>,
  fields: Fields,
  origin: Origin,
): readonly CellRecord[] {
  return Object.entries(fields).flatMap(([name, field]) => {
    const one = found[name];
    if (one === undefined) return [];
    if (field.type === 'list')
      return rowsOf(one)
        .slice(0, recordLimits.rows)
        .flatMap((row, at) => cellsOfRow(`${name}.${at}`, field.fields, row, origin))
        .filter(({ value }) => value !== null);
    if (!isNested(field)) return [cellOf(name, field, one, origin)];
    const { value } = one;
    const inner =
      typeof value === 'object' && value !== null && !isCellValue(value) && !Array.isArray(value) ? value : {};
    return cellsOfRow(name, field.fields, inner as Readonly<Record<string, FoundField>>, origin);
  });
}

const foundIn = (cell: CellRecord | undefined): FoundField =>
  cell === undefined || cell.value === null
    ? absent
    : { value: cell.value, evidence: null, confidence: cell.confidence, verified: cell.verified };

/** Cells in the shape of what `extract` finds, for the nodes behind it. Their evidence stays with the record. */
export function fieldsOf(cells: readonly CellRecord[], fields: Fields): Readonly<Record<string, FoundField>> {
  const byPath = new Map(cells.map((cell) => [cell.path, cell]));
  const within = (start: string, inner: Fields) =>
    Object.fromEntries(Object.keys(inner).map((name) => [name, foundIn(byPath.get(`${start}.${name}`))]));
  return Object.fromEntries(
    Object.entries(fields).map(([name, field]): [string, FoundField] => {
      if (!isNested(field)) return [name, foundIn(byPath.get(name))];
      if (field.type === 'object') return [name, composed(within(name, field.fields))];
      const rows = Array.from({ length: rowsIn(cells, name) }, (_, at) => within(`${name}.${at}`, field.fields));
      return [name, composed(rows)];
    }),
  );
}
