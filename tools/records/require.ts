import { AppError } from '#src/domain/app-error.ts';
import type { RecordRecord } from '#src/domain/records/record.ts';
import type { OfProject, RecordTypeRecord } from '#src/domain/records/record-type.ts';
import type { ToolContext } from '#tools/define.ts';

/** Error: `record_type.not_found`. */
export async function requireType(
  { deps }: Pick<ToolContext<'recordTypes'>, 'deps'>,
  of: OfProject,
  name: string,
): Promise<RecordTypeRecord> {
  const found = await deps.recordTypes.find(of, name);
  if (found !== null) return found;
  const known = (await deps.recordTypes.list(of)).map((one) => one.name).join(', ');
  throw new AppError('record_type.not_found', `The project has no record type "${name}". It has: ${known}.`);
}

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
