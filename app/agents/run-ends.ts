import { Batcher } from '#src/concurrency/batcher.ts';
import type { RealtimeEvent } from '#src/domain/events/events.ts';
import type { EventLog } from '#src/stores/event-log.ts';
import type { ExecutionStore } from '#src/stores/executions.ts';
import type { EventBucketRow } from '#src/stores/collections.ts';
import type { EndedRun, EndsOutcome } from '#src/stores/runs/run-ends.ts';

interface Parts {
  readonly executions: Pick<ExecutionStore, 'finish' | 'finishAll'>;
  readonly events: Pick<EventLog, 'appendBy'>;
  /** Stores events of runs that have ended. Nobody waits for it. */
  readonly announce: (events: readonly RealtimeEvent[]) => void;
}

interface Ending extends EndedRun {
  readonly events: readonly RealtimeEvent[];
  /** undefined until it is decided. */
  outcome?: { readonly mine: boolean } | { readonly error: unknown };
}

/** Limit of runs in one command: each has its steps and outputs with it. */
const mostAtOnce = 20;

/**
 * Ends runs together with their events. Ends that arrive during a write share the next one, one command for each organization. A run whose
 * lease is lost keeps the others from nothing. Source: docs/decisions/0233.
 */
export class RunEnds {
  readonly #parts: Parts;
  readonly #batcher = new Batcher<Ending>((endings) => this.#end(endings), mostAtOnce);

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Ends the run, durably. False when the lease is lost: then its events are not stored. */
  async finish(ended: EndedRun, events: readonly RealtimeEvent[]): Promise<boolean> {
    const ending: Ending = { ...ended, events };
    await this.#batcher.add(ending);
    const { outcome } = ending;
    if (outcome !== undefined && 'error' in outcome) throw outcome.error;
    return outcome?.mine === true;
  }

  async #end(endings: readonly Ending[]): Promise<void> {
    const byOrganization = Map.groupBy(endings, ({ lease }) => lease.run.organizationId);
    await Promise.all([...byOrganization].map(([organizationId, own]) => this.#endOf(organizationId, own)));
  }

  async #endOf(organizationId: string, endings: readonly Ending[]): Promise<void> {
    let left = endings;
    try {
      while (left.length > 0) {
        const { finished, isLost, isAnnounced } = await this.#write(organizationId, left);
        const done = left.slice(0, finished);
        for (const ending of done) ending.outcome = { mine: true };
        if (!isAnnounced) this.#parts.announce(done.flatMap(({ events }) => events));
        const [lost] = isLost ? left.slice(finished) : [];
        if (lost !== undefined) lost.outcome = { mine: false };
        left = left.slice(finished + (isLost ? 1 : 0));
      }
    } catch {
      // An error of one of them: each gets its own.
      await Promise.all(left.map((ending) => this.#endAlone(ending)));
    }
  }

  async #write(organizationId: string, endings: readonly Ending[]): Promise<EndsOutcome> {
    const { executions, events } = this.#parts;
    const told = endings.flatMap((ending) => ending.events);
    if (told.length === 0) return executions.finishAll(endings, []);
    const outcomes: EndsOutcome[] = [];
    const write = async (rows: readonly EventBucketRow[]): Promise<boolean> => {
      const outcome = await executions.finishAll(endings, rows);
      outcomes.push(outcome);
      return outcome.isAnnounced;
    };
    const isAnnounced = await events.appendBy(organizationId, told, write).catch((error: unknown) => {
      // The runs have ended, whatever listeners made of it.
      if (outcomes.length === 0) throw error;
      return outcomes[0]?.isAnnounced === true;
    });
    return { finished: 0, isLost: false, ...outcomes[0], isAnnounced };
  }

  async #endAlone(ending: Ending): Promise<void> {
    const { lease, end, now, events } = ending;
    try {
      const mine = await this.#parts.executions.finish(lease, end, now);
      ending.outcome = { mine };
      if (mine) this.#parts.announce(events);
    } catch (error) {
      ending.outcome = { error };
    }
  }
}
