import { call } from '../../api/client.ts';
import type { Reply } from '../../api/families.ts';
import { toastError } from '../../parts/toast.tsx';
import type { Store } from '../../state/store.ts';
import { singleKeys } from '../shortcuts.ts';
import { density, theme } from '../theme.ts';

type Preferences = Reply<'operators', 'preferences'>;

/** Calls `changed` when a person changes the store, and not when the server's choice is set. */
function follow<Value>(store: Store<Value>, changed: (value: Value) => void) {
  let known = store.get();
  const stop = store.subscribe(() => {
    if (Object.is(store.get(), known)) return;
    known = store.get();
    changed(known);
  });
  return {
    stop,
    take: (value: Value): void => {
      known = value;
      store.set(value);
    },
  };
}

/** Keeps theme, density and single keys as the person chose them, in every browser. Returns the end of it. */
export function followPreferences(): () => void {
  const changed = new Set<keyof Preferences>();
  const save = (change: Partial<Preferences>): void => {
    for (const name of Object.keys(change)) changed.add(name as keyof Preferences);
    call('operators', 'changePreferences', { body: change }).catch(toastError);
  };
  const themes = follow(theme, (value) => save({ theme: value }));
  const densities = follow(density, (value) => save({ density: value }));
  const keys = follow(singleKeys, (value) => save({ shortcuts: value === 'on' }));
  const take = (found: Preferences): void => {
    // A choice that was made while they were on their way is newer.
    if (!changed.has('theme')) themes.take(found.theme);
    if (!changed.has('density')) densities.take(found.density);
    if (!changed.has('shortcuts')) keys.take(found.shortcuts ? 'on' : 'off');
  };
  // Without an answer this browser keeps its own choice.
  call('operators', 'preferences', {}).then(take, () => undefined);
  return () => {
    for (const { stop } of [themes, densities, keys]) stop();
  };
}
