import { AnyId } from '#src/contracts/fields.ts';
import { QueueBody, QueuedRun, QueuedRuns, QueueManyBody } from '#src/contracts/resources/document.ts';
import { newId } from '#src/domain/ids.ts';
import type { ExecutionRecord } from '#src/domain/runs/run.ts';
import type { CheckDeps } from '#tools/workflows/check-workflow.ts';
import { defineTool, type ToolContext } from '#tools/define.ts';
import { chooseDocuments, goOn } from '#tools/documents/lists/choose-documents.ts';
import { documentMissing } from '#tools/documents/require-document.ts';
import { chosenDraft } from '#tools/runs/drafts/chosen-draft.ts';
import { chosenVersion } from '#tools/runs/chosen-version.ts';
import { startedBy, startExecutions } from '#tools/runs/start-execution.ts';
import type { CreatedExecution } from '#src/stores/runs/created-execution.ts';

type QueueContext = ToolContext<CheckDeps | 'announce' | 'documents' | 'executions' | 'wake'>;
type ManyContext = QueueContext & ToolContext<'cursorSecret' | 'recordTypes' | 'records'>;

interface Asked {
  readonly documentIds: readonly string[];
  readonly workflowId: string;
  readonly version?: number | 'draft' | undefined;
  readonly revision?: number | undefined;
  /** true: documents that were deleted since they were found are left out. */
  readonly skipMissing?: boolean;
}

/**
 * Queues one execution for each project of the documents, because an execution uses the secrets of its project. Queues none if the
 * workflow or a document is missing.
 */
async function queue(
  ctx: QueueContext,
  { documentIds, workflowId, version, revision, skipMissing = false }: Asked,
): Promise<{ readonly workflowName: string; readonly created: readonly CreatedExecution[] }> {
  const choosing =
    version === 'draft' ? chosenDraft(ctx, workflowId, revision) : chosenVersion(ctx, workflowId, version ?? null);
  // Awaited below, so that a missing document is always the first error, whichever read is faster.
  choosing.catch(() => undefined);
  const projects = await ctx.deps.documents.projectsOf(ctx.principal, documentIds);
  if (!skipMissing && projects.size !== documentIds.length) throw documentMissing();
  const chosen = await choosing;
  const ofProject = Map.groupBy(
    documentIds.filter((id) => projects.has(id)),
    (id) => projects.get(id) ?? '',
  );
  const createdAt = new Date();
  const wanted = [...ofProject].map(([projectId, ids]): ExecutionRecord => ({
    _id: newId('execution', createdAt),
    schemaVersion: 1,
    organizationId: ctx.principal.organizationId,
    projectId,
    workflowId,
    ...chosen,
    ...startedBy(ctx),
    documentIds: ids,
    initialState: null,
    createdAt,
  }));
  const created = wanted.length === 0 ? [] : await startExecutions(ctx, wanted);
  return { workflowName: chosen.workflowName ?? '', created };
}

export const queueWorkflow = defineTool({
  name: 'queue_workflow',
  description: 'Queue a workflow of the organization on one document. Each call starts a new run.',
  scope: 'runs:execute',
  effect: 'write',
  audit: false,
  idempotent: false,
  expensive: true,
  input: QueueBody.safeExtend({ documentId: AnyId }),
  output: QueuedRun,
  async run(ctx: QueueContext, { documentId, ...asked }) {
    const { workflowId } = asked;
    const { workflowName, created } = await queue(ctx, { documentIds: [documentId], ...asked });
    const [queued] = created;
    const run = queued?.runs[0];
    if (queued === undefined || run === undefined) throw new Error('an execution without a run');
    const ids = { documentId, workflowId, executionId: queued.execution._id, runId: run._id };
    return { status: 'queued' as const, ...ids, workflowName };
  },
});

export const queueWorkflowOnMany = defineTool({
  name: 'queue_workflow_on_many',
  description:
    'Queue a workflow of the organization on documents of any of its projects, or on those that match a filter.',
  scope: 'runs:execute',
  effect: 'write',
  audit: false,
  idempotent: false,
  expensive: true,
  input: QueueManyBody,
  output: QueuedRuns,
  async run(ctx: ManyContext, { documentIds, filter, limit, cursor, ...asked }) {
    const chosen = await chooseDocuments(ctx, `run ${asked.workflowId}`, { documentIds, filter, limit, cursor });
    const skipMissing = filter !== undefined;
    const { workflowName, created } = await queue(ctx, { ...asked, documentIds: chosen.ids, skipMissing });
    return {
      status: 'queued' as const,
      workflowId: asked.workflowId,
      workflowName,
      executions: created.map(({ execution }) => ({
        executionId: execution._id,
        projectId: execution.projectId,
        documentIds: [...execution.documentIds],
      })),
      ...goOn(chosen),
    };
  },
});
