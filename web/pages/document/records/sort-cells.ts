import type { RecordRow } from '../../records/cell-value.ts';

/** One list of a record as a table: names of its columns, and paths of its rows. */
export interface RowTable {
  readonly name: string;
  readonly columns: readonly string[];
  readonly rows: readonly string[];
}

/** Cells of a record: single ones, and those that are rows of lists. */
export function sortCells(record: RecordRow): {
  readonly single: readonly string[];
  readonly tables: readonly RowTable[];
} {
  const paths = Object.keys(record.cells);
  const inRow = /^(.+)\.(\d+)\.(.+)$/;
  const tables = new Map<string, { columns: Set<string>; rows: Map<string, number> }>();
  for (const path of paths) {
    const [, name, row, column] = inRow.exec(path) ?? [];
    if (name === undefined || row === undefined || column === undefined) continue;
    const table = tables.get(name) ?? { columns: new Set<string>(), rows: new Map<string, number>() };
    table.columns.add(column);
    table.rows.set(`${name}.${row}`, Number(row));
    tables.set(name, table);
  }
  return {
    single: paths.filter((path) => !inRow.test(path)),
    tables: [...tables].map(([name, { columns, rows }]) => ({
      name,
      columns: [...columns],
      rows: [...rows].toSorted((one, other) => one[1] - other[1]).map(([row]) => row),
    })),
  };
}
