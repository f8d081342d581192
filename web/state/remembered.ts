import { createStore, type Store } from './store.ts';

function kept<Value extends string>(key: string, store: Store<Value>): Store<Value> {
  store.subscribe(() => {
    try {
      localStorage.setItem(key, store.get());
    } catch {
      // The choice holds until the page is closed.
    }
  });
  return store;
}

/** A choice of this browser, kept in its storage. Storage that is full or closed loses the choice, and nothing else. */
export function remembered<Value extends string>(name: string, values: readonly Value[], usual: Value): Store<Value> {
  const key = `ink.${name}`;
  const found = values.find((value) => value === localStorage.getItem(key));
  return kept(key, createStore<Value>(found ?? usual));
}

/** The same for any text. Empty: nothing was chosen. */
export function rememberedText(name: string): Store<string> {
  const key = `ink.${name}`;
  return kept(key, createStore(localStorage.getItem(key) ?? ''));
}
