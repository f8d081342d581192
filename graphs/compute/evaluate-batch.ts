import { AppError } from '#src/domain/app-error.ts';
import type { ErrorCode } from '#src/contracts/error-codes.ts';
import { parseExpression } from '#graphs/expression/expression.ts';

export interface Batch {
  readonly sources: readonly string[];
  readonly scope: Readonly<Record<string, unknown>>;
  /** true: stops after the first value that is neither false nor null, as a router does. */
  readonly untilTrue: boolean;
  /** Processor time in milliseconds. */
  readonly ms: number;
}

/** Values up to the end, the first error, or the end of the time. */
export interface BatchResult {
  readonly values: readonly unknown[];
  readonly usedMs: number;
  readonly spent: boolean;
  readonly error?: { readonly code: ErrorCode; readonly detail: string };
}

/** Evaluates expressions in order, each as long as `expressionLimits` allow. Runs in a thread. */
export function evaluateBatch({ sources, scope, untilTrue, ms }: Batch): BatchResult {
  const values: unknown[] = [];
  const start = process.threadCpuUsage();
  const used = (): number => millisecondsOf(process.threadCpuUsage(start));
  for (const source of sources) {
    if (used() >= ms) return { values, usedMs: used(), spent: true };
    try {
      values.push(parseExpression(source).evaluate(scope));
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      return { values, usedMs: used(), spent: false, error: { code: error.code, detail: error.detail } };
    }
    if (untilTrue && isTaken(values.at(-1))) break;
  }
  return { values, usedMs: used(), spent: used() > ms };
}

/** True for a condition that decides: true, or no boolean at all, which is an error. */
export function isTaken(value: unknown): boolean {
  return value !== false && value !== null;
}

export function millisecondsOf({ user, system }: { readonly user: number; readonly system: number }): number {
  return (user + system) / 1_000;
}
