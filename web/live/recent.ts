import { createStore } from '../state/store.ts';
import { withNewestPages, type LiveEvent } from './event.ts';

type Recent = LiveEvent & { readonly key: number };

/** The latest events since this tab was opened, newest first, each with a key of its own. */
export const recent = createStore<readonly Recent[]>([]);

const kept = 200;

/** Returns the listener that remembers events. It sets the store once for each frame, as a burst brings hundreds. */
export function rememberer(): (event: LiveEvent) => void {
  let next = 1;
  let waiting: readonly Recent[] = [];
  const flush = (): void => {
    const came = waiting;
    waiting = [];
    recent.set((all) => withNewestPages([...came, ...all]).slice(0, kept));
  };
  return (event) => {
    if (waiting.length === 0) requestAnimationFrame(flush);
    // Hidden tabs have no frames: what no list will show is not kept for them either.
    waiting = withNewestPages([{ ...event, key: next++ }, ...waiting]).slice(0, kept);
  };
}
