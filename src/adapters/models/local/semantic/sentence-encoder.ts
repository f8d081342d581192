import { startThread, type GuardedThread } from '#src/adapters/threads/guarded-thread.ts';

/** Passages in one call: a query waits for the call before it. */
const batch = 4;
/** Limit on the work of a call, not on its wait. The first one loads the weights. */
const patienceMs = 30_000;
const usualIdleMs = 60_000;
/**
 * Limits on the thread's heap: 23 MB are in use, and without them garbage of some hundred MB waits to be collected. Tensors are outside of
 * it: they do not grow. Measured: docs/decisions/0144.
 */
const heap = { maxYoungGenerationSizeMb: 8, maxOldGenerationSizeMb: 160 } as const;

/** Starts the thread that encodes. */
export function startSentenceThread(): GuardedThread {
  return startThread(new URL('sentence-thread.ts', import.meta.url), 'sentences', heap);
}

/** Encodes texts to vectors of 512 dimensions, in order. No text may be empty. Rejects when the thread fails or the signal aborts. */
export interface SentenceEncoder {
  encode(texts: readonly string[], signal?: AbortSignal): Promise<readonly Float32Array[]>;
}

/** One thread, started at the first use and ended when nothing was encoded for a minute: it holds about 200 MB. */
export function createSentenceEncoder(
  start: () => GuardedThread = startSentenceThread,
  idleMs = usualIdleMs,
): SentenceEncoder {
  let thread: GuardedThread | null = null;
  let timer: NodeJS.Timeout | null = null;
  let atWork = 0;
  let last: Promise<unknown> = Promise.resolve();

  const endWhenIdle = (): void => {
    timer = setTimeout(() => {
      void thread?.end();
      thread = null;
    }, idleMs);
    timer.unref();
  };

  const encodeBatch = async (texts: readonly string[]): Promise<readonly Float32Array[]> => {
    if (thread === null || thread.ended) thread = start();
    // The limit, not the caller's signal: ending the thread would end the calls of others.
    return (await thread.call('encode', texts, AbortSignal.timeout(patienceMs))) as readonly Float32Array[];
  };

  /** Batches wait here and not in the thread, so that their time begins with their work. */
  const inTurn = async (texts: readonly string[]): Promise<readonly Float32Array[]> => {
    const turn = last.then(() => encodeBatch(texts));
    last = turn.catch(() => undefined);
    return turn;
  };

  return {
    async encode(texts, signal) {
      if (timer !== null) clearTimeout(timer);
      atWork += 1;
      try {
        const vectors: Float32Array[] = [];
        for (let at = 0; at < texts.length; at += batch) {
          signal?.throwIfAborted();
          vectors.push(...(await inTurn(texts.slice(at, at + batch))));
        }
        return vectors;
      } finally {
        atWork -= 1;
        if (atWork === 0) endWhenIdle();
      }
    },
  };
}
