import { derivedId } from '#src/domain/ids.ts';
import { countRuns, executionStatus, terminalStatuses, type ExecutionRecord } from '#src/domain/runs/run.ts';
import type { DeliveryStore } from '#src/stores/deliveries.ts';
import type { ListPosition } from '#src/domain/cursor.ts';
import type { ExecutionStore } from '#src/stores/executions.ts';

export interface CallbackParts {
  readonly executions: ExecutionStore;
  readonly deliveries: Pick<DeliveryStore, 'add'>;
  /** Notifies the sender that a delivery is due. */
  pushed(): void;
}

const pageSize = 100;

/**
 * Puts the webhook of an execution into the outbox when its last run has ended, once: the webhook's id derives from the execution's. The
 * results are stored before. Source: docs/decisions/0010.
 */
export class Callbacks {
  readonly #parts: CallbackParts;

  constructor(parts: CallbackParts) {
    this.#parts = parts;
  }

  async runEnded(place: { organizationId: string; projectId: string; executionId: string }): Promise<void> {
    const { organizationId, projectId, executionId } = place;
    const execution = await this.#parts.executions.find({ organizationId, projectIds: [projectId] }, executionId);
    if (execution?.callbackPending === true) await this.#enqueue(execution);
  }

  /** Sends callbacks that a crash left behind. */
  async sweep(): Promise<void> {
    let after: ListPosition | null = null;
    for (;;) {
      const page: readonly ExecutionRecord[] = await this.#parts.executions.withPendingCallback(after, pageSize);
      for (const execution of page) await this.#enqueue(execution);
      const last = page.at(-1);
      if (last === undefined || page.length < pageSize) return;
      after = { createdAt: last.createdAt, id: last._id };
    }
  }

  async #enqueue(execution: ExecutionRecord): Promise<void> {
    const { _id, organizationId, projectId, callbackUrl: url, documentIds } = execution;
    const { executions, deliveries } = this.#parts;
    const runs = await executions.runsOf(organizationId, _id);
    const { total, timed_out: timedOut, ...counts } = countRuns(runs);
    const status = executionStatus({ total, timed_out: timedOut, ...counts });
    if (url === undefined || total < documentIds.length || !terminalStatuses.has(status)) return;
    const { workflowId, workflowName, version, graphHash, trace } = execution;
    const type = 'execution.completed';
    const timestamp = new Date().toISOString();
    const data = { executionId: _id, workflowId, workflowName, version, graphHash, status };
    await deliveries.add({
      _id: derivedId('delivery', _id, type),
      organizationId,
      projectId,
      url,
      type,
      payload: JSON.stringify({ type, timestamp, data: { ...data, counts: { total, ...counts, timedOut } } }),
      createdAt: new Date(),
      attempts: 0,
      dueAt: new Date(),
      status: 'pending',
      lastError: null,
      ...(trace !== undefined && { trace }),
    });
    await executions.callbackQueued(organizationId, _id);
    this.#parts.pushed();
  }
}
