import { useMemo } from 'react';
import { useShortcuts, type Shortcut } from '../../../shell/shortcuts.ts';
import { documents as words } from '../../../text/documents.ts';
import type { Selection } from './selection.ts';

const none: readonly Shortcut[] = [];

interface Latest {
  readonly current: { readonly active: number; readonly selection: Selection };
}

/** Keys that select, as far as a selection is allowed. */
export function useSelectionKeys(latest: Latest, isAllowed: boolean): void {
  const keys = useMemo(
    () => [
      { keys: 'x', words: words.selectKey, run: () => latest.current.selection.toggle(latest.current.active) },
      { keys: 'mod+a', words: words.selectAllKey, isForPage: true, run: () => latest.current.selection.all() },
      { keys: 'Escape', words: words.selectNoneKey, run: () => latest.current.selection.clear() },
    ],
    [latest],
  );
  useShortcuts(isAllowed ? keys : none);
}
