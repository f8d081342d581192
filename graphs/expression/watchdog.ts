import { createContext, Script } from 'node:vm';
import { AppError, InkgraphError } from '#src/domain/app-error.ts';
import { expressionLimits } from './limits.ts';

const timeoutCode = 'ERR_SCRIPT_EXECUTION_TIMEOUT';
/** Wall time of each attempt, in limits. */
const attempts = [1, 2, 4, 4, 4] as const;

/** A task took longer than it may here. Elsewhere it may have more time. */
export class OverrunError extends InkgraphError {}

// The context holds only the current task.
const script = new Script('task()');
const context = createContext(Object.create(null) as { task?: () => unknown });

/**
 * Runs `task` for at most `expressionLimits.milliseconds`. V8 can stop it anywhere, even inside a regular expression. Costs about 0.1 ms.
 * V8 measures wall time, so a task that used the CPU for less than its limit is started again with more of it, which a busy machine
 * needs; it must have no side effects. Throws `expression.failed`.
 */
export function watched(task: () => unknown): unknown {
  const limit = expressionLimits.milliseconds;
  for (const times of attempts) {
    const before = process.threadCpuUsage();
    context.task = task;
    try {
      return script.runInContext(context, { timeout: times * limit });
    } catch (error) {
      if (!isTimeout(error)) throw error;
      const { user, system } = process.threadCpuUsage(before);
      if ((user + system) / 1_000 >= limit * 0.9) break;
    } finally {
      delete context.task;
    }
  }
  throw new AppError('expression.failed', `The expression takes longer than ${limit} ms. Simplify it.`);
}

/**
 * Runs `task` once, for at most `milliseconds` of wall time. It must have no side effects. Throws `OverrunError`.
 * Source: docs/decisions/0066.
 */
export function tried(task: () => unknown, milliseconds: number): unknown {
  context.task = task;
  try {
    return script.runInContext(context, { timeout: milliseconds });
  } catch (error) {
    if (!isTimeout(error)) throw error;
    throw new OverrunError(`the task took longer than ${milliseconds} ms`);
  } finally {
    delete context.task;
  }
}

function isTimeout(error: unknown): boolean {
  // The error belongs to the realm of the context, so `instanceof Error` is false here.
  return typeof error === 'object' && error !== null && 'code' in error && error.code === timeoutCode;
}
