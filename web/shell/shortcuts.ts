import { useEffect } from 'react';
import { createStore } from '../state/store.ts';
import { remembered } from '../state/remembered.ts';

/** One key, or two in a row: `g d`. `mod+k` is Control or Command with a key, `mod+shift+z` also with Shift; these work inside text boxes, too. */
export interface Shortcut {
  readonly keys: string;
  readonly words: string;
  readonly run: () => void;
  /** True: inside text boxes the key keeps its usual meaning, although it has `mod`. */
  readonly isForPage?: boolean;
}

/** Shortcuts of everything on the screen, for the list that `?` opens. */
export const shortcuts = createStore<readonly Shortcut[]>([]);
/** People who dictate or have tremors turn single keys off (WCAG 2.1.4). */
export const singleKeys = remembered('shortcuts', ['on', 'off'], 'on');

const prefixes = new Set(['g']);

/** Adds shortcuts, and returns their end. Throws when a key has another meaning already. */
export function addShortcuts(list: readonly Shortcut[]): () => void {
  const taken = new Set(shortcuts.get().map(({ keys }) => keys));
  for (const { keys } of list) if (taken.has(keys)) throw new Error(`The shortcut ${keys} has two meanings.`);
  shortcuts.set((all) => [...all, ...list]);
  return () => shortcuts.set((all) => all.filter((one) => !list.includes(one)));
}

/** Shortcuts for as long as a component is there. `list` must keep its identity: `useMemo`. */
export function useShortcuts(list: readonly Shortcut[]): void {
  useEffect(() => addShortcuts(list), [list]);
}

const buttonLike = new Set(['checkbox', 'radio', 'button', 'submit', 'range']);

function isTyping(target: EventTarget | null): boolean {
  if (target instanceof HTMLInputElement) return !buttonLike.has(target.type);
  return target instanceof HTMLElement && (target.isContentEditable || /^(TEXTAREA|SELECT)$/.test(target.tagName));
}

/** Listens to the keyboard. Dialogs keep their keys for themselves. */
export function listenToKeys(): () => void {
  let prefix: string | null = null;
  const onKey = (event: KeyboardEvent): void => {
    if (event.defaultPrevented || event.altKey || event.isComposing) return;
    const mod = event.ctrlKey || event.metaKey;
    const pressed = mod ? `mod+${event.shiftKey ? 'shift+' : ''}${event.key.toLowerCase()}` : event.key;
    if (!mod && (isTyping(event.target) || singleKeys.get() === 'off')) return;
    const keys = prefix === null ? pressed : `${prefix} ${pressed}`;
    prefix = prefix === null && prefixes.has(pressed) ? pressed : null;
    const found = shortcuts.get().find((one) => one.keys === keys);
    if (found === undefined || (found.isForPage === true && isTyping(event.target))) return;
    event.preventDefault();
    found.run();
  };
  addEventListener('keydown', onKey);
  return () => removeEventListener('keydown', onKey);
}
