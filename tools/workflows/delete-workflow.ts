import { DeletedWorkflow, WorkflowPath } from '#src/contracts/resources/workflow.ts';
import { AppError } from '#src/domain/app-error.ts';
import { record } from '#tools/audit/record.ts';
import { defineTool, type ToolContext } from '#tools/define.ts';
import { requireWorkflow } from '#tools/workflows/require-workflow.ts';
import { tellChange } from '#tools/workflows/save-draft.ts';

/** Limit of keys that the error names. */
const keysTold = 20;

export const deleteWorkflow = defineTool({
  name: 'delete_workflow',
  description: 'Deletes a workflow with all versions, permanently. Fails while API keys are bound to it.',
  scope: 'workflows:write',
  effect: 'destroy',
  idempotent: false,
  input: WorkflowPath,
  output: DeletedWorkflow,
  async run(ctx: ToolContext<'announce' | 'apiKeys' | 'audit' | 'workflows'>, { workflowId }) {
    const { deps, principal, surface } = ctx;
    const workflow = await requireWorkflow(ctx, workflowId);
    const { organizationId, name, publishedVersion } = workflow;
    const bound = await deps.apiKeys.listBound(organizationId, workflowId, keysTold);
    if (bound.length > 0) {
      const keys = bound.map((key) => ({ keyId: key._id, name: key.name }));
      const named = keys.map((key) => `${key.keyId} (${key.name})`).join(', ');
      throw new AppError('workflow.bound', `API keys are bound to this workflow: ${named}. Revoke them first.`, {
        data: { keys },
      });
    }
    await deps.workflows.delete(principal, workflowId);
    const toolsChanged = workflow.tool === undefined ? {} : { toolsChanged: true as const };
    tellChange(ctx, workflow, { revision: null, publishedVersion, ...toolsChanged });
    await record(ctx, 'workflow.delete', workflowId, { name, publishedVersion, surface });
    return { workflowId, deleted: true as const };
  },
});
