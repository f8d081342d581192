import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

export interface ReleaseOptions {
  /** Interval between two looks. No event tells that a process has become idle. */
  readonly everyMs: number;
  /** Growth of the heap since the last collection that makes another one worth its pause. */
  readonly growthBytes: number;
}

const usual: ReleaseOptions = { everyMs: 10_000, growthBytes: 4 * 2 ** 20 };
/** Share of the time that the event loop of an idle process works. */
const idleShare = 0.05;

/** A second context, whose function this is, slows a process that works by 7 to 11 %: service processes start with `--expose-gc`. */
function otherContextsGc(): NodeJS.GCFunction {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc') as NodeJS.GCFunction;
}

/**
 * Collects garbage while the process is idle. V8 collects when a process allocates: one that has loaded its modules, or finished a burst,
 * would keep their garbage for as long as it does nothing. Source: docs/decisions/0107.
 */
export function releaseMemoryWhenIdle({ everyMs, growthBytes }: ReleaseOptions = usual): Disposable {
  const collect = globalThis.gc ?? otherContextsGc();
  const state = { loop: performance.eventLoopUtilization(), heapBytes: 0 };
  const look = (): void => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, state.loop);
    state.loop = now;
    if (utilization > idleShare || process.memoryUsage().heapTotal < state.heapBytes + growthBytes) return;
    // The last resort also drops what V8 could compile again.
    collect({ type: 'major', execution: 'sync', flavor: 'last-resort' });
    state.heapBytes = process.memoryUsage().heapTotal;
  };
  const timer = setInterval(look, everyMs).unref();
  return { [Symbol.dispose]: () => clearInterval(timer) };
}
