import { Batcher } from '#src/concurrency/batcher.ts';
import { PendingWork } from '#src/concurrency/pending-work.ts';
import type { DocumentRecord } from '#src/domain/documents/document.ts';
import { documentCreated, runCreated } from '#src/domain/events/realtime.ts';
import type { ExecutionRecord } from '#src/domain/runs/run.ts';
import { newRuns } from '#src/domain/runs/new-runs.ts';
import type { RelayParts } from '#app/agents/relay.ts';
import { requestedBy } from '#app/agents/uploads/requested-executions.ts';
import type { ExecutionStore } from '#src/stores/executions.ts';
import type { UploadStore } from '#src/stores/uploads.ts';

/** `forgotten`: the document was deleted meanwhile, and stays so. */
export type Acceptance = 'created' | 'exists' | 'forgotten';

interface Accepted {
  readonly document: DocumentRecord;
  outcome?: Acceptance | { readonly error: unknown };
}

export interface AcceptParts extends Pick<
  RelayParts,
  'documents' | 'executions' | 'events' | 'wake' | 'logger' | 'tracer'
> {
  readonly uploads: Pick<UploadStore, 'find'>;
  /** Relays a document that is stored. */
  readonly push: (document: DocumentRecord) => void;
}

type Stored = Awaited<ReturnType<ExecutionStore['acceptUploads']>>;

/**
 * Stores documents of acknowledged uploads, with everything that the relay would make of them, in one durable command for each organization. A
 * document that is not stored so is stored alone and handed to the relay. Source: `flow.ack`, docs/decisions/0242.
 */
export class UploadAcceptance {
  readonly #parts: AcceptParts;
  readonly #batcher: Batcher<Accepted>;
  readonly #pending = new PendingWork();

  constructor(parts: AcceptParts) {
    this.#parts = parts;
    this.#batcher = new Batcher((all) => this.#accept(all), 100);
  }

  /** Durable on return. `exists`: a document of this id is stored, perhaps with other fields. */
  async accept(document: DocumentRecord): Promise<Acceptance> {
    const one: Accepted = { document };
    await this.#batcher.add(one);
    const { outcome } = one;
    if (outcome === undefined) throw new Error(`document ${document._id} was left out of its batch`);
    if (typeof outcome === 'object') throw outcome.error;
    return outcome;
  }

  async idle(): Promise<void> {
    await this.#batcher.idle();
    await this.#pending.ended();
  }

  async #accept(all: readonly Accepted[]): Promise<void> {
    const groups = Map.groupBy(all, ({ document }) => document.organizationId);
    const accept = async (organizationId: string, group: readonly Accepted[]): Promise<void> => {
      try {
        const documents = group.map(({ document }) => document);
        await requestedBy(documents, this.#parts.tracer, (wanted) => this.#together(organizationId, group, wanted));
      } catch (error) {
        for (const one of group) one.outcome ??= { error };
      }
    };
    await Promise.all([...groups].map(([organizationId, group]) => accept(organizationId, group)));
  }

  /** Documents of one organization. */
  async #together(
    organizationId: string,
    group: readonly Accepted[],
    wanted: readonly ExecutionRecord[],
  ): Promise<void> {
    const { executions, events } = this.#parts;
    const documents = group.map(({ document }) => document);
    const unplaced = wanted.map((execution) => ({ execution, runs: newRuns(execution) }));
    const foreseen = wanted.length === 0 ? { created: [], taking: undefined } : await executions.foresee(unplaced);
    if (foreseen === null) return this.#oneByOne(group);
    const { created, taking } = foreseen;
    const announced = [...documents.map(documentCreated), ...created.flatMap(({ runs }) => runs.map(runCreated))];
    const done: Stored[] = [];
    await events.appendBy(organizationId, announced, async (rows) => {
      const stored = await executions.acceptUploads({
        organizationId,
        documents,
        executions: created,
        taking,
        events: rows,
      });
      done.push(stored);
      return stored.left !== null;
    });
    const { stored = 0, isThere = false, isChecked = false, left = null } = done[0] ?? {};
    const own = group.slice(0, stored);
    for (const one of own) if (isChecked) one.outcome = 'created';
    const existing = group[stored];
    if (isThere && existing !== undefined) existing.outcome = 'exists';
    if (left === null) {
      await Promise.all([...own.map((one) => this.#checked(one)), this.#oneByOne(group.slice(stored))]);
      return;
    }
    this.#finish(left, created.length);
  }

  /** Nobody waits for it: the sweep finds outboxes that are left, and workers look by themselves. */
  #finish(left: readonly string[], runs: number): void {
    const { documents, wake, logger } = this.#parts;
    const failed = (err: unknown): void => logger.warn({ err }, 'an upload could not be announced: the sweep retries');
    if (runs > 0) this.#pending.add(wake.notify({ runs }), failed);
    if (left.length > 0) this.#pending.add(documents.clearPendingEvents(left), failed);
  }

  async #oneByOne(group: readonly Accepted[]): Promise<void> {
    await Promise.all(
      group.map(async (one) => {
        try {
          if (one.outcome !== undefined) return;
          if ((await this.#parts.documents.insert(one.document)) === 'created') await this.#checked(one);
          else one.outcome = 'exists';
        } catch (error) {
          one.outcome = { error };
        }
      }),
    );
  }

  /** Hands a stored document to the relay, unless its deletion began before it was stored. */
  async #checked(one: Accepted): Promise<void> {
    const { documents, uploads, push } = this.#parts;
    const { document } = one;
    const { organizationId, projectId, objectKey, _id } = document;
    // A deletion removes the upload before the document: a missing upload here means that the document was deleted.
    if (one.outcome === 'created' || (await uploads.find(organizationId, objectKey)) !== null) {
      one.outcome = 'created';
      push(document);
      return;
    }
    const deleted = await documents.markDeleted({ organizationId, projectIds: [projectId] }, _id, new Date());
    if (deleted !== null) push(deleted);
    one.outcome = 'forgotten';
  }
}
