import { randomUUID } from 'node:crypto';
import type { RedisLink } from '#src/adapters/redis/redis-link.ts';
import type { LogRange } from '#src/stores/event-log.ts';

/** Messages between processes that say where to look, never what is there: a lost one is only a delay. */
export interface Nudges {
  /** Tells the others the numbers of new events in the logs of organizations. */
  tellEvents(ranges: ReadonlyMap<string, LogRange>): void;
  /** Tells the others that somebody's access may have ended. */
  tellAccess(): void;
  /** Returns a function that stops listening. */
  onEvents(listener: (organizationId: string, range: LogRange) => void): () => void;
  /** Calls the listener also when messages may have been lost. */
  onAccess(listener: () => void): () => void;
  /** True while messages of the others arrive here, and have for long enough that a look each second found those before. */
  arrive(): boolean;
  close(): void;
}

interface Message {
  /** Process that sent it. */
  readonly from: string;
  /** Organization, first and last number. */
  readonly events?: readonly (readonly [string, number, number])[];
  readonly access?: true;
}

/** Shortest time between two messages of a process. */
const gapMs = 20;
/** Age of the last answer on the connection at which it counts as dead. */
const silenceMs = 3_000;
const pingMs = 1_000;
/** Longer than the interval of looks while no messages arrive. */
const settleMs = 2_500;

function parsed(text: string): Partial<Message> {
  try {
    const message: unknown = JSON.parse(text);
    return typeof message === 'object' && message !== null ? message : {};
  } catch {
    // Another program's message on this channel.
    return {};
  }
}

function rangeOf(entry: unknown): { readonly id: string; readonly range: LogRange } | null {
  if (!Array.isArray(entry)) return null;
  const [id, first, last] = entry as unknown[];
  if (typeof id !== 'string' || !Number.isSafeInteger(first) || !Number.isSafeInteger(last)) return null;
  return { id, range: { first: Number(first), last: Number(last) } };
}

/** Collects what there is to tell, and sends it at once or a moment after the last message. */
function createOutbox(send: (message: Omit<Message, 'from'>) => void) {
  const ranges = new Map<string, LogRange>();
  let access = false;
  let timer: NodeJS.Timeout | null = null;
  const flush = (): void => {
    timer = null;
    if (ranges.size === 0 && !access) return;
    const events = [...ranges].map(([id, { first, last }]) => [id, first, last] as const);
    send({ ...(events.length > 0 ? { events } : {}), ...(access ? { access } : {}) });
    ranges.clear();
    access = false;
    timer = setTimeout(flush, gapMs);
  };
  return {
    addEvents(added: ReadonlyMap<string, LogRange>): void {
      for (const [id, { first, last }] of added) {
        const known = ranges.get(id) ?? { first, last };
        ranges.set(id, { first: Math.min(known.first, first), last: Math.max(known.last, last) });
      }
      if (timer === null) flush();
    },
    addAccess(): void {
      access = true;
      if (timer === null) flush();
    },
    /** Sends the rest. */
    close(): void {
      if (timer !== null) clearTimeout(timer);
      flush();
      if (timer !== null) clearTimeout(timer);
    },
  };
}

/** Nudges by publish and subscribe. Source: docs/decisions/0119. */
export function createNudges(link: RedisLink): Nudges {
  const from = randomUUID();
  const channel = `inkgraph:${link.database}:nudges`;
  const events = new Set<(organizationId: string, range: LogRange) => void>();
  const access = new Set<() => void>();
  let subscribed = false;
  let subscribedAt = 0;
  let answeredAt = 0;
  const subscriber = link.connect({ autoResubscribe: false, socketTimeout: silenceMs });
  const subscribe = async (): Promise<void> => {
    await subscriber.subscribe(channel);
    subscribed = true;
    subscribedAt = performance.now();
    answeredAt = subscribedAt;
    // Messages before the subscription did not arrive here.
    for (const listener of access) listener();
  };
  subscriber.on('ready', () => void subscribe().catch((error: unknown) => link.failed(error)));
  subscriber.on('close', () => (subscribed = false));
  subscriber.on('message', (_channel: string, text: string) => {
    const message = parsed(text);
    if (message.from === from) return;
    for (const entry of Array.isArray(message.events) ? message.events : []) {
      const found = rangeOf(entry);
      if (found !== null) for (const listener of events) listener(found.id, found.range);
    }
    if (message.access === true) for (const listener of access) listener();
  });
  let pinging = false;
  const ping = setInterval(() => {
    if (!subscribed || pinging) return;
    pinging = true;
    subscriber
      .ping()
      .then(
        () => (answeredAt = performance.now()),
        () => undefined,
      )
      .finally(() => (pinging = false));
  }, pingMs).unref();
  const outbox = createOutbox((message) => {
    // The link counts and logs what fails.
    link.run((client) => client.publish(channel, JSON.stringify({ from, ...message }))).catch(() => undefined);
  });
  const listen = <Listener>(set: Set<Listener>, listener: Listener): (() => void) => {
    set.add(listener);
    return () => void set.delete(listener);
  };
  return {
    tellEvents: (ranges) => outbox.addEvents(ranges),
    tellAccess: () => outbox.addAccess(),
    onEvents: (listener) => listen(events, listener),
    onAccess: (listener) => listen(access, listener),
    arrive() {
      const now = performance.now();
      return subscribed && now - subscribedAt >= settleMs && now - answeredAt < silenceMs;
    },
    close() {
      outbox.close();
      clearInterval(ping);
      subscriber.disconnect();
    },
  };
}
