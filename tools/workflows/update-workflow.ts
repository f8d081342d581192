import { applyOperations } from '#graphs/edit/apply.ts';
import { diffGraphs } from '#graphs/edit/diff.ts';
import { graphHash } from '#graphs/hash.ts';
import { WorkflowChange, WorkflowEditInput } from '#src/contracts/resources/workflow.ts';
import { defineTool, type ToolContext } from '#tools/define.ts';
import { checkDeclared, presentCheck, type CheckDeps } from '#tools/workflows/check-workflow.ts';
import { requireDraft } from '#tools/workflows/require-workflow.ts';
import { requireBase, saveDraft } from '#tools/workflows/save-draft.ts';

export const updateWorkflow = defineTool({
  name: 'update_workflow',
  description:
    'Edits the draft: all operations in order, or none; declares channels of nodes. Returns errors and warnings of the result. Example: {"workflowId": "wf_1", "baseVersion": 4, "operations": [{"op": "set_config", "nodeId": "recognize", "config": {"language": "deu"}}]}',
  scope: 'workflows:write',
  effect: 'write',
  audit: false,
  idempotent: false,
  input: WorkflowEditInput,
  output: WorkflowChange,
  async run(ctx: ToolContext<CheckDeps | 'announce'>, { workflowId, baseVersion, operations, dryRun, note }) {
    const { workflow, draft } = await requireDraft(ctx, workflowId);
    await requireBase(ctx, draft, baseVersion);
    const edited = applyOperations(draft.graph, operations).graph;
    const declared = await checkDeclared(ctx, edited, { workflowId, operations });
    const graph = declared.graph ?? edited;
    const check = presentCheck(declared.check);
    const saved = dryRun
      ? { revision: draft.revision, graphHash: graphHash(graph) }
      : await saveDraft(
          ctx,
          { workflow, draft },
          { graph, operations: [...operations, ...declared.declarations], note },
        );
    const undo = diffGraphs(graph, draft.graph);
    return { workflowId, revision: saved.revision, graphHash: saved.graphHash, dryRun, undo, ...check };
  },
});
