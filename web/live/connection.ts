import { createStore } from '../state/store.ts';

/** State of the connection: `off` before the first attempt. */
export type Connection = 'off' | 'live' | 'lost';

/** State of the live updates, for the line that tells of it. */
export const connection = createStore<Connection>('off');

/** Execution whose own stream keeps the shown run fresh: the feed has no events of drafts and experiments. */
export const followed = createStore<string | null>(null);
