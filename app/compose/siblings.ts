import type { LoggedEvent } from '#src/domain/events/events.ts';
import type { WakeQueue } from '#src/domain/ports/wake-queue.ts';

/** Other processes on the same database. What is lost here is found later in the database. */
export interface Siblings {
  /** Announces work that is due in `delayMs`. */
  tellWake(delayMs: number): void;
  /** Announces events that this process stored. */
  tellEvents(events: readonly LoggedEvent[]): void;
  /** Metrics of each sibling that answers within a second, as the registry of a process gives them. */
  metrics(): Promise<readonly (readonly object[])[]>;
  /** Answers siblings that ask for metrics. */
  serveMetrics(read: () => Promise<readonly object[]>): void;
  /** Returns a function that stops listening. */
  onWake(listener: (delayMs: number) => void): () => void;
  /** Returns a function that stops listening. */
  onEvents(listener: (events: readonly LoggedEvent[]) => void): () => void;
}

const nothing = (): void => undefined;

/** For a process that works by itself, or whose siblings are out of reach. */
export const noSiblings: Siblings = {
  tellWake: nothing,
  tellEvents: nothing,
  metrics: async () => [],
  serveMetrics: nothing,
  onWake: () => nothing,
  onEvents: () => nothing,
};

/** For the agents service: nobody else takes runs. */
export const withoutWakes = (siblings: Siblings): Siblings => ({ ...siblings, tellWake: nothing });

/** For the services that people's streams connect to: nobody else reads stored events. */
export const withoutEvents = (siblings: Siblings): Siblings => ({ ...siblings, tellEvents: nothing });

/** The queue of this process, which also wakes the workers of its siblings and is woken by them. */
export function shareWakes(queue: WakeQueue, siblings: Siblings): WakeQueue {
  const stop = siblings.onWake((delayMs) => void queue.notify({ delayMs }));
  return {
    async notify(options = {}) {
      siblings.tellWake(options.delayMs ?? 0);
      await queue.notify(options);
    },
    consume: (wake) => queue.consume(wake),
    async close() {
      stop();
      await queue.close();
    },
  };
}
