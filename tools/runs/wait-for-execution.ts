import type { z } from 'zod';
import type { Execution } from '#src/contracts/resources/execution.ts';
import { RunReading } from '#src/contracts/results/reading.ts';
import { StepProgress } from '#src/domain/runs/progress.ts';
import { terminalStatuses, type ExecutionRecord, type RunRecord } from '#src/domain/runs/run.ts';
import type { ToolContext } from '#tools/define.ts';
import { presentExecution, presentRun } from '#tools/runs/present.ts';
import { requireExecution } from '#tools/runs/require-run.ts';
import type { LoggedEvent } from '#src/domain/events/events.ts';

type ExecutionReply = z.input<typeof Execution>;

/** Events of other processes do not reach this process, so the execution is read again after this time. */
const lookAgainMs = 1_000;

export async function readExecution(
  ctx: ToolContext<'executions' | 'thumbnails'>,
  id: string,
): Promise<ExecutionReply> {
  const { execution, runs } = await readAll(ctx, id);
  return presentExecution(execution, runs, ctx);
}

/** True for a run that is behind those that somebody waits for. */
const waitsInBulk = ({ status, lane = 'bulk' }: RunRecord): boolean => status === 'queued' && lane === 'bulk';

interface Found {
  readonly execution: ExecutionRecord;
  readonly runs: readonly RunRecord[];
}

/** Reads an execution with its runs, or only the runs of one that is `known`: with its version, it does not change. */
async function readAll(ctx: ToolContext<'executions'>, id: string, known?: ExecutionRecord): Promise<Found> {
  const reading = ctx.deps.executions.runsOf(ctx.principal.organizationId, id);
  if (known === undefined || known.version === null) {
    const [execution, runs] = await Promise.all([requireExecution(ctx, id), reading]);
    return { execution, runs };
  }
  const runs = await reading;
  // It may be gone with its runs.
  return { execution: runs.length > 0 ? known : await requireExecution(ctx, id), runs };
}

const PagesRead = RunReading.pick({ pagesRead: true, pages: true });

/** Statuses of steps that ended. */
const finished: ReadonlySet<unknown> = new Set(['succeeded', 'continued', 'failed', 'canceled']);

/** Source of the progress: an execution, or one of its runs. */
type Watched = Pick<ExecutionReply, 'workflowId' | 'version' | 'runs'> & {
  readonly counts: { readonly total: number };
};

/** Reports progress to callers that asked for it. */
class ProgressReporter {
  readonly #ctx: ToolContext<'executions' | 'steps' | 'workflows'>;
  /** null until the steps are known. */
  #progress: StepProgress | null = null;

  constructor(ctx: ToolContext<'executions' | 'steps' | 'workflows'>) {
    this.#ctx = ctx;
  }

  /** Counts a step that ended. `event` belongs to the execution. */
  observe({ type, runId, data }: LoggedEvent): void {
    if (this.#progress === null || type !== 'run.step.changed' || runId === undefined) return;
    const nodeId = String(data?.['nodeId']);
    const { success, data: read } = PagesRead.safeParse(data?.['reading']);
    if (success) this.#progress.pagesRead(runId, { nodeId, ...read });
    else if (finished.has(data?.['status'])) this.#progress.stepFinished(runId, nodeId);
    else return;
    this.#report();
  }

  async update({ workflowId, version, runs, counts }: Watched): Promise<void> {
    if (this.#ctx.progress === undefined) return;
    this.#progress ??= await this.#begin(workflowId, version ?? null, runs, counts.total);
    for (const { runId, status, reading } of runs) {
      this.#progress.runIs(runId, status);
      // Events tell it earlier, where they reach this process.
      if (reading !== undefined) this.#progress.pagesRead(runId, reading);
    }
    this.#report();
  }

  /** Reads the finished steps of a single run. For several runs that would cost one read each, so they start at zero. */
  async #begin(
    workflowId: string,
    version: number | null,
    runs: ExecutionReply['runs'],
    total: number,
  ): Promise<StepProgress> {
    const { deps, principal } = this.#ctx;
    const [first, ...others] = runs;
    const [found, run] = await Promise.all([
      version === null ? null : deps.workflows.findVersion(principal.organizationId, workflowId, version),
      first === undefined || others.length > 0 ? null : deps.executions.findRun(principal, first.runId),
    ]);
    const steps = run === null ? [] : await deps.steps.listOf(run);
    const progress = new StepProgress(Object.keys(found?.graph.nodes ?? {}), total);
    for (const { nodeId, status } of steps)
      if (run !== null && finished.has(status)) progress.stepFinished(run._id, nodeId);
    return progress;
  }

  #report(): void {
    if (this.#progress === null) return;
    const { done, total, endedRuns, runs, pages, finishedSteps } = this.#progress;
    const read = pages === null ? '' : `page ${pages.pagesRead} of ${pages.pages}; `;
    const message = `${finishedSteps} of ${total} steps; ${read}${endedRuns} of ${runs} documents have ended`;
    this.#ctx.progress?.({ done, total, message });
  }
}

/** `wait` settles at the next event of the execution, or of one of its runs, after `ms`, or when the caller goes away or the process stops. */
function nextEvent(
  { deps, principal, signal }: ToolContext<'events' | 'stopping'>,
  { id, runId }: { readonly id: string; readonly runId?: string },
  observe: (event: LoggedEvent) => void,
): { wait(ms: number): Promise<void>; stop(): void } {
  let seen = false;
  let wake: (() => void) | null = null;
  const stir = (): void => {
    seen = true;
    wake?.();
  };
  const unsubscribe = deps.events.subscribe(principal.organizationId, (event) => {
    const ours = event.executionId === id && (runId === undefined || event.runId === runId);
    if (ours) observe(event);
    // Steps do not change the execution, except the step at which a run starts to wait. Pages change nothing but the progress.
    const counts =
      event.type !== 'run.step.changed' ||
      (event.data?.['runStatus'] !== undefined && event.data['reading'] === undefined);
    if (ours && counts) stir();
  });
  for (const end of [signal, deps.stopping]) end.addEventListener('abort', stir, { once: true });
  return {
    async wait(ms) {
      if (!seen) {
        const { promise, resolve } = Promise.withResolvers<void>();
        const timer = setTimeout(resolve, ms);
        wake = resolve;
        await promise;
        clearTimeout(timer);
        wake = null;
      }
      seen = false;
    },
    stop() {
      unsubscribe();
      for (const end of [signal, deps.stopping]) end.removeEventListener('abort', stir);
    },
  };
}

/**
 * Returns the execution when it changed or ended (`until: 'change'`), when it ended or only waits for answers (`'end'`), after `seconds`, or
 * when this process stops, whichever comes first.
 */
export async function waitForExecution(
  ctx: ToolContext<'events' | 'executions' | 'steps' | 'stopping' | 'thumbnails' | 'workflows'>,
  id: string,
  seconds: number,
  until: 'change' | 'end',
): Promise<ExecutionReply> {
  const reporter = new ProgressReporter(ctx);
  const events = nextEvent(ctx, { id }, (event) => reporter.observe(event));
  const deadline = performance.now() + seconds * 1_000;
  try {
    const { execution, runs } = await readAll(ctx, id);
    if (runs.some(waitsInBulk)) await ctx.deps.executions.expedite(ctx.principal.organizationId, id);
    let latest = presentExecution(execution, runs, ctx);
    const before = JSON.stringify([latest.status, latest.counts]);
    for (;;) {
      await reporter.update(latest);
      if (terminalStatuses.has(latest.status) || ctx.signal.aborted || ctx.deps.stopping.aborted) return latest;
      if (until === 'end' && latest.status === 'waiting') return latest;
      if (until === 'change' && JSON.stringify([latest.status, latest.counts]) !== before) return latest;
      const left = deadline - performance.now();
      if (left <= 0) return latest;
      await events.wait(Math.min(left, lookAgainMs));
      const now = await readAll(ctx, id, execution);
      latest = presentExecution(now.execution, now.runs, ctx);
    }
  } finally {
    events.stop();
  }
}

/** True as soon as the execution is stored; false after `seconds`, when the caller goes away, or when this process stops. */
export async function waitUntilStored(
  ctx: ToolContext<'events' | 'executions' | 'stopping'>,
  id: string,
  seconds: number,
): Promise<boolean> {
  const events = nextEvent(ctx, { id }, () => undefined);
  const deadline = performance.now() + seconds * 1_000;
  try {
    for (;;) {
      if ((await ctx.deps.executions.find(ctx.principal, id)) !== null) return true;
      const left = deadline - performance.now();
      if (left <= 0 || ctx.signal.aborted || ctx.deps.stopping.aborted) return false;
      await events.wait(Math.min(left, lookAgainMs));
    }
  } finally {
    events.stop();
  }
}

/** Returns the run when it ended or waits for an answer, after `seconds`, or when this process stops. Its siblings do not matter. */
export async function waitForRun(
  ctx: ToolContext<'events' | 'executions' | 'steps' | 'stopping' | 'workflows'>,
  known: RunRecord,
  seconds: number,
): Promise<RunRecord> {
  const { deps, principal } = ctx;
  const { _id: runId, executionId, workflowId } = known;
  const reporter = new ProgressReporter(ctx);
  const events = nextEvent(ctx, { id: executionId, runId }, (event) => reporter.observe(event));
  const deadline = performance.now() + seconds * 1_000;
  const read = async (): Promise<RunRecord> => (await deps.executions.findRun(principal, runId)) ?? known;
  try {
    let latest = await read();
    if (waitsInBulk(latest)) await deps.executions.expedite(principal.organizationId, executionId);
    for (;;) {
      const { status, version } = latest;
      await reporter.update({ workflowId, version, runs: [presentRun(latest)], counts: { total: 1 } });
      if (terminalStatuses.has(status) || status === 'waiting') return latest;
      const left = deadline - performance.now();
      if (left <= 0 || ctx.signal.aborted || deps.stopping.aborted) return latest;
      await events.wait(Math.min(left, lookAgainMs));
      latest = await read();
    }
  } finally {
    events.stop();
  }
}
