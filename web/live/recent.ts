import { createStore } from '../state/store.ts';
import type { LiveEvent } from './event.ts';

/** The latest events since this tab was opened, newest first, each with a key of its own. */
export const recent = createStore<readonly (LiveEvent & { readonly key: number })[]>([]);

const kept = 200;

export function remember(event: LiveEvent): void {
  recent.set((all) => [{ ...event, key: (all[0]?.key ?? 0) + 1 }, ...all.slice(0, kept - 1)]);
}
