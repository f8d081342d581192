import { recordTypeOf } from '#graphs/records/record-type-of.ts';
import { AppError } from '#src/domain/app-error.ts';
import type { RecordRecord } from '#src/domain/records/record.ts';
import type { OfProject, RecordTypeRecord } from '#src/domain/records/record-type.ts';
import type { ToolContext } from '#tools/define.ts';

/** Error: `record_type.not_found`. */
export const requireType = (
  { deps }: Pick<ToolContext<'recordTypes'>, 'deps'>,
  of: OfProject,
  name: string,
): Promise<RecordTypeRecord> => recordTypeOf(deps.recordTypes, of, name);

/** Error: `record.not_found`. */
export async function requireRecord(
  { deps, principal }: Pick<ToolContext<'records'>, 'deps' | 'principal'>,
  id: string,
): Promise<RecordRecord> {
  const found = await deps.records.find(principal, id);
  if (found !== null) return found;
  throw new AppError(
    'record.not_found',
    'This credential can read no record with this id. Take an id from a query of records.',
  );
}
