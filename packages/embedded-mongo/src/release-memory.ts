const EVERY_MS = 30_000;
/** Growth of the heap since the last collection that makes another one worth its pause. */
const GROWTH = 4 * 2 ** 20;
/** Share of the time that the event loop of an idle thread works. */
const IDLE_SHARE = 0.05;

/**
 * Collects the garbage of this thread while it is idle, until the returned function is called. V8 collects when a thread allocates: the
 * heap of an engine would stay as large as its last burst made it. No event tells that a thread has become idle. The thread has to start
 * with `--expose-gc`: without it nothing is collected, and a second context that has the function would slow all that the thread does.
 */
export function releaseMemoryWhenIdle({ everyMs = EVERY_MS, growth = GROWTH } = {}): () => void {
  let loop = performance.eventLoopUtilization();
  let heap = 0;
  const timer = setInterval(() => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, loop);
    loop = now;
    if (utilization > IDLE_SHARE || process.memoryUsage().heapTotal < heap + growth) return;
    globalThis.gc?.({ type: 'major', execution: 'sync', flavor: 'last-resort' });
    heap = process.memoryUsage().heapTotal;
  }, everyMs);
  timer.unref();
  return () => clearInterval(timer);
}
