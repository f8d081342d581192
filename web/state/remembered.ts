import { createStore, type Store } from './store.ts';

/** A choice of this browser, kept in its storage. Storage that is full or closed loses the choice, and nothing else. */
export function remembered<Value extends string>(name: string, values: readonly Value[], usual: Value): Store<Value> {
  const key = `ink.${name}`;
  const found = values.find((value) => value === localStorage.getItem(key));
  const store = createStore<Value>(found ?? usual);
  store.subscribe(() => {
    try {
      localStorage.setItem(key, store.get());
    } catch {
      // The choice holds until the page is closed.
    }
  });
  return store;
}
