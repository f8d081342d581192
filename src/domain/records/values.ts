import { isNested } from '#src/contracts/records/record-type.ts';
import type { CellRecord, CellValue } from '#src/domain/records/record.ts';
import { rowsIn, type RecordTypeVersion } from '#src/domain/records/record-type.ts';

type Row = Record<string, CellValue>;
export type RecordValues = Readonly<Record<string, CellValue | Row | readonly Row[]>>;

/** Values by field: objects and lists nested, null where the record has none. Every field of the type is there. */
export function valuesOf(cells: readonly CellRecord[], fields: RecordTypeVersion['fields']): RecordValues {
  const byPath = new Map(cells.map(({ path, value }) => [path, value]));
  return Object.fromEntries(
    Object.entries(fields).map(([name, field]): [string, RecordValues[string]] => {
      if (!isNested(field)) return [name, byPath.get(name) ?? null];
      const row = (start: string): Row =>
        Object.fromEntries(Object.keys(field.fields).map((inner) => [inner, byPath.get(`${start}.${inner}`) ?? null]));
      if (field.type === 'object') return [name, row(name)];
      return [name, Array.from({ length: rowsIn(cells, name) }, (_, at) => row(`${name}.${at}`))];
    }),
  );
}
