import type { Execution, ExecutionEvent } from '#src/contracts/resources/execution.ts';
import type { Principal } from '#src/domain/access/principal.ts';
import { AppError } from '#src/domain/app-error.ts';
import { countRuns, executionStatus, terminalStatuses, type RunRecord } from '#src/domain/runs/run.ts';
import type { ToolDeps } from '#tools/deps.ts';
import type { EventStream } from '#http/sse.ts';
import type { LoggedEvent } from '#src/domain/events/events.ts';

export interface Feed {
  readonly deps: Pick<ToolDeps, 'events' | 'executions'>;
  readonly stream: EventStream;
  readonly execution: Execution;
  readonly principal: Principal;
  readonly epoch: string;
  /** Number of the last event that the reader has. */
  readonly after: number;
  /** Tell first that events may be missing. */
  readonly reset: boolean;
  /** Throws a AppError when the credential no longer stands. */
  mayRead(): Promise<boolean>;
}

/** Events that other processes append do not pass this one's bus: look for them this often. */
const lookMs = 1_000;
/** How much later than its neighbours an event of another process may show, and the end of a run after the run's record. */
export const lateMs = 2_000;
const checkMs = 30_000;
const page = 200;

function dataOf({ type, at, data, ...event }: LoggedEvent): ExecutionEvent {
  const { organizationId, projectId, documentId, executionId = '', runId } = event;
  const about = { organizationId, projectId, executionId, documentId, runId };
  return { ...data, type, at: at.toISOString(), ...about };
}

/** What is new to this reader. An event may be stored after others with higher numbers: the log is read again from a little before. */
class Reader {
  readonly #feed: Feed;
  readonly #told = new Set<number>();
  #from: number;
  #highest: number;
  readonly ended = new Set<string>();

  constructor(feed: Feed) {
    this.#feed = feed;
    this.#from = feed.after;
    this.#highest = feed.after;
  }

  /** Sends what is new, until nothing is or the reader is gone. */
  async catchUp(): Promise<void> {
    const { deps, stream, execution, principal, epoch } = this.#feed;
    for (let full = true; full && !stream.closed.aborted;) {
      const events = await deps.events.read(principal.organizationId, this.#from, page, { executionId: execution.id });
      for (const event of events) {
        if (this.#told.has(event.seq)) continue;
        this.#told.add(event.seq);
        // A late one takes the highest number, so that going on from it repeats nothing.
        this.#highest = Math.max(this.#highest, event.seq);
        if (event.type === 'run.completed' && event.runId !== undefined) this.ended.add(event.runId);
        stream.send({ id: `${epoch}-${this.#highest}`, event: event.type, data: dataOf(event) });
      }
      full = events.length === page;
      this.#forget(events, full);
      await stream.drained();
    }
  }

  #forget(events: readonly LoggedEvent[], full: boolean): void {
    const settled = Date.now() - lateMs;
    for (const event of events) if (full || event.at.getTime() < settled) this.#from = Math.max(this.#from, event.seq);
    for (const seq of this.#told) if (seq <= this.#from) this.#told.delete(seq);
  }
}

/** Ended, and told of: what was appended with its end has had the time to be stored, or a reset before `known` stands for it. */
function isOver(run: RunRecord, told: ReadonlySet<string>, known: number): boolean {
  if (!terminalStatuses.has(run.status)) return false;
  const at = run.finishedAt?.getTime() ?? 0;
  return told.has(run._id) || at <= known || Date.now() - at > lateMs;
}

function closing(feed: Feed, runs: readonly RunRecord[]): ExecutionEvent {
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

/** Settles at the next event of the execution, after `ms`, or when the reader is gone. */
function bell({ deps, stream, execution, principal }: Feed) {
  let rung = false;
  let wake: (() => void) | null = null;
  const ring = (): void => {
    rung = true;
    wake?.();
  };
  const unsubscribe = deps.events.subscribe(principal.organizationId, (event) => {
    if (event.executionId === execution.id) ring();
  });
  stream.closed.addEventListener('abort', ring, { once: true });
  return {
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
      stream.closed.removeEventListener('abort', ring);
    },
  };
}

/**
 * Sends an execution's events after `after`, in the log's order, until all its runs have ended and everything was told, or the reader
 * is gone or may not read any more. Reads the log at the reader's pace: a slow one costs no memory.
 */
export async function followExecution(feed: Feed): Promise<void> {
  const { deps, stream, execution, principal } = feed;
  const { organizationId } = principal;
  const reader = new Reader(feed);
  const ring = bell(feed);
  const known = feed.reset ? Date.now() : 0;
  let checked = Date.now();
  /** Runs that are not over, as far as is known; null: look. */
  let open: Set<string> | null = null;
  let looked = 0;
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
        open = new Set(runs.filter((run) => !isOver(run, reader.ended, known)).map((run) => run._id));
      }
      await reader.catchUp();
      if (runs !== null && open.size === 0 && runs.length >= execution.counts.total) {
        stream.send({ event: 'execution.completed', data: closing(feed, runs) });
        return;
      }
      if (Date.now() - checked > checkMs) {
        await feed.mayRead();
        checked = Date.now();
      }
      await ring.wait(lookMs);
    }
  } catch (error) {
    // A key that was revoked meanwhile: nothing more is told.
    if (!(error instanceof AppError)) throw error;
  } finally {
    ring.stop();
  }
}
