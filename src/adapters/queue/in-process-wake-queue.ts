import type { Consumer, WakeQueue } from '#src/domain/ports/wake-queue.ts';

/** Wakes workers of this process. Other processes find their work by polling. */
export function createInProcessWakeQueue(): WakeQueue {
  const consumers = new Set<(runs?: number) => void>();
  const timers = new Set<NodeJS.Timeout>();
  const wakeAll = (runs?: number): void => {
    for (const wake of consumers) wake(runs);
  };
  return {
    async notify({ delayMs = 0, runs } = {}) {
      if (delayMs <= 0) {
        wakeAll(runs);
        return;
      }
      const timer = setTimeout(() => {
        timers.delete(timer);
        wakeAll(runs);
      }, delayMs);
      timer.unref();
      timers.add(timer);
    },
    consume(wake): Consumer {
      consumers.add(wake);
      return {
        async close() {
          consumers.delete(wake);
        },
      };
    },
    async close() {
      for (const timer of timers) clearTimeout(timer);
      timers.clear();
      consumers.clear();
    },
  };
}
