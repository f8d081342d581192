import { AppError, InkgraphError } from '#src/domain/app-error.ts';
import { mostSpent, type PageTurn, type SpentWork } from '#src/domain/ports/page-turn.ts';
import type { Loan } from '#src/concurrency/fair-pool.ts';
import { startComputingDeadline } from '#src/adapters/threads/deadline.ts';
import { ThreadEndedError, ThreadStoppedError, type GuardedThread } from '#src/adapters/threads/guarded-thread.ts';

/** Work used up its computing time. */
export class ComputingSpentError extends InkgraphError {}

const shortMs = 100;

interface Limit {
  /** Computing time of the member, in milliseconds. */
  readonly ms: number;
  readonly signal: AbortSignal | undefined;
  /** Absent: the owner is not charged. */
  readonly loan?: Loan | undefined;
  /** Error where a busy machine gives the work too little. Default: `service.unavailable`. */
  readonly stuck?: () => Error;
}

const tooBusy = (): AppError =>
  new AppError('service.unavailable', 'The machine was too busy to read the page. Retry later.', {
    retryAfterSeconds: 60,
  });

/**
 * Runs `work` within a limit of its member's computing time, and charges its owner. Errors: `ComputingSpentError`; `stuck()` when a
 * busy machine gives the work too little; those of the work.
 */
export async function withinComputing<Result>(
  member: Pick<GuardedThread, 'cpuMs'>,
  { ms, signal, loan, stuck = tooBusy }: Limit,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const begun = performance.now();
  let first: number | null = null;
  let used = 0;
  const usedMs = async (): Promise<number> => {
    const now = await member.cpuMs();
    first ??= now;
    used = now - first;
    return now;
  };
  const reason = (): Error => new ComputingSpentError(`the work used ${ms} ms of computing time`);
  using deadline = startComputingDeadline(ms, signal, { usedMs, reason, stuck });
  try {
    return await work(deadline.signal);
  } catch (error) {
    // Nobody can ask a member that has ended: real time is the most that it used.
    if (error instanceof ComputingSpentError) used = ms;
    if (error instanceof ThreadEndedError) used = Math.min(ms, performance.now() - begun);
    throw error;
  } finally {
    const took = performance.now() - begun;
    // Short work is charged with its real time: it is not worth a question.
    if (took < shortMs) used = took;
    else await usedMs().catch(() => undefined);
    loan?.spend(used);
  }
}

/** True for work that used up its computing time or its memory, which ends its process. */
function isSpent(error: unknown): boolean {
  if (error instanceof AppError) return isSpent(error.cause);
  const ended = error instanceof ThreadEndedError && !(error instanceof ThreadStoppedError);
  return ended || error instanceof ComputingSpentError;
}

interface Guarded {
  /** Absent: everything is tried again. */
  readonly spent: SpentWork | undefined;
  readonly turn: PageTurn;
  /** Name of the work and of the program that does it, with its version. */
  readonly work: string;
  /** Error for work that is not done again. */
  readonly refusal: () => Error;
}

/** Does work on a document that has not used up its limits twice. Source: `pages.not_tried_again`. */
export async function unlessSpent<Result>(
  { spent, turn: { owner, content, again, signal }, work, refusal }: Guarded,
  run: () => Promise<Result>,
): Promise<Result> {
  if (spent === undefined || owner === undefined || typeof content !== 'string') return run();
  if (again !== true && (await spent.times(owner, content, work)) >= mostSpent) throw refusal();
  try {
    return await run();
  } catch (error) {
    if (isSpent(error) && signal?.aborted !== true) await spent.add(owner, content, work);
    throw error;
  }
}
