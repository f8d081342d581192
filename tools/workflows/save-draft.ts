import { graphHash } from '#graphs/hash.ts';
import type { StoredGraph } from '#src/contracts/resources/graph.ts';
import type { Operation } from '#src/contracts/resources/operation.ts';
import { AppError } from '#src/domain/app-error.ts';
import { workflowChanged } from '#src/domain/events/realtime.ts';
import type { Authorship, WorkflowDraftRecord, WorkflowRecord } from '#src/domain/runs/workflow.ts';
import type { ToolContext } from '#tools/define.ts';

/** Limits of the edits in a conflict error, by count and by characters of JSON: a caller further behind must read the draft again. */
const edits = { most: 50, characters: 16_000 };

/** Author, surface, note and time of an edit. */
export function authorOf(ctx: ToolContext<never>, note: string | undefined): Authorship {
  return { author: ctx.principal.actorId, surface: ctx.surface, note: note ?? null, at: new Date() };
}

/** Saves the next revision, and tells those who look at the workflow. Error: `workflow.conflict` after a concurrent save. */
export async function saveDraft(
  ctx: ToolContext<'announce' | 'workflows'>,
  { workflow, draft }: { readonly workflow: WorkflowRecord; readonly draft: WorkflowDraftRecord },
  change: { graph: StoredGraph; operations: readonly Operation[]; note: string | undefined },
): Promise<WorkflowDraftRecord> {
  const revision = draft.revision + 1;
  const next: WorkflowDraftRecord = {
    ...draft,
    revision,
    graph: change.graph,
    graphHash: graphHash(change.graph),
    lastEdit: { ...authorOf(ctx, change.note), revision, operations: change.operations },
  };
  if (!(await ctx.deps.workflows.saveDraft(next))) throw await conflict(ctx, draft, draft.revision);
  tellChange(ctx, workflow, { revision, publishedVersion: workflow.publishedVersion });
  return next;
}

/** Announces a stored change of a workflow, by the caller. */
export function tellChange(
  { deps, principal }: ToolContext<'announce'>,
  workflow: Pick<WorkflowRecord, '_id' | 'organizationId' | 'projectId'>,
  state: {
    readonly revision: number | null;
    readonly publishedVersion: number | null;
    readonly toolsChanged?: true;
    readonly again?: true;
  },
): void {
  deps.announce([workflowChanged(workflow, { ...state, by: principal.actorId }, new Date())]);
}

/** Errors: `workflow.conflict` unless the draft is at the revision that an edit builds on. */
export async function requireBase(
  ctx: ToolContext<'workflows'>,
  draft: WorkflowDraftRecord,
  baseVersion: number,
): Promise<void> {
  if (draft.revision !== baseVersion) throw await conflict(ctx, draft, baseVersion);
}

async function conflict(
  { deps }: ToolContext<'workflows'>,
  { organizationId, _id }: WorkflowDraftRecord,
  baseVersion: number,
): Promise<AppError> {
  // Order matters: all edits up to the draft read first are stored; edits saved after it belong to the next conflict.
  const now = await deps.workflows.findDraft(organizationId, _id);
  const currentRevision = now?.revision ?? baseVersion;
  const found = await deps.workflows.editsSince(organizationId, _id, baseVersion, edits.most);
  const until = found.filter(({ revision }) => revision <= currentRevision);
  const reported = until.map(({ revision, author, note, operations }) => ({ revision, author, note, operations }));
  let characters = 0;
  const operationsSince = reported.filter((edit) => (characters += JSON.stringify(edit).length) <= edits.characters);
  const complete = operationsSince.at(-1)?.revision === currentRevision;
  return new AppError(
    'workflow.conflict',
    `The draft is at revision ${currentRevision}, not ${baseVersion}. Check the edits since then, and repeat yours with baseVersion ${currentRevision}.`,
    {
      errors: [{ pointer: '/baseVersion', code: 'conflict', message: `the draft is at revision ${currentRevision}` }],
      data: { currentRevision, operationsSince, complete },
    },
  );
}
