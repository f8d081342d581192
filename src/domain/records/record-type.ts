import { isNested, type RecordField, type ValueType } from '#src/contracts/records/record-type.ts';
import { derivedId } from '#src/domain/ids.ts';

export interface OfProject {
  readonly organizationId: string;
  readonly projectId: string;
}

/** Id of the type with this name in the project. */
export const recordTypeId = ({ projectId }: OfProject, name: string): string =>
  derivedId('recordType', projectId, name);

/** One version of a record type. */
export interface RecordTypeVersion {
  readonly version: number;
  readonly title: string;
  readonly fields: Readonly<Record<string, RecordField>>;
  readonly rules: readonly RecordRule[];
  readonly savedAt: Date;
  readonly savedBy: string;
}

/** A rule over the values, in CEL. Records that break it are doubtful. */
export interface RecordRule {
  readonly name: string;
  readonly expression: string;
  readonly message: string;
}

/** A record type of a project: its newest version, and those before. `_id` derives from project and name. */
export interface RecordTypeRecord extends RecordTypeVersion {
  readonly _id: string;
  readonly organizationId: string;
  readonly projectId: string;
  readonly name: string;
  readonly earlier: readonly RecordTypeVersion[];
}

/** Field with a value, as conditions, columns and cells name it. */
export interface FieldPath {
  /** Path without positions: `items.amount`. */
  readonly path: string;
  readonly type: ValueType;
  readonly list: string | null;
  readonly values: readonly string[] | null;
  readonly required: boolean;
}

type Fields = RecordTypeVersion['fields'];

/** Fields with values, in order: those of objects and lists by path. */
export function pathsOf(fields: Fields): readonly FieldPath[] {
  return Object.entries(fields).flatMap(([name, field]): FieldPath[] => {
    if (!isNested(field))
      return [
        {
          path: name,
          type: field.type,
          list: null,
          values: field.values ?? null,
          required: field.required === true,
        },
      ];
    const list = field.type === 'list' ? name : null;
    return Object.entries(field.fields).map(([inner, { type, values, required }]) => ({
      path: `${name}.${inner}`,
      type,
      list,
      values: values ?? null,
      // A row may lack it; a required list is missing when it has no rows.
      required: list === null && required === true,
    }));
  });
}

/** The field of a cell, whose path may have the position of a row. undefined: the type has no such field. */
export function fieldAt(paths: readonly FieldPath[], cell: string): FieldPath | undefined {
  const place = rowOf(cell);
  const path = place === null ? cell : `${place.list}.${place.field}`;
  return paths.find((one) => one.path === path && (one.list === null) === (place === null));
}

/** The row that a cell is in: `items.2.amount`. null for a cell outside of lists. */
export function rowOf(cell: string): { readonly list: string; readonly row: number; readonly field: string } | null {
  const [, list = '', row = '', field = ''] = /^([^.]+)\.(0|[1-9]\d{0,3})\.([^.]+)$/.exec(cell) ?? [];
  return list === '' ? null : { list, row: Number(row), field };
}

/** Number of rows of a list, by the paths of its cells. */
export const rowsIn = (cells: readonly { readonly path: string }[], list: string): number =>
  cells.reduce((most, { path }) => {
    const place = rowOf(path);
    return place?.list === list ? Math.max(most, place.row + 1) : most;
  }, 0);
