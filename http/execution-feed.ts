import type { Execution } from '#src/contracts/resources/execution.ts';
import type { Principal } from '#src/domain/access/principal.ts';
import { AppError } from '#src/domain/app-error.ts';
import { stepChanged } from '#src/domain/events/realtime.ts';
import { countRuns, executionStatus, terminalStatuses, type RunRecord } from '#src/domain/runs/run.ts';
import type { ToolDeps } from '#tools/deps.ts';
import type { AccessSignal } from '#http/access-signal.ts';
import type { EventStream } from '#http/sse.ts';
import type { LoggedEvent } from '#src/domain/events/events.ts';

export interface Feed {
  readonly deps: Pick<ToolDeps, 'events' | 'executions' | 'steps'>;
  readonly stream: EventStream;
  readonly execution: Execution;
  readonly principal: Principal;
  readonly epoch: string;
  /** Sequence number of the last event that the reader has. */
  readonly after: number;
  /** Send a `reset` event first: events may be missing. */
  readonly reset: boolean;
  /** Throws an AppError when the credential is no longer valid, or may not read the execution any more. */
  mayRead(): Promise<void>;
  /** Says when to ask `mayRead` at once. */
  readonly access?: Pick<AccessSignal, 'on'>;
}

/** Interval of looks for events of other processes, unless these tell. */
const lookMs = 1_000;
/** Longest delay after which the event of a run's end follows its record. */
export const lateMs = 2_000;
const checkMs = 30_000;
const page = 200;

/** Data of a frame, as `ExecutionFrame` describes it. */
function dataOf({ type, at, data, ...event }: Omit<LoggedEvent, 'dedupeId' | 'seq'>): object {
  const { organizationId, projectId, documentId, executionId = '', runId } = event;
  const about = { organizationId, projectId, executionId, documentId, runId };
  return { ...data, type, at: at.toISOString(), ...about };
}

/** Reads new events. */
class Reader {
  readonly #feed: Feed;
  #from: number;
  readonly ended = new Set<string>();

  constructor(feed: Feed) {
    this.#feed = feed;
    this.#from = feed.after;
  }

  /** Sends new events until none are left or the reader is gone. */
  async catchUp(): Promise<void> {
    const { deps, stream, execution, principal, epoch } = this.#feed;
    for (let full = true; full && !stream.closed.aborted;) {
      const events = await deps.events.read(principal.organizationId, this.#from, page, { executionId: execution.id });
      for (const event of events) {
        this.#from = event.seq;
        if (event.type === 'run.completed' && event.runId !== undefined) this.ended.add(event.runId);
        stream.send({ id: `${epoch}-${event.seq}`, event: event.type, data: dataOf(event) });
      }
      full = events.length === page;
      await stream.drained();
    }
  }
}

/** Tells the steps of runs of experiments, which the log does not have, from their records. */
class RecordedSteps {
  readonly #feed: Feed;
  readonly #told = new Set<string>();

  constructor(feed: Feed) {
    this.#feed = feed;
  }

  async tell(runs: readonly RunRecord[]): Promise<void> {
    const { deps, stream, principal } = this.#feed;
    for (const { _id, experiment } of runs) {
      const run = experiment === undefined ? null : await deps.executions.findRun(principal, _id);
      if (run === null) continue;
      for (const step of await deps.steps.listOf(run)) {
        const { dedupeId, ...event } = stepChanged(run, step);
        if (this.#told.has(dedupeId)) continue;
        this.#told.add(dedupeId);
        stream.send({ event: event.type, data: dataOf(event) });
      }
    }
  }
}

/** True for a run that ended and whose end was sent, was covered by a reset before `known`, or has had time to be stored. */
function isOver(run: RunRecord, sent: ReadonlySet<string>, known: number): boolean {
  if (!terminalStatuses.has(run.status)) return false;
  const at = run.finishedAt?.getTime() ?? 0;
  return sent.has(run._id) || at <= known || Date.now() - at > lateMs;
}

function closing(feed: Feed, runs: readonly RunRecord[]): object {
  const counts = countRuns(runs);
  const [first] = runs;
  return {
    type: 'execution.completed',
    at: new Date().toISOString(),
    organizationId: feed.principal.organizationId,
    projectId: first?.projectId ?? '',
    executionId: feed.execution.id,
    status: executionStatus(counts),
    counts,
  };
}

/** Creates a wait that ends at the next event of the execution, when its reader's access may have ended, after `ms`, or when the reader is gone. */
function bell({ deps, stream, execution, principal, access }: Feed) {
  let rung = false;
  let doubted = false;
  let wake: (() => void) | null = null;
  const ring = (): void => {
    rung = true;
    wake?.();
  };
  const unsubscribe = deps.events.subscribe(principal.organizationId, (event) => {
    if (event.executionId === execution.id) ring();
  });
  const stopAccess = access?.on(() => {
    doubted = true;
    ring();
  });
  stream.closed.addEventListener('abort', ring, { once: true });
  return {
    /** True once after the access of the reader may have ended. */
    takeDoubt(): boolean {
      const was = doubted;
      doubted = false;
      return was;
    },
    async wait(ms: number): Promise<void> {
      if (!rung) {
        const { promise, resolve } = Promise.withResolvers<void>();
        wake = resolve;
        const timer = setTimeout(resolve, ms);
        await promise;
        clearTimeout(timer);
        wake = null;
      }
      rung = false;
    },
    stop(): void {
      unsubscribe();
      stopAccess?.();
      stream.closed.removeEventListener('abort', ring);
    },
  };
}

/**
 * Sends the events of an execution after `after`, in the log's order, until all runs have ended and every event was sent, or the reader
 * has left or lost its access. Reads the log at the reader's pace, so a slow reader costs no memory.
 */
export async function followExecution(feed: Feed): Promise<void> {
  const { deps, stream, execution, principal } = feed;
  const { organizationId } = principal;
  const reader = new Reader(feed);
  const recorded = new RecordedSteps(feed);
  const ring = bell(feed);
  const known = feed.reset ? Date.now() : 0;
  let checked = Date.now();
  /** Ids of runs known not to be over; null: not read yet. */
  let open: Set<string> | null = null;
  let looked = 0;
  /** False: only the records say what happens. */
  let isTold = true;
  try {
    if (feed.reset) {
      const about = { organizationId, projectId: principal.projectIds[0] ?? '', executionId: execution.id };
      const data = { type: 'reset', at: new Date().toISOString(), ...about, status: execution.status };
      stream.send({ id: `${feed.epoch}-${feed.after}`, event: 'reset', data });
    }
    while (!stream.closed.aborted) {
      let runs: readonly RunRecord[] | null = null;
      for (const id of reader.ended) open?.delete(id);
      if (open === null || open.size === 0 || Date.now() - looked > lateMs) {
        runs = await deps.executions.runsOf(organizationId, execution.id);
        looked = Date.now();
        isTold = runs.every(({ experiment }) => experiment === undefined);
        await recorded.tell(runs);
        open = new Set(runs.filter((run) => !isOver(run, reader.ended, known)).map((run) => run._id));
      }
      const sent = reader.ended.size;
      await reader.catchUp();
      // A missing number of the log keeps back the events behind it until it comes or is closed.
      const gapMs = deps.events.gapWaitMs(organizationId);
      if (gapMs === null && runs !== null && open.size === 0 && runs.length >= execution.counts.total) {
        stream.send({ event: 'execution.completed', data: closing(feed, runs) });
        return;
      }
      // The last run may have ended just now: its record is read at once.
      const isNews = runs === null || reader.ended.size > sent;
      if (gapMs === null && isNews && [...open].every((id) => reader.ended.has(id))) continue;
      if (ring.takeDoubt() || Date.now() - checked > checkMs) {
        await feed.mayRead();
        checked = Date.now();
      }
      const wakeMs = isTold ? deps.events.lookMs(lookMs) : lateMs;
      await ring.wait(Math.min(wakeMs, gapMs ?? Number.POSITIVE_INFINITY));
    }
  } catch (error) {
    // The key was revoked meanwhile: the stream ends.
    if (!(error instanceof AppError)) throw error;
  } finally {
    ring.stop();
  }
}
