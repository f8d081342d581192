import type { Consumer, WakeQueue } from '#src/domain/ports/wake-queue.ts';

/** Wakes workers of this process. Other processes find their work by polling. */
export function createInProcessWakeQueue(): WakeQueue {
  const consumers = new Set<() => void>();
  const timers = new Set<NodeJS.Timeout>();
  const wakeAll = (): void => {
    for (const wake of consumers) wake();
  };
  return {
    async notify({ delayMs = 0 } = {}) {
      if (delayMs <= 0) {
        wakeAll();
        return;
      }
      const timer = setTimeout(() => {
        timers.delete(timer);
        wakeAll();
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
