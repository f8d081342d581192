import { createStore } from './store.ts';

/** Words for people who hear the page, in one polite region. */
export const announcement = createStore('');

const pauseMs = 5_000;
const pending: { words: string | null; until: number } = { words: null, until: 0 };

/** Says something to screen readers, at most once in five seconds: the last words win. */
export function announce(words: string): void {
  const wait = pending.until - Date.now();
  if (wait <= 0) {
    pending.until = Date.now() + pauseMs;
    announcement.set(words);
    return;
  }
  const isWaiting = pending.words !== null;
  pending.words = words;
  if (isWaiting) return;
  setTimeout(() => {
    const last = pending.words;
    pending.words = null;
    if (last !== null) announce(last);
  }, wait);
}
