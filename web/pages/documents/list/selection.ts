import { useState } from 'react';

/** Documents that are chosen for an action. `at` is the place in the list that a range begins at. */
interface Selected {
  readonly ids: ReadonlySet<string>;
  readonly from: number | null;
}

const none: Selected = { ids: new Set(), from: null };

export interface Selection {
  readonly ids: ReadonlySet<string>;
  /** Selects one document, or takes it out; with `isRange` all from the last one on. */
  readonly toggle: (at: number, isRange?: boolean) => void;
  readonly all: () => void;
  readonly clear: () => void;
}

/** Selection over the documents of a list, `listed` in their order. Documents that left the list leave the selection. */
export function useSelection(listed: readonly string[]): Selection {
  const [{ ids, from }, select] = useState<Selected>(none);
  const there = new Set(listed);
  return {
    ids: ids.size === 0 ? ids : new Set([...ids].filter((id) => there.has(id))),
    toggle: (at, isRange = false) => {
      const id = listed[at];
      if (id === undefined) return;
      const next = new Set(ids);
      if (isRange && from !== null)
        for (const one of listed.slice(Math.min(from, at), Math.max(from, at) + 1)) next.add(one);
      else if (!next.delete(id)) next.add(id);
      select({ ids: next, from: at });
    },
    all: () => select({ ids: there, from: null }),
    clear: () => select(none),
  };
}
