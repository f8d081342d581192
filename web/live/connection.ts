import { createStore } from '../state/store.ts';

/** State of the connection: `off` before the first attempt. */
export type Connection = 'off' | 'live' | 'lost';

/** State of the live updates, for the line that tells of it. */
export const connection = createStore<Connection>('off');
