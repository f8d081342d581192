import { recordChanged, runCompleted, runWaiting } from '#src/domain/events/realtime.ts';
import type { RecordRecord } from '#src/domain/records/record.ts';
import type { RunRecord } from '#src/domain/runs/run.ts';
import { lastEventsOf, type LastEventsParts } from '#app/agents/last-events.ts';
import type { EventLog } from '#src/stores/event-log.ts';
import type { ExecutionStore } from '#src/stores/executions.ts';
import type { TimeWindow } from '#src/stores/reads-in-time.ts';
import type { RecordStore } from '#src/stores/records/record-store.ts';

interface Parts extends LastEventsParts {
  readonly executions: Pick<ExecutionStore, 'endedBetween' | 'waitingBetween' | 'noteEnds' | 'findRun'>;
  readonly records: Pick<RecordStore, 'changedBetween'>;
  readonly events: Pick<EventLog, 'append' | 'lacking'>;
}

interface Source<Row extends { readonly _id: string }> {
  read(window: TimeWindow, limit: number): Promise<readonly Row[]>;
  at(row: Row): Date;
  /** Tells what nobody told of these rows. */
  tell(rows: readonly Row[]): Promise<void>;
}

const everyMs = 20_000;
/** Time before the start from which changes are looked at: a process that was killed is started again within it. */
const beforeMs = 120_000;
/** Age below which the process that stored a change is about to announce it. */
const youngMs = 5_000;
/** Time that is looked at twice, for clocks that differ. */
const twiceMs = 10_000;
const pageSize = 200;

async function lookAt<Row extends { readonly _id: string }>(
  source: Source<Row>,
  { from, until }: TimeWindow,
): Promise<void> {
  for (let window: TimeWindow = { from, after: '', until }; ;) {
    const rows = await source.read(window, pageSize);
    if (rows.length > 0) await source.tell(rows);
    const last = rows.at(-1);
    if (rows.length < pageSize || last === undefined) return;
    window = { from: source.at(last), after: last._id, until };
  }
}

/** Ended runs: their ends, and what their last steps would have told with them. */
const endsOf = ({ executions, events, ...parts }: Parts): Source<RunRecord> => ({
  read: (window, limit) => executions.endedBetween(window, limit),
  at: ({ finishedAt, createdAt }) => finishedAt ?? createdAt,
  async tell(runs) {
    await executions.noteEnds(runs);
    const ends = runs.flatMap((run) =>
      run.finishedAt === null ? [] : [{ run, event: runCompleted(run, run.status, run.finishedAt) }],
    );
    const lacking = await events.lacking(ends.map(({ event }) => event));
    for (const { run, event } of ends)
      if (lacking.has(event)) await events.append([...(await lastEventsOf(run, { executions, ...parts })), event]);
  },
});

const waitsOf = ({ executions, events }: Parts): Source<RunRecord> => ({
  read: (window, limit) => executions.waitingBetween(window, limit),
  at: ({ waitingAt, createdAt }) => waitingAt ?? createdAt,
  tell: (runs) =>
    events.append(runs.map((run) => runWaiting(run, run.waitingFor ?? [], run.waitingAt ?? run.createdAt))),
});

const changesOf = ({ records, events }: Parts): Source<RecordRecord> => ({
  read: (window, limit) => records.changedBetween(window, limit),
  at: ({ updatedAt }) => updatedAt,
  tell: (rows) => events.append(rows.map(recordChanged)),
});

/**
 * Announces what nobody announced: ends of runs, questions, and changes of records. A process can die after it stored one of these and before it
 * stored its event. The log knows each event by its id, so nothing is told twice. Shows ends on their documents, too. Source: docs/decisions/0129,
 * docs/decisions/0224.
 */
export class LostAnnouncer {
  readonly #sources: readonly ((window: TimeWindow) => Promise<void>)[];
  #since: Date | null = null;
  #last = Number.NEGATIVE_INFINITY;

  constructor(parts: Parts) {
    this.#sources = [
      (window) => lookAt(endsOf(parts), window),
      (window) => lookAt(waitsOf(parts), window),
      (window) => lookAt(changesOf(parts), window),
    ];
  }

  /** Looks at the changes since its last look, at most every 20 s. */
  async sweep(now = new Date()): Promise<void> {
    if (now.getTime() - this.#last < everyMs) return;
    const until = new Date(now.getTime() - youngMs);
    const from = this.#since ?? new Date(now.getTime() - beforeMs);
    for (const look of this.#sources) await look({ from, after: '', until });
    this.#since = new Date(until.getTime() - twiceMs);
    this.#last = now.getTime();
  }
}
