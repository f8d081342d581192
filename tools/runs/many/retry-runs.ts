import { RetriedRuns, RetryRunsInput } from '#src/contracts/resources/execution.ts';
import { AppError } from '#src/domain/app-error.ts';
import { derivedId } from '#src/domain/ids.ts';
import type { RunRecord } from '#src/domain/runs/run.ts';
import { record } from '#tools/audit/record.ts';
import { defineTool, type ToolContext } from '#tools/define.ts';
import { documentMissing } from '#tools/documents/require-document.ts';
import { chosenVersion } from '#tools/runs/chosen-version.ts';
import { requireExecution } from '#tools/runs/require-run.ts';
import { selectRuns } from '#tools/runs/many/select-runs.ts';
import { startedBy, startExecution } from '#tools/runs/start-execution.ts';

type Context = ToolContext<'announce' | 'documents' | 'executions' | 'wake' | 'workflows' | 'thumbnails'>;

/** Executions that are retried at the same time. */
const atOnce = 8;

interface Retry {
  readonly executionId: string;
  readonly count: number;
}

/**
 * Starts one execution for runs of one execution, and marks them as retried. Its id counts the earlier retries: two calls at once, or a
 * call after a crash, start the same execution. null: another call retried them meanwhile.
 */
async function retry(ctx: Context, executionId: string, selected: readonly RunRecord[]): Promise<Retry | null> {
  const { deps, principal } = ctx;
  const original = await requireExecution(ctx, executionId);
  const all = await deps.executions.runsOf(original.organizationId, executionId);
  const earlier = new Set(all.flatMap(({ retriedBy }) => retriedBy ?? []));
  const retried = new Set(all.flatMap(({ _id, retriedBy }) => (retriedBy === undefined ? [] : [_id])));
  const runs = selected.filter(({ _id }) => !retried.has(_id));
  if (runs.length === 0) return null;
  const documentIds = runs.map((run) => run.documentId);
  const version = original.version ?? runs.find((run) => run.version !== null)?.version ?? null;
  const chosen = await chosenVersion(ctx, original.workflowId, version);
  if ((await deps.documents.countReadable(principal, documentIds)) !== documentIds.length) throw documentMissing();
  const execution = await startExecution(ctx, {
    _id: derivedId('execution', executionId, 'retry', String(earlier.size)),
    schemaVersion: 1,
    organizationId: principal.organizationId,
    projectId: original.projectId,
    workflowId: original.workflowId,
    ...chosen,
    ...startedBy(ctx),
    documentIds,
    initialState: original.initialState,
    replayOf: executionId,
    createdAt: new Date(),
  });
  const started = execution.runs.map((run) => run.documentId);
  await deps.executions.markRetried(original.organizationId, executionId, started, execution.id);
  return { executionId: execution.id, count: runs.length };
}

export const retryRuns = defineTool({
  name: 'retry_runs',
  description:
    'Run failed runs of your projects again that match a filter: workflow, execution, status, creation time. Starts one execution for each execution they belong to, in the same version; runs that were retried before are left out. While nextCursor is not null, call again with it.',
  scope: 'runs:execute',
  effect: 'write',
  idempotent: true,
  expensive: true,
  input: RetryRunsInput,
  output: RetriedRuns,
  async run(
    ctx: ToolContext<
      'announce' | 'audit' | 'cursorSecret' | 'documents' | 'executions' | 'wake' | 'workflows' | 'thumbnails'
    >,
    input,
  ) {
    const { runs, nextCursor } = await selectRuns(ctx, 'retry', input);
    const groups = [...Map.groupBy(runs, (run) => run.executionId)];
    const executionIds: string[] = [];
    let retried = 0;
    let skipped = 0;
    const work = async ([executionId, of]: readonly [string, readonly RunRecord[]]): Promise<void> => {
      try {
        const done = await retry(ctx, executionId, of);
        if (done === null) return;
        executionIds.push(done.executionId);
        retried += done.count;
      } catch (error) {
        // Its workflow or a document is gone: the other runs are retried.
        if (!(error instanceof AppError)) throw error;
        skipped += of.length;
      }
    };
    while (groups.length > 0) await Promise.all(groups.splice(0, atOnce).map(work));
    if (retried > 0) {
      const { cursor: _, limit: __, ...filter } = input;
      const { organizationId } = ctx.principal;
      await record(ctx, 'runs.retry', organizationId, { runs: retried, filter, surface: ctx.surface });
    }
    return { retried, skipped, executionIds, nextCursor };
  },
});
