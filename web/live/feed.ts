import type { QueryClient } from '@tanstack/react-query';
import { EventSourceParserStream } from 'eventsource-parser/stream';
import { address } from '../api/client.ts';
import { problemOf } from '../api/problem.ts';
import { applier } from './apply.ts';
import { connection, followed, type Connection } from './connection.ts';
import type { LiveEvent } from './event.ts';
import { rememberer } from './recent.ts';

type Message = { readonly event: LiveEvent; readonly id: string | null } | { readonly state: Connection };
type Listener = (event: LiveEvent) => void;

const longestPauseMs = 30_000;

/** A stream, and the id of the last event that was told; null before the first. */
interface Place {
  readonly url: string;
  lastId: string | null;
}

/** Reads the stream once, and keeps its place. True: nothing more will come. Throws `Problem` when the server refuses. */
async function follow(place: Place, tell: (message: Message) => void, signal: AbortSignal): Promise<boolean> {
  const headers: Record<string, string> = place.lastId === null ? {} : { 'last-event-id': place.lastId };
  // Not EventSource, which hides why a stream was refused.
  const response = await fetch(place.url, { headers, signal });
  if (response.status === 204) return true;
  if (!response.ok || response.body === null) throw await problemOf(response);
  tell({ state: 'live' });
  const events = response.body.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream());
  for await (const { id, data } of events as unknown as AsyncIterable<{ id?: string; data: string }>) {
    place.lastId = id ?? place.lastId;
    const event = JSON.parse(data) as LiveEvent;
    tell({ event, id: place.lastId });
    if (event.type === 'execution.completed') return true;
  }
  return false;
}

const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    const go = (): void => {
      clearTimeout(timer);
      removeEventListener('online', go);
      resolve();
    };
    signal.addEventListener('abort', go);
    addEventListener('online', go);
  });

/** Statuses of a person who is signed out or may not read it any more, and of a stream that is gone. */
const finalStatuses: ReadonlySet<unknown> = new Set([401, 403, 404]);

/**
 * Keeps one stream open until it is over or `signal` aborts: after an end it resumes where it was, after refusals it waits longer each time.
 */
async function keepOpen(place: Place, tell: (message: Message) => void, signal: AbortSignal): Promise<void> {
  let failures = 0;
  while (!signal.aborted) {
    const began = Date.now();
    // A connection that the machine lost ends by itself only after minutes.
    const offline = new AbortController();
    const end = () => offline.abort();
    addEventListener('offline', end);
    try {
      if (await follow(place, tell, AbortSignal.any([signal, offline.signal]))) return;
    } catch (error) {
      if (signal.aborted) return;
      // Signed out: the next request of the page leads to the sign-in.
      if (error instanceof Error && 'status' in error && finalStatuses.has(error.status)) return;
    } finally {
      removeEventListener('offline', end);
    }
    if (signal.aborted) return;
    tell({ state: 'lost' });
    // Without a place, nobody knows what happened meanwhile.
    if (place.lastId === null) tell({ event: { type: 'reset', at: new Date().toISOString() }, id: null });
    failures = Date.now() - began > longestPauseMs ? 0 : failures + 1;
    await pause(Math.min(longestPauseMs, 500 * 2 ** failures) * (0.5 + Math.random() / 2), signal);
  }
}

/**
 * Calls `listener` with each event of the organization, over one stream for all tabs of this browser: the tab that holds the lock
 * reads it and passes events on, and the next one takes over when it closes. Returns the end of it.
 */
function listen(listener: Listener): () => void {
  const stop = new AbortController();
  // Known in every tab, so that the next one goes on where the one before ended.
  const place: Place = { url: address('live', 'realtime', {}), lastId: null };
  const receive = (message: Message): void => {
    if ('state' in message) connection.set(message.state);
    else {
      place.lastId = message.id;
      listener(message.event);
    }
  };
  // Pages of other machines without https have no locks: each tab has a stream of its own there.
  if (!('locks' in navigator)) {
    void keepOpen(place, receive, stop.signal);
    return () => stop.abort();
  }
  const channel = new BroadcastChannel('ink.feed');
  channel.addEventListener('message', ({ data }: MessageEvent<Message>) => receive(data));
  const lead = (): Promise<void> =>
    keepOpen(
      place,
      (message) => {
        receive(message);
        channel.postMessage(message);
      },
      stop.signal,
    );
  navigator.locks.request('ink.feed', { signal: stop.signal }, lead).catch(() => undefined);
  return () => {
    stop.abort();
    channel.close();
  };
}

/**
 * Follows the stream of the execution that `followed` names, and hands its events to `apply`. A tab that nobody sees reads none: browsers
 * open few connections to one server. Returns the end of it. Source: docs/decisions/0269.
 */
function followShown(apply: Listener): () => void {
  let stop = new AbortController();
  const tell = (message: Message): void => {
    if ('event' in message)
      apply(message.event.type === 'execution.completed' ? { ...message.event, type: 'run.completed' } : message.event);
  };
  const turn = (): void => {
    stop.abort();
    stop = new AbortController();
    const id = followed.get();
    if (id === null || document.hidden) return;
    // From the first event: each time costs one request of the run.
    void keepOpen({ url: address('runs', 'executionEvents', { params: { id } }), lastId: null }, tell, stop.signal);
  };
  turn();
  const leave = followed.subscribe(turn);
  document.addEventListener('visibilitychange', turn);
  return () => {
    leave();
    document.removeEventListener('visibilitychange', turn);
    stop.abort();
  };
}

/** Follows the feed, keeps the cache fresh by it and remembers the latest events. Returns the end of it. */
export function startLive(client: QueryClient): () => void {
  const apply = applier(client);
  const remember = rememberer();
  const leave = followShown(apply);
  const end = listen((event) => {
    apply(event);
    remember(event);
  });
  return () => {
    leave();
    end();
  };
}
