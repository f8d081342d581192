import { recordChanged, runCompleted, runCreated, runWaiting } from '#src/domain/events/realtime.ts';
import type { RecordRecord } from '#src/domain/records/record.ts';
import type { RunRecord } from '#src/domain/runs/run.ts';
import { lastEventsOf, type LastEventsParts } from '#app/agents/announce/last-events.ts';
import { peopleChanges, type PeopleChangesParts } from '#app/agents/announce/people-changes.ts';
import { lookAt, type Look, type Source, type Tell } from '#app/agents/announce/source.ts';
import type { EventLog } from '#src/stores/event-log.ts';
import type { ExecutionStore } from '#src/stores/executions.ts';
import type { RecordStore } from '#src/stores/records/record-store.ts';

interface Parts extends LastEventsParts, Omit<PeopleChangesParts, 'tell'> {
  readonly executions: Pick<ExecutionStore, 'endedBetween' | 'waitingBetween' | 'noteEnds' | 'findRun'>;
  readonly records: Pick<RecordStore, 'changedBetween'>;
  readonly events: Pick<EventLog, 'append' | 'lacking'>;
}

const everyMs = 20_000;
/** Time before the start from which changes are looked at: a process that was killed is started again within it. */
const beforeMs = 120_000;
/** Age below which the process that stored a change is about to announce it. */
const youngMs = 5_000;
/** Time that is looked at twice, for clocks that differ. */
const twiceMs = 10_000;

/** Ended runs: their ends, and what their last steps would have told with them. */
const endsOf = ({ executions, events, ...parts }: Parts): Source<RunRecord> => ({
  read: (window, limit) => executions.endedBetween(window, limit),
  at: ({ finishedAt, createdAt }) => finishedAt ?? createdAt,
  async tell(runs) {
    await executions.noteEnds(runs);
    const ends = runs.flatMap((run) => {
      const { finishedAt: at } = run;
      return at === null ? [] : [{ run, created: runCreated(run), end: runCompleted(run, run.status, at) }];
    });
    const lacking = await events.lacking(ends.flatMap(({ created, end }) => [created, end]));
    for (const { run, created, end } of ends) {
      // The log may have forgotten that an older run was created.
      const isNew = end.at.getTime() - created.at.getTime() < beforeMs;
      const first = lacking.has(created) && isNew ? [created] : [];
      const last = lacking.has(end) ? [...(await lastEventsOf(run, { executions, ...parts })), end] : [];
      if (first.length + last.length > 0) await events.append([...first, ...last]);
    }
  },
});

const waitsOf = ({ executions }: Parts, tell: Tell): Source<RunRecord> => ({
  read: (window, limit) => executions.waitingBetween(window, limit),
  at: ({ waitingAt, createdAt }) => waitingAt ?? createdAt,
  tell: (runs) => tell(runs.map((run) => runWaiting(run, run.waitingFor ?? [], run.waitingAt ?? run.createdAt))),
});

const changesOf = ({ records }: Parts, tell: Tell): Source<RecordRecord> => ({
  read: (window, limit) => records.changedBetween(window, limit),
  at: ({ updatedAt }) => updatedAt,
  tell: (rows) => tell(rows.map(recordChanged)),
});

/**
 * Announces what nobody announced: ends of runs, questions, changes of records, and what people changed. A process can die after it stored one of
 * these and before it stored its event. The log knows each event by its id, so nothing is told twice. Shows ends on their documents, too.
 * Source: docs/decisions/0129, docs/decisions/0224, docs/decisions/0250.
 */
export class LostAnnouncer {
  readonly #looks: readonly Look[];
  #since: Date | null = null;
  #last = Number.NEGATIVE_INFINITY;

  constructor(parts: Parts) {
    const { events } = parts;
    const tell: Tell = async (told) => {
      const lacking = await events.lacking(told);
      if (lacking.size > 0) await events.append([...lacking]);
    };
    this.#looks = [
      lookAt(endsOf(parts)),
      lookAt(waitsOf(parts, tell)),
      lookAt(changesOf(parts, tell)),
      ...peopleChanges({ ...parts, tell }),
    ];
  }

  /** Looks at the changes since its last look, at most every 20 s. */
  async sweep(now = new Date()): Promise<void> {
    if (now.getTime() - this.#last < everyMs) return;
    const until = new Date(now.getTime() - youngMs);
    const from = this.#since ?? new Date(now.getTime() - beforeMs);
    for (const look of this.#looks) await look({ from, after: '', until });
    this.#since = new Date(until.getTime() - twiceMs);
    this.#last = now.getTime();
  }
}
