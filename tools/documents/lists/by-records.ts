import { recordedDocuments, type RecordConditions } from '#src/contracts/lists/document-filter.ts';
import { projectFor } from '#src/domain/access/principal.ts';
import { readFilter } from '#src/domain/records/read-question.ts';
import { pathsOf } from '#src/domain/records/record-type.ts';
import type { ToolContext } from '#tools/define.ts';
import { invalidInput } from '#tools/call.ts';
import { requireType } from '#tools/records/require.ts';

/**
 * Documents with a record that meets the conditions; null without any. `at`: place of the filter in the request. Errors: `request.invalid`,
 * also where more than 10,000 records meet them, `record_type.not_found`, `project.not_found`.
 */
export async function idsByRecords(
  ctx: Pick<ToolContext<'recordTypes' | 'records'>, 'deps' | 'principal'>,
  { recordType, record, projectId }: RecordConditions & { readonly projectId?: string | undefined },
  at = '',
): Promise<readonly string[] | null> {
  if (recordType === undefined) {
    if (record === undefined) return null;
    throw invalidInput([{ pointer: `${at}/recordType`, code: 'required', message: 'name the type of the records' }]);
  }
  const { deps, principal } = ctx;
  const of = { organizationId: principal.organizationId, projectId: projectFor(principal, projectId) };
  const type = await requireType(ctx, of, recordType);
  const question = {
    ...of,
    recordTypeId: type._id,
    terms: readFilter(pathsOf(type.fields), record ?? {}, `${at}/record`),
  };
  const found = await deps.records.documentIds(question, recordedDocuments + 1);
  if (found.length <= recordedDocuments) return [...new Set(found)];
  const message = `more than ${recordedDocuments} records meet the conditions, the maximum: add conditions`;
  throw invalidInput([{ pointer: `${at}/record`, code: 'too_big', message }]);
}
