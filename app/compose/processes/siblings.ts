import type { LoggedEvent } from '#src/domain/events/events.ts';
import type { LogRange } from '#src/stores/event-log.ts';
import type { WakeQueue } from '#src/domain/ports/wake-queue.ts';

/** Other processes on the same database. What is lost here is found later in the database. */
export interface Siblings {
  /** Announces work that is due in `delayMs`: so many new runs, or any number of any runs. */
  tellWake(delayMs: number, runs?: number): void;
  /** Announces events that this process stored. */
  tellEvents(events: readonly LoggedEvent[]): void;
  /** Announces that somebody's access may have ended. */
  tellAccess(): void;
  /** Announces that pages of an organization used up their limits. */
  tellSpent(organizationId: string): void;
  /** Metrics of each sibling that answers within a second, as the registry of a process gives them. */
  metrics(): Promise<readonly (readonly object[])[]>;
  /** Answers siblings that ask for metrics. */
  serveMetrics(read: () => Promise<readonly object[]>): void;
  /** Returns a function that stops listening. */
  onWake(listener: (delayMs: number, runs?: number) => void): () => void;
  /** Returns a function that stops listening. */
  onEvents(listener: (events: readonly LoggedEvent[]) => void): () => void;
  /** Calls the listener when siblings stored events that do not come along. */
  onStored(listener: (organizationId: string, range: LogRange) => void): () => void;
  /** Returns a function that stops listening. */
  onAccess(listener: () => void): () => void;
  onSpent(listener: (organizationId: string) => void): void;
  /** Milliseconds after which to look for what siblings stored, whatever they tell: `usualMs`, or more while all of them tell. */
  lookMs(usualMs: number): number;
}

const nothing = (): void => undefined;

/** For a process that works by itself, or whose siblings are out of reach. */
export const noSiblings: Siblings = {
  tellWake: nothing,
  tellEvents: nothing,
  tellAccess: nothing,
  tellSpent: nothing,
  metrics: async () => [],
  serveMetrics: nothing,
  onWake: () => nothing,
  onEvents: () => nothing,
  onStored: () => nothing,
  onAccess: () => nothing,
  onSpent: nothing,
  lookMs: (usualMs) => usualMs,
};

/** For the agents service: nobody else takes runs. */
export const withoutWakes = (siblings: Siblings): Siblings => ({ ...siblings, tellWake: nothing });

/** For the services that people's streams connect to: nobody else reads stored events. */
export const withoutEvents = (siblings: Siblings): Siblings => ({ ...siblings, tellEvents: nothing });

/** The queue of this process, which also wakes the workers of its siblings and is woken by them. */
export function shareWakes(queue: WakeQueue, siblings: Siblings): WakeQueue {
  const stop = siblings.onWake((delayMs, runs) => void queue.notify({ delayMs, runs }));
  return {
    async notify(options = {}) {
      siblings.tellWake(options.delayMs ?? 0, options.runs);
      await queue.notify(options);
    },
    consume: (wake) => queue.consume(wake),
    async close() {
      stop();
      await queue.close();
    },
  };
}

/** Messages that reach every process, on all machines. */
export interface FarMessages {
  tellEvents(ranges: ReadonlyMap<string, LogRange>): void;
  tellAccess(): void;
  onEvents(listener: (organizationId: string, range: LogRange) => void): () => void;
  onAccess(listener: () => void): () => void;
  /** True while messages of the others arrive here. */
  arrive(): boolean;
}

/** Numbers of the events of each organization. */
function rangesOf(events: readonly LoggedEvent[]): ReadonlyMap<string, LogRange> {
  const ranges = new Map<string, LogRange>();
  for (const { organizationId, seq } of events) {
    const { first, last } = ranges.get(organizationId) ?? { first: seq, last: seq };
    ranges.set(organizationId, { first: Math.min(first, seq), last: Math.max(last, seq) });
  }
  return ranges;
}

/** `near`, and all processes that `far` reaches. While messages arrive, a look each `lookMs` is enough. */
export function withFar(near: Siblings, far: FarMessages, lookMs: number): Siblings {
  return {
    ...near,
    tellEvents(events) {
      near.tellEvents(events);
      far.tellEvents(rangesOf(events));
    },
    tellAccess: () => far.tellAccess(),
    onStored: (listener) => far.onEvents(listener),
    onAccess: (listener) => far.onAccess(listener),
    lookMs: (usualMs) => (far.arrive() ? Math.max(usualMs, lookMs) : near.lookMs(usualMs)),
  };
}
