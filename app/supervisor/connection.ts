import type { Listeners } from '#app/compose/services.ts';
import type { Siblings } from '#app/compose/siblings.ts';
import type { Nudge, ServiceMessage, SupervisorMessage } from '#app/supervisor/messages.ts';

type Begin = Extract<SupervisorMessage, { kind: 'begin' }>;
type OfKind<Kind extends Nudge['kind']> = Extract<Nudge, { kind: Kind }>;

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

/** Connects a service process to the supervisor that forked it. */
export function connectToSupervisor(channel: Channel): SupervisorConnection {
  const begin = Promise.withResolvers<Begin | null>();
  const stopped = Promise.withResolvers<string>();
  const wakes = new Set<(delayMs: number) => void>();
  const events = new Set<(stored: OfKind<'events'>['events']) => void>();
  const tell = (message: ServiceMessage): void => {
    // What a message reports is in the database, so one that is lost on a closing channel costs nothing.
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
  const receive = (message: SupervisorMessage): void => {
    if (message.kind === 'begin') begin.resolve(message);
    else if (message.kind === 'stop') stop('stop');
    else if (message.kind === 'wake') for (const wake of wakes) wake(message.delayMs);
    else for (const listener of events) listener(message.events);
  };
  const orphaned = (): void => stop('the supervisor ended');
  channel.on('message', receive);
  channel.on('disconnect', orphaned);
  return {
    begin: begin.promise,
    stopped: stopped.promise,
    siblings: {
      tellWake: (delayMs) => tell({ kind: 'wake', delayMs }),
      tellEvents: (stored) => tell({ kind: 'events', events: stored }),
      onWake: (listener) => listenTo(wakes, listener),
      onEvents: (listener) => listenTo(events, listener),
    },
    up: (listeners) => tell({ kind: 'up', ...listeners }),
    async [Symbol.asyncDispose]() {
      channel.off('disconnect', orphaned);
      channel.off('message', receive);
      // An open channel keeps the process running.
      if (channel.connected) channel.disconnect?.();
    },
  };
}
