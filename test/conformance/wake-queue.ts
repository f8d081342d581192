import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { WakeQueue } from '#src/domain/ports/wake-queue.ts';

export interface WakeQueueUnderTest {
  readonly queue: WakeQueue;
  close(): Promise<void>;
}

/** Counts wake-ups and lets a test wait for the next one. */
function listener(): { wake: () => void; next(): Promise<void>; count: () => number } {
  let count = 0;
  let waiting = Promise.withResolvers<void>();
  return {
    wake: () => {
      count += 1;
      waiting.resolve();
      waiting = Promise.withResolvers<void>();
    },
    next: () => waiting.promise,
    count: () => count,
  };
}

/** The promise of `WakeQueue`, for every adapter. `make` is called for each test, which closes what it made. */
export function wakeQueueConformance(name: string, make: () => Promise<WakeQueueUnderTest>): void {
  describe(`${name} as a WakeQueue`, () => {
    let subject: WakeQueueUnderTest;
    beforeEach(async () => {
      subject = await make();
    });
    afterEach(() => subject.close());

    test('a notification wakes a consumer', async () => {
      const { wake, next } = listener();
      subject.queue.consume(wake);
      const woken = next();
      await subject.queue.notify();
      await woken;
    });

    test('every notification is followed by a wake-up, though several may share one', async () => {
      const { wake, next, count } = listener();
      subject.queue.consume(wake);
      for (let round = 1; round <= 3; round += 1) {
        const woken = next();
        await Promise.all([subject.queue.notify(), subject.queue.notify(), subject.queue.notify()]);
        await woken;
        expect(count()).toBeGreaterThanOrEqual(round);
      }
    });

    test('a delayed notification wakes after the delay, not before', async () => {
      const { wake, next, count } = listener();
      subject.queue.consume(wake);
      const started = performance.now();
      const woken = next();
      await subject.queue.notify({ delayMs: 60 });
      expect(count()).toBe(0);
      await woken;
      expect(performance.now() - started).toBeGreaterThanOrEqual(55);
    });

    test('a consumer that closed is not woken any more', async () => {
      const [closed, open] = [listener(), listener()];
      const consumer = subject.queue.consume(closed.wake);
      await consumer.close();
      await consumer.close();
      subject.queue.consume(open.wake);
      const woken = open.next();
      await subject.queue.notify();
      await woken;
      expect(closed.count()).toBe(0);
    });

    test('a notification without consumers is not an error', async () => {
      await expect(subject.queue.notify()).resolves.toBeUndefined();
    });

    test('a closed queue wakes no consumer, delayed notifications included, and closing twice is allowed', async () => {
      const { wake, count } = listener();
      subject.queue.consume(wake);
      await subject.queue.notify({ delayMs: 30 });
      await subject.queue.close();
      await subject.queue.close();
      const later = Promise.withResolvers<void>();
      setTimeout(later.resolve, 60);
      await later.promise;
      expect(count()).toBe(0);
    });
  });
}
