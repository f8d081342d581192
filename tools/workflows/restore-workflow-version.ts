import { diffGraphs } from '#graphs/edit/diff.ts';
import { WorkflowChange, WorkflowRestoreInput } from '#src/contracts/resources/workflow.ts';
import { defineTool, type ToolContext } from '#tools/define.ts';
import { checkWorkflow, presentCheck, type CheckDeps } from '#tools/workflows/check-workflow.ts';
import { chooseVersion, requireDraft } from '#tools/workflows/require-workflow.ts';
import { requireBase, saveDraft } from '#tools/workflows/save-draft.ts';

export const restoreWorkflowVersion = defineTool({
  name: 'restore_workflow_version',
  description: 'Replaces the draft by a version, as one more edit. Publishes nothing.',
  scope: 'workflows:write',
  effect: 'write',
  audit: false,
  idempotent: false,
  input: WorkflowRestoreInput,
  output: WorkflowChange,
  async run(ctx: ToolContext<CheckDeps | 'announce'>, { workflowId, version, baseVersion, note }) {
    const { workflow, draft } = await requireDraft(ctx, workflowId);
    await requireBase(ctx, draft, baseVersion);
    const { graph } = await chooseVersion(ctx, workflow, version);
    const operations = diffGraphs(draft.graph, graph);
    const check = presentCheck(await checkWorkflow(ctx, graph, workflowId));
    const { revision, graphHash } = await saveDraft(ctx, { workflow, draft }, { graph, operations, note });
    const undo = diffGraphs(graph, draft.graph);
    return { workflowId, revision, graphHash, dryRun: false, undo, ...check };
  },
});
