import type { RealtimeEvent } from '#src/domain/events/events.ts';
import { runCreated } from '#src/domain/events/realtime.ts';
import { derivedId } from '#src/domain/ids.ts';
import { newRuns } from '#src/domain/runs/new-runs.ts';
import type { WakeQueue } from '#src/domain/ports/wake-queue.ts';
import type { RunRecord } from '#src/domain/runs/run.ts';
import type { DocumentStore } from '#src/stores/documents.ts';
import type { ExecutionStore } from '#src/stores/executions.ts';
import type { RunMends } from '#src/stores/runs/run-mends.ts';

export interface MendParts {
  readonly wake: Pick<WakeQueue, 'notify'>;
  readonly announce: (events: readonly RealtimeEvent[]) => void;
  readonly mends: RunMends;
  readonly documents: Pick<DocumentStore, 'find'>;
  readonly executions: Pick<ExecutionStore, 'find' | 'create' | 'selectRuns'>;
}

/** Runs of a project that are repeated in one round. */
const batchSize = 20;

/** Repeats the run in the version that it had. A repetition of this after a crash finds the same execution. */
async function mend(
  { mends, documents, executions, wake, announce }: MendParts,
  run: RunRecord,
  now: Date,
): Promise<boolean> {
  const tenant = { organizationId: run.organizationId, projectIds: [run.projectId] };
  const document = await documents.find(tenant, run.documentId);
  const original = await executions.find(tenant, run.executionId);
  // Deleted, or read again meanwhile: repeating would replace newer results.
  if (original === null || run.retriedBy !== undefined || document?.degraded?.workflowId !== run.workflowId) {
    await mends.settle(run);
    return false;
  }
  const { callbackUrl: _, callbackPending: __, trace: ___, ...same } = original;
  const created = await executions.create(
    {
      ...same,
      _id: derivedId('execution', run._id, 'mend'),
      version: run.version,
      graphHash: run.graphHash,
      documentIds: [run.documentId],
      replayOf: run.executionId,
      mends: (run.mends ?? 0) + 1,
      // Nobody asked for this reading again: corrections since the first run stay.
      baseAt: run.baseAt ?? run.createdAt,
      createdAt: now,
    },
    newRuns,
  );
  await mends.settle(run, created.execution._id);
  await wake.notify();
  announce(created.runs.map(runCreated));
  return true;
}

/** True if the newest successful run of the project is degraded. */
async function isAway({ executions }: MendParts, run: RunRecord | undefined): Promise<boolean> {
  if (run === undefined) return false;
  const tenant = { organizationId: run.organizationId, projectIds: [run.projectId] };
  const [newest] = await executions.selectRuns(tenant, { statuses: ['succeeded'], unretried: false }, null, 1);
  return newest?.degraded !== undefined;
}

/**
 * Repeats degraded runs that are due. While the newest run of a project is degraded too, its model is probably still away: one run asks,
 * and the others keep their repetitions. Source: docs/decisions/0151.
 */
export async function mendRuns(parts: MendParts, now: Date, signal: AbortSignal): Promise<{ mended: number }> {
  let mended = 0;
  for (let project = await parts.mends.projectAfter('', now); project !== null && !signal.aborted;) {
    const due = await parts.mends.due(project, now, batchSize);
    let left = (await isAway(parts, due[0])) ? 1 : batchSize;
    for (const run of due) {
      if (left === 0) break;
      if (!(await mend(parts, run, now))) continue;
      left -= 1;
      mended += 1;
    }
    project = await parts.mends.projectAfter(project, now);
  }
  return { mended };
}
