import { AllWorkflows, WorkflowsQuery } from '#src/contracts/resources/workflow.ts';
import { decodeCursor, encodeCursor } from '#src/domain/cursor.ts';
import type { WorkflowRecord } from '#src/domain/runs/workflow.ts';
import type { DraftState } from '#src/stores/workflow-drafts.ts';
import { defineTool, type ToolContext } from '#tools/define.ts';

export const listWorkflows = defineTool({
  name: 'list_workflows',
  description: 'Workflows of your projects, drafts included, newest first. Those with a publishedVersion can run.',
  scope: 'workflows:read',
  effect: 'read',
  idempotent: true,
  input: WorkflowsQuery,
  output: AllWorkflows,
  async run({ deps, principal }: ToolContext<'cursorSecret' | 'thumbnails' | 'workflows'>, { limit, cursor, name }) {
    const binding = JSON.stringify([
      'workflows',
      principal.organizationId,
      principal.projectIds,
      ...(name === undefined ? [] : [name]),
    ]);
    const after = cursor === undefined ? null : decodeCursor(deps.cursorSecret, binding, cursor);
    // Reads one more than asked for, to know if there is a next page.
    const found = await deps.workflows.list(principal, after, limit + 1, name);
    const page = found.slice(0, limit);
    const last = page.at(-1);
    const drafts = await deps.workflows.draftStates(
      principal.organizationId,
      page.map(({ _id }) => _id),
    );
    return {
      workflows: page.map((workflow) => ({
        ...presentWorkflow(workflow),
        ...deps.thumbnails.linked(`/workflows/${workflow._id}`),
        draft: presentDraft(workflow, drafts.get(workflow._id)),
      })),
      nextCursor:
        found.length > limit && last !== undefined
          ? encodeCursor(deps.cursorSecret, binding, { createdAt: last.createdAt, id: last._id })
          : null,
    };
  },
});

function presentDraft({ publishedHash }: WorkflowRecord, draft: DraftState | undefined) {
  if (draft === undefined) return null;
  const { revision, graphHash, changedAt } = draft;
  return { revision, changedAt: changedAt.toISOString(), ahead: graphHash !== publishedHash };
}

export function presentWorkflow({
  _id,
  codeName: slug,
  name,
  description,
  source,
  publishedVersion,
  ...rest
}: WorkflowRecord) {
  return {
    workflowId: _id,
    slug,
    name,
    description,
    source,
    publishedVersion,
    toolName: rest.tool?.name ?? null,
    createdAt: rest.createdAt.toISOString(),
    updatedAt: rest.updatedAt.toISOString(),
  };
}
