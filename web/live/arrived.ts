import { createStore } from '../state/store.ts';

/** Documents that arrived since the list was loaded: the list says so, and does not move what a person is reading. */
export const arrived = createStore<readonly string[]>([]);
