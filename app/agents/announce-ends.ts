import { runCompleted } from '#src/domain/events/realtime.ts';
import type { EventLog } from '#src/stores/event-log.ts';
import type { ExecutionStore } from '#src/stores/executions.ts';

interface Parts {
  readonly executions: Pick<ExecutionStore, 'endedBetween' | 'noteEnds'>;
  readonly events: Pick<EventLog, 'append'>;
}

const everyMs = 20_000;
/** Time before the start from which ends are looked at: a process that was killed is started again within it. */
const beforeMs = 120_000;
/** Age below which the process that ended a run is about to announce it. */
const youngMs = 5_000;
/** Time that is looked at twice, for clocks that differ. */
const twiceMs = 10_000;
const pageSize = 200;

/**
 * Announces ends of runs that nobody announced, and shows them on their documents: a process can die after it stored an end and before it stored its event. The log knows each
 * event by its id, so an end that was announced is not told again. Source: docs/decisions/0129.
 */
export class EndAnnouncer {
  readonly #parts: Parts;
  #since: Date | null = null;
  #last = Number.NEGATIVE_INFINITY;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Looks at the ends since its last look, at most every 20 s. */
  async sweep(now = new Date()): Promise<void> {
    if (now.getTime() - this.#last < everyMs) return;
    const until = new Date(now.getTime() - youngMs);
    for (let from = this.#since ?? new Date(now.getTime() - beforeMs), after = ''; ;) {
      const runs = await this.#parts.executions.endedBetween({ from, after, until }, pageSize);
      await this.#parts.executions.noteEnds(runs);
      await this.#parts.events.append(
        runs.flatMap((run) => (run.finishedAt === null ? [] : runCompleted(run, run.status, run.finishedAt))),
      );
      const end = runs.at(-1);
      if (runs.length < pageSize || end === undefined || end.finishedAt === null) break;
      [from, after] = [end.finishedAt, end._id];
    }
    this.#since = new Date(until.getTime() - twiceMs);
    this.#last = now.getTime();
  }
}
