import type { NodeDeps } from '#graphs/node-deps.ts';
import { AppError } from '#src/domain/app-error.ts';
import type { OfProject, RecordTypeRecord } from '#src/domain/records/record-type.ts';

/** The record type of a project. Error: `record_type.not_found` names those that there are. */
export async function recordTypeOf(
  recordTypes: NodeDeps['recordTypes'],
  of: OfProject,
  name: string,
): Promise<RecordTypeRecord> {
  const found = await recordTypes.find(of, name);
  if (found !== null) return found;
  const known = (await recordTypes.list(of)).map((type) => type.name).join(', ');
  throw new AppError(
    'record_type.not_found',
    `The project has no record type "${name}"; it has ${known}. Use one of them, or save the type.`,
  );
}
