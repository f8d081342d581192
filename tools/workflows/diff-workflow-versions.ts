import { diffGraphs } from '#graphs/edit/diff.ts';
import { WorkflowDiff, WorkflowDiffInput } from '#src/contracts/resources/workflow.ts';
import { defineTool, type ToolContext } from '#tools/define.ts';
import { chooseVersion, requireWorkflow } from '#tools/workflows/require-workflow.ts';

export const diffWorkflowVersions = defineTool({
  name: 'diff_workflow_versions',
  description: 'Edit operations that turn one version of a workflow into another.',
  scope: 'workflows:read',
  effect: 'read',
  idempotent: true,
  expensive: true,
  input: WorkflowDiffInput,
  output: WorkflowDiff,
  async run(ctx: ToolContext<'workflows'>, { workflowId, from, to }) {
    const workflow = await requireWorkflow(ctx, workflowId);
    const before = await chooseVersion(ctx, workflow, from);
    const after = await chooseVersion(ctx, workflow, to);
    return {
      fromHash: before.graphHash,
      toHash: after.graphHash,
      operations: diffGraphs(before.graph, after.graph),
    };
  },
});
