import type { z } from 'zod';
import type { Execution } from '#src/contracts/resources/execution.ts';
import { terminalStatuses, type ExecutionRecord } from '#src/domain/runs/run.ts';
import type { ToolContext } from '#tools/define.ts';
import { presentExecution } from '#tools/runs/present.ts';
import { requireExecution } from '#tools/runs/require-run.ts';

type ExecutionReply = z.input<typeof Execution>;

/** Changes made by another process do not pass this one's bus: look again after this long all the same. */
const lookAgainMs = 1_000;

export async function readExecution(ctx: ToolContext, id: string): Promise<ExecutionReply> {
  return presentRuns(ctx, await requireExecution(ctx, id));
}

async function presentRuns({ deps, principal }: ToolContext, execution: ExecutionRecord): Promise<ExecutionReply> {
  const runs = await deps.executions.runsOf(execution.organizationId, execution._id);
  return presentExecution(execution, runs, principal);
}

/** Settles at the next event of the execution, after `ms`, or when the caller goes away. */
function nextEvent(
  { deps, principal, signal }: ToolContext,
  id: string,
): { wait(ms: number): Promise<void>; stop(): void } {
  let seen = false;
  let wake: (() => void) | null = null;
  const stir = (): void => {
    seen = true;
    wake?.();
  };
  const unsubscribe = deps.events.subscribe(principal.organizationId, (event) => {
    // Steps change nothing here, but the one at which a run begins to wait.
    const counts = event.type !== 'run.step.changed' || event.data?.['runStatus'] !== undefined;
    if (event.executionId === id && counts) stir();
  });
  signal.addEventListener('abort', stir, { once: true });
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
      signal.removeEventListener('abort', stir);
    },
  };
}

/**
 * The execution when it changed or ended (`until: 'change'`), or ended or only waits for answers (`'end'`), or after `seconds`, whichever is first.
 * Source: contracts.md "Executions" (`?wait=`).
 */
export async function waitForExecution(
  ctx: ToolContext,
  id: string,
  seconds: number,
  until: 'change' | 'end',
): Promise<ExecutionReply> {
  const events = nextEvent(ctx, id);
  const deadline = performance.now() + seconds * 1_000;
  try {
    const first = await readExecution(ctx, id);
    let latest = first;
    const before = JSON.stringify([first.status, first.counts]);
    for (;;) {
      if (terminalStatuses.has(latest.status) || ctx.signal.aborted) return latest;
      if (until === 'end' && latest.status === 'waiting') return latest;
      if (until === 'change' && JSON.stringify([latest.status, latest.counts]) !== before) return latest;
      const left = deadline - performance.now();
      if (left <= 0) return latest;
      await events.wait(Math.min(left, lookAgainMs));
      latest = await readExecution(ctx, id);
    }
  } finally {
    events.stop();
  }
}
