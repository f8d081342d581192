import { newRuns } from '#src/domain/runs/new-runs.ts';
import type { ExecutionRecord } from '#src/domain/runs/run.ts';
import type { Stores } from '#test/support/database.ts';
import { executionRecord, realtimeEvent, uploadedDocument } from '#test/support/records.ts';

/** Relays an upload, a document without a run, and again an execution that exists; ends a run; then asks for the end of the log. */
export async function askRelay(
  { executions, events }: Pick<Stores, 'events' | 'executions'>,
  existing: ExecutionRecord,
): Promise<void> {
  const { organizationId, projectId } = existing;
  await executions.createAll([{ execution: existing, runs: newRuns(existing) }]);
  const execution = executionRecord({ organizationId, projectId, createdAt: new Date() });
  executions.lookAhead('bulk');
  await executions.foresee([{ execution, runs: newRuns(execution) }]);
  const placed = await executions.inQueue([{ execution, runs: newRuns(execution) }]);
  const documentIds = [...execution.documentIds, 'doc_without_run'];
  await events.appendBy(organizationId, [realtimeEvent(organizationId)], async (rows) => {
    const { left } = await executions.relayUploads({ organizationId, executions: placed, events: rows, documentIds });
    return left !== null;
  });
  const document = uploadedDocument('wf_a', { organizationId, projectId });
  await executions.acceptUploads({ organizationId, documents: [document], executions: [], events: [] });
  await executions.createPlaced(placed);
  const leases = newRuns(execution).map((run) => ({ run, owner: 'owner' }));
  const end = { status: 'succeeded', error: null } as const;
  await executions.finishAll(
    leases.map((lease) => ({ lease, end, now: new Date() })),
    [],
  );
  await executions.claimOfOthers('owner', new Date(), ['org_x']);
  await executions.take('owner', await executions.nextOf('bulk', 2), new Date());
  await events.position(organizationId);
  events.gapWaitMs(organizationId);
}
