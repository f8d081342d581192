import { Batcher } from '#src/concurrency/batcher.ts';
import type { DocumentRecord } from '#src/domain/documents/document.ts';
import { newRuns } from '#src/domain/runs/new-runs.ts';
import { requestedBy } from '#app/agents/uploads/requested-executions.ts';
import type { Tracer } from '#src/domain/ports/tracer.ts';
import type { Logger } from '#src/domain/ports/logger.ts';
import type { WakeQueue } from '#src/domain/ports/wake-queue.ts';
import { documentCreated, runCreated } from '#src/domain/events/realtime.ts';
import type { ExecutionRecord } from '#src/domain/runs/run.ts';
import type { DocumentStore } from '#src/stores/documents.ts';
import type { EventLog } from '#src/stores/event-log.ts';
import type { CreatedExecution } from '#src/stores/runs/created-execution.ts';
import type { ExecutionStore } from '#src/stores/executions.ts';

export interface RelayParts {
  readonly documents: DocumentStore;
  readonly executions: ExecutionStore;
  readonly events: EventLog;
  readonly wake: WakeQueue;
  readonly logger: Logger;
  /** Default: nothing is traced. */
  readonly tracer?: Tracer;
  /** Removes all records of a document that is marked as deleted. Returns the derived documents that were marked with it. */
  readonly forget: (document: DocumentRecord) => Promise<readonly DocumentRecord[]>;
  /** Completes a move of a document into or out of the trash. */
  readonly settleTrash: (document: DocumentRecord) => Promise<void>;
  /** Default: the system clock. */
  now?(): Date;
}

/** Delay before a failed deletion is retried, so that other pending entries go first. */
const forgetAgainMs = 30_000;

/**
 * Empties the outboxes inside documents: creates executions under their deterministic ids, announces them on the realtime log, then
 * removes the entries. After a crash, repeating it changes nothing. Source: docs/decisions/0013.
 */
export class Relay {
  readonly #parts: RelayParts;
  readonly #batcher: Batcher<DocumentRecord>;
  /** Deletions run beside the other entries: they may take longer than an upload should wait for its run. */
  readonly #deletions: Batcher<DocumentRecord>;

  readonly #moves: Batcher<DocumentRecord>;

  constructor(parts: RelayParts) {
    this.#parts = parts;
    this.#batcher = new Batcher((documents) => this.#relay(documents), 100);
    this.#deletions = new Batcher(async (documents) => {
      await Promise.all(documents.map((document) => this.#forget(document)));
    }, 8);
    this.#moves = new Batcher(async (documents) => {
      await Promise.all(documents.map((document) => this.#parts.settleTrash(document)));
    }, 8);
  }

  /** Relays a document that was just written. A failure is logged and left to the sweep. */
  push(document: DocumentRecord): void {
    this.#add(document).catch((error: unknown) => {
      this.#parts.logger.warn(
        { err: error, documentId: document._id },
        'outbox entry could not be relayed: the sweep retries',
      );
    });
  }

  /** Relays entries that a crash left behind. */
  async sweep(): Promise<void> {
    const left = await this.#parts.documents.withPendingEvents(100, this.#now());
    await Promise.all(left.map((document) => this.#add(document)));
  }

  async idle(): Promise<void> {
    await this.#batcher.idle();
    await this.#deletions.idle();
    await this.#moves.idle();
  }

  #now(): Date {
    return this.#parts.now?.() ?? new Date();
  }

  /** A deletion makes all other entries of the document pointless. */
  async #add(document: DocumentRecord): Promise<void> {
    if (document.deletedAt !== undefined && document.trash === undefined) return this.#deletions.add(document);
    const moves = document.pendingEvents.some(({ name }) => name === 'document/trash');
    // After them: a run that an upload starts in the trash finds no document.
    if (document.pendingEvents.some(({ name }) => name !== 'document/trash')) await this.#batcher.add(document);
    if (moves) await this.#moves.add(document);
  }

  /** Never rejects: the entry stays until everything is removed. */
  async #forget(document: DocumentRecord): Promise<void> {
    const { documents, forget, logger } = this.#parts;
    const { _id: documentId, organizationId } = document;
    try {
      for (const derived of await forget(document)) this.push(derived);
    } catch (error) {
      logger.warn({ err: error, documentId }, 'document could not be deleted completely: the sweep retries');
      const again = new Date(this.#now().getTime() + forgetAgainMs);
      await documents.postponeRemoval(organizationId, documentId, again).catch((failure: unknown) => {
        logger.warn({ err: failure, documentId }, 'retry of a deletion could not be scheduled');
      });
    }
  }

  #relay(documents: readonly DocumentRecord[]): Promise<void> {
    return requestedBy(documents, this.#parts.tracer, (wanted) => this.#write(documents, wanted));
  }

  /** Makes executions, runs and events, and empties the outboxes: in one command for each organization, if nothing of it is there yet. */
  async #write(documents: readonly DocumentRecord[], wanted: readonly ExecutionRecord[]): Promise<void> {
    const created = wanted.map((execution) => ({ execution, runs: newRuns(execution) }));
    const byOrganization = Map.groupBy(documents, ({ organizationId }) => organizationId);
    await Promise.all(
      [...byOrganization].map(([organizationId, own]) =>
        this.#writeOf(
          organizationId,
          own,
          created.filter(({ execution }) => execution.organizationId === organizationId),
        ),
      ),
    );
  }

  async #writeOf(
    organizationId: string,
    own: readonly DocumentRecord[],
    wanted: readonly CreatedExecution[],
  ): Promise<void> {
    const { documents, executions, events, wake } = this.#parts;
    const documentIds = own.map((document) => document._id);
    const { created: foreseen, taking } = (await executions.foresee(wanted)) ?? {};
    let placed = foreseen ?? (await executions.inQueue(wanted));
    const announced = [...own.map(documentCreated), ...placed.flatMap(({ runs }) => runs.map(runCreated))];
    const given = { organizationId, executions: placed, taking, documentIds };
    const done: Awaited<ReturnType<ExecutionStore['relayUploads']>>[] = [];
    const isAnnounced = await events.appendBy(organizationId, announced, async (rows) => {
      const outcome = await executions.relayUploads({ ...given, events: rows });
      done.push(outcome);
      return outcome.left !== null;
    });
    const { created = false, left = null, isLate = false } = done[0] ?? {};
    if (isLate) placed = await executions.inQueue(wanted);
    // An earlier attempt made a part of it, or another process was faster with the next number of the log.
    if (!created) await executions.createPlaced(placed);
    if (placed.length > 0) await wake.notify({ runs: placed.reduce((sum, { runs }) => sum + runs.length, 0) });
    if (!isAnnounced) await events.append(announced);
    const full = left ?? documentIds;
    if (full.length > 0) await documents.clearPendingEvents(full);
  }
}
