import { WorkflowVersions, WorkflowVersionsInput } from '#src/contracts/resources/workflow.ts';
import { decodeCursor, encodeCursor } from '#src/domain/cursor.ts';
import type { Authorship } from '#src/domain/runs/workflow.ts';
import { defineTool, type ToolContext } from '#tools/define.ts';
import { requireWorkflow } from '#tools/workflows/require-workflow.ts';

export const listWorkflowVersions = defineTool({
  name: 'list_workflow_versions',
  description: 'Published versions of a workflow, newest first, and its draft.',
  scope: 'workflows:read',
  effect: 'read',
  idempotent: true,
  input: WorkflowVersionsInput,
  output: WorkflowVersions,
  async run(ctx: ToolContext<'cursorSecret' | 'workflows'>, { workflowId, limit, cursor }) {
    const { deps } = ctx;
    const { organizationId, publishedVersion } = await requireWorkflow(ctx, workflowId);
    const binding = JSON.stringify(['versions', organizationId, workflowId]);
    const before = cursor === undefined ? null : Number(decodeCursor(deps.cursorSecret, binding, cursor).id);
    const found = await deps.workflows.listVersions(organizationId, workflowId, before, limit + 1);
    const page = found.slice(0, limit);
    const last = page.at(-1);
    const draft = await deps.workflows.findDraft(organizationId, workflowId);
    return {
      versions: page.map((one) => ({
        version: one.version,
        graphHash: one.graphHash,
        fromRevision: one.fromRevision,
        ...presentAuthor(one),
        ...(one.evidence === undefined ? {} : { evidence: { ...one.evidence } }),
      })),
      publishedVersion,
      draft:
        draft === null
          ? null
          : { revision: draft.revision, graphHash: draft.graphHash, ...presentAuthor(draft.lastEdit) },
      nextCursor:
        found.length > limit && last !== undefined
          ? encodeCursor(deps.cursorSecret, binding, { createdAt: last.at, id: String(last.version) })
          : null,
    };
  },
});

function presentAuthor({ author, surface, note, at }: Authorship) {
  return { author, surface, note, at: at.toISOString() };
}
