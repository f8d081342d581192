import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { SessionStore } from '#src/domain/ports/sessions.ts';

export interface OpenedSessionStore {
  readonly store: SessionStore;
  /** Lets time pass for the store, in seconds. */
  pass(seconds: number): Promise<void>;
  close(): Promise<void>;
}

/** Requirements on every session store. */
export function sessionStoreConformance(name: string, open: () => Promise<OpenedSessionStore>): void {
  describe(`${name} as a session store`, () => {
    let opened: OpenedSessionStore;
    beforeEach(async () => {
      opened = await open();
    });
    afterEach(() => opened.close());

    test('answers what was set last, and null for what was not', async () => {
      const { store } = opened;
      expect(await store.get('a')).toBeNull();
      await store.set('a', '1');
      await store.set('a', '{"two":"ü"}', 60);
      expect(await store.get('a')).toBe('{"two":"ü"}');
      expect(await store.get('b')).toBeNull();
    });

    test('forgets a value when its time is over, and keeps one that has none', async () => {
      const { store } = opened;
      await store.set('short', '1', 2);
      await store.set('long', '1', 60);
      await store.set('ever', '1');
      await opened.pass(3);
      expect(await Promise.all(['short', 'long', 'ever'].map((key) => store.get(key)))).toEqual([null, '1', '1']);
    });

    test('a value that is set again begins its time anew', async () => {
      const { store } = opened;
      await store.set('a', '1', 2);
      await store.set('a', '2', 60);
      await opened.pass(3);
      expect(await store.get('a')).toBe('2');
    });

    test('deletes at once, also what is not there', async () => {
      const { store } = opened;
      await store.set('a', '1');
      await store.delete('a');
      await store.delete('a');
      expect(await store.get('a')).toBeNull();
    });

    test('gives a value away once, however many ask together', async () => {
      const { store } = opened;
      await store.set('a', '1', 60);
      const taken = await Promise.all(Array.from({ length: 8 }, () => store.getAndDelete('a')));
      expect(taken.filter((value) => value !== null)).toEqual(['1']);
      expect(await store.get('a')).toBeNull();
    });

    test('counts without losing one, in a window that its first call begins', async () => {
      const { store } = opened;
      const counts = await Promise.all(Array.from({ length: 20 }, () => store.increment('n', 10)));
      expect(counts.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, index) => index + 1));
      await opened.pass(6);
      expect(await store.increment('n', 10)).toBe(21);
      await opened.pass(6);
      expect(await store.increment('n', 10)).toBe(1);
    });
  });
}
