import { RecordTypeList, RecordTypeListQuery } from '#src/contracts/records/record-type.ts';
import { projectFor } from '#src/domain/access/principal.ts';
import { defineTool, type ToolContext } from '#tools/define.ts';
import { presentType } from '#tools/records/present.ts';

export const listRecordTypes = defineTool({
  name: 'list_record_types',
  description: 'Record types of a project with their fields and rules.',
  scope: 'documents:read',
  effect: 'read',
  idempotent: true,
  input: RecordTypeListQuery,
  output: RecordTypeList,
  async run({ deps, principal }: ToolContext<'recordTypes'>, asked) {
    const projectId = projectFor(principal, asked.projectId);
    const types = await deps.recordTypes.list({ organizationId: principal.organizationId, projectId });
    return { recordTypes: types.map(presentType) };
  },
});
