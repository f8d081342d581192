import type * as Bullmq from 'bullmq';
import type { Queue, Worker } from 'bullmq';
import type { RedisLink } from '#src/adapters/redis/redis-link.ts';
import type { WakeQueue } from '#src/domain/ports/wake-queue.ts';

interface Parts {
  readonly link: RedisLink;
  /** Wakes the workers of this process and of its siblings under one supervisor. */
  readonly near: WakeQueue;
  /** Called with every wake-up of another process. */
  readonly arrived: () => void;
}

const name = 'wake';
const prefix = 'inkgraph';
/** Longest time that closing waits for the library. */
const closeMs = 1_000;

/** A wake-up that waits stands for all that follow it; one that is being handled is followed by one more. */
const deduplication = { id: name, keepLastIfActive: true };

type Library = Pick<typeof Bullmq, 'Queue' | 'Worker'>;

function openQueue({ Queue: Made }: Library, link: RedisLink): Queue {
  const queue = new Made(name, {
    connection: link.commands,
    prefix,
    skipVersionCheck: true,
    skipMetasUpdate: true,
    streams: { events: { maxLen: 10 } },
    defaultJobOptions: { attempts: 1, removeOnComplete: true, removeOnFail: true },
  });
  queue.on('error', (error) => link.failed(error));
  return queue;
}

function openWorker({ Worker: Made }: Library, link: RedisLink, arrived: () => void): Worker {
  const worker = new Made(name, async () => arrived(), {
    connection: link.connect(),
    prefix,
    skipVersionCheck: true,
    // A process that dies while it handles a wake-up holds the next ones up for this long.
    lockDuration: 5_000,
    stalledInterval: 5_000,
    maxStalledCount: 100,
    runRetryDelay: 1_000,
    removeOnComplete: { count: 0 },
    removeOnFail: { count: 0 },
  });
  worker.on('error', (error) => link.failed(error));
  return worker;
}

/** Settles within `closeMs`: a server that hangs must not hold up the end of the process. */
async function within(work: Promise<unknown>): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, closeMs);
  await Promise.race([work.catch(() => undefined), promise]);
  clearTimeout(timer);
}

/**
 * Wake-ups that reach the workers of all processes: the workers of this one at once, and one of the others through BullMQ. `notify`
 * waits for nothing: a wake-up that Redis loses is a delay until the worker looks by itself. Source: docs/decisions/0117.
 */
export function createBullmqWakeQueue({ link, near, arrived }: Parts): WakeQueue {
  let loading: Promise<Library> | null = null;
  const library = (): Promise<Library> => (loading ??= import('bullmq'));
  let queue: Queue | null = null;
  let worker: Promise<Worker> | null = null;
  let closed = false;
  let adding = false;
  let again = false;

  const add = async (delayMs: number): Promise<void> => {
    queue ??= openQueue(await library(), link);
    const made = queue;
    const options = delayMs > 0 ? { delay: delayMs } : { deduplication };
    await link.run(() => made.add(name, {}, options));
  };
  /** Adds one wake-up at a time: notifications meanwhile share the next one. */
  const announce = (): void => {
    if (adding) again = true;
    if (adding || closed || !link.isUp) return;
    adding = true;
    add(0)
      // The link counts and logs it.
      .catch(() => undefined)
      .finally(() => {
        adding = false;
        if (!again) return;
        again = false;
        announce();
      });
  };
  return {
    async notify(options = {}) {
      await near.notify(options);
      const { delayMs = 0 } = options;
      if (delayMs <= 0) announce();
      else if (!closed && link.isUp) add(delayMs).catch(() => undefined);
    },
    consume(wake) {
      worker ??= library().then((loaded) => openWorker(loaded, link, arrived));
      worker.catch((error: unknown) => link.failed(error));
      return near.consume(wake);
    },
    async close() {
      if (closed) return;
      closed = true;
      await near.close();
      if (worker !== null) await within(worker.then((made) => made.close(true)));
      if (queue !== null) await within(queue.close());
    },
  };
}
