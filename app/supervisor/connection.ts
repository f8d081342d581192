import type { Listeners } from '#app/compose/services.ts';
import { noSiblings, type Siblings } from '#app/compose/processes/siblings.ts';
import type { ServiceMessage, SiblingMessage, SupervisorMessage } from '#app/supervisor/messages.ts';

type Begin = Extract<SupervisorMessage, { kind: 'begin' }>;
type OfKind<Kind extends SiblingMessage['kind']> = Extract<SiblingMessage, { kind: Kind }>;

/** Time that a scrape waits for the metrics of the other process. */
const metricsMs = 1_000;

/** Part of `process` that a service process needs. */
export interface Channel extends Pick<NodeJS.Process, 'on' | 'off'> {
  readonly connected: boolean;
  send?(message: ServiceMessage, handle: undefined, options: undefined, done: (error: Error | null) => void): unknown;
  disconnect?(): void;
}

export interface SupervisorConnection extends AsyncDisposable {
  /** null when the supervisor is gone, or asks to stop, before anything began. */
  readonly begin: Promise<Begin | null>;
  /** Settles with the reason to stop. */
  readonly stopped: Promise<string>;
  readonly siblings: Siblings;
  up(listeners: Listeners): void;
}

/** Asks the sibling for its metrics, and answers its questions. */
function shareMetrics(tell: (message: ServiceMessage) => void) {
  const waiting = new Map<number, (metrics: readonly object[]) => void>();
  let asked = 0;
  let read: () => Promise<readonly object[]> = async () => [];
  return {
    serve(reader: () => Promise<readonly object[]>): void {
      read = reader;
    },
    async ask(): Promise<readonly (readonly object[])[]> {
      const id = (asked += 1);
      const { promise, resolve } = Promise.withResolvers<readonly object[] | null>();
      waiting.set(id, resolve);
      const timer = setTimeout(() => resolve(null), metricsMs);
      tell({ kind: 'ask-metrics', id });
      const answer = await promise;
      clearTimeout(timer);
      waiting.delete(id);
      return answer === null ? [] : [answer];
    },
    receive(message: OfKind<'ask-metrics' | 'metrics'>): void {
      if (message.kind === 'metrics') waiting.get(message.id)?.(message.metrics);
      // Without an answer, the sibling shows its own metrics.
      else
        read().then(
          (found) => tell({ kind: 'metrics', id: message.id, metrics: found }),
          () => undefined,
        );
    },
  };
}

/** Connects a service process to the supervisor that forked it. */
export function connectToSupervisor(channel: Channel): SupervisorConnection {
  const begin = Promise.withResolvers<Begin | null>();
  const stopped = Promise.withResolvers<string>();
  const wakes = new Set<(delayMs: number, runs?: number) => void>();
  const events = new Set<(stored: OfKind<'events'>['events']) => void>();
  const spent = new Set<(organizationId: string) => void>();
  const tell = (message: ServiceMessage): void => {
    // A message that is lost on a closing channel costs nothing: the database holds what it reports.
    if (channel.connected) channel.send?.(message, undefined, undefined, () => undefined);
  };
  const listenTo = <Listener>(set: Set<Listener>, listener: Listener): (() => void) => {
    set.add(listener);
    return () => void set.delete(listener);
  };
  const stop = (reason: string): void => {
    begin.resolve(null);
    stopped.resolve(reason);
  };
  const metrics = shareMetrics(tell);
  const receive = (message: SupervisorMessage): void => {
    if (message.kind === 'begin') {
      beats = setInterval(() => tell({ kind: 'beat' }), message.beatMs);
      begin.resolve(message);
    } else if (message.kind === 'stop') stop(message.reason);
    else if (message.kind === 'wake') for (const wake of wakes) wake(message.delayMs, message.runs);
    else if (message.kind === 'events') for (const listener of events) listener(message.events);
    else if (message.kind === 'spent') for (const listener of spent) listener(message.organizationId);
    else metrics.receive(message);
  };
  const orphaned = (): void => stop('the supervisor ended');
  let beats: NodeJS.Timeout | undefined;
  channel.on('message', receive);
  channel.on('disconnect', orphaned);
  return {
    begin: begin.promise,
    stopped: stopped.promise,
    siblings: {
      ...noSiblings,
      tellWake: (delayMs, runs) => tell({ kind: 'wake', delayMs, ...(runs !== undefined && { runs }) }),
      tellEvents: (stored) => tell({ kind: 'events', events: stored }),
      tellSpent: (organizationId) => tell({ kind: 'spent', organizationId }),
      metrics: () => metrics.ask(),
      serveMetrics: (read) => metrics.serve(read),
      onWake: (listener) => listenTo(wakes, listener),
      onEvents: (listener) => listenTo(events, listener),
      onSpent: (listener) => void spent.add(listener),
    },
    up: (listeners) => tell({ kind: 'up', ...listeners }),
    async [Symbol.asyncDispose]() {
      clearInterval(beats);
      channel.off('disconnect', orphaned);
      channel.off('message', receive);
      // An open channel keeps the process running.
      if (channel.connected) channel.disconnect?.();
    },
  };
}
