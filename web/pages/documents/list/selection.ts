import { useState } from 'react';

/** Documents that are chosen for an action. `at` is the place in the list that a range begins at. */
interface Selected {
  readonly ids: ReadonlySet<string>;
  readonly from: number | null;
  /** Filter whose matches are all selected, loaded or not. Another filter has another selection. */
  readonly wholeOf?: string;
}

const none: Selected = { ids: new Set(), from: null };

export interface Selection {
  /** False: the person may do nothing with a selection, so that there is none. */
  readonly isAllowed: boolean;
  readonly ids: ReadonlySet<string>;
  /** True: all documents that match, loaded or not. */
  readonly isWhole: boolean;
  /** Selects one document, or takes it out; with `isRange` all from the last one on. */
  readonly toggle: (at: number, isRange?: boolean) => void;
  readonly all: () => void;
  readonly whole: () => void;
  readonly clear: () => void;
}

/** Selection over the documents of a list, `listed` in their order; `filter` names what they match. Documents that left the list leave the selection. */
export function useSelection(listed: readonly string[], filter: string, isAllowed: boolean): Selection {
  const [{ ids, from, wholeOf }, select] = useState<Selected>(none);
  const isWhole = wholeOf === filter;
  const there = new Set(listed);
  return {
    isAllowed,
    isWhole,
    ids: isWhole ? there : ids.size === 0 ? ids : new Set([...ids].filter((id) => there.has(id))),
    toggle: (at, isRange = false) => {
      const id = listed[at];
      if (id === undefined || !isAllowed) return;
      const next = new Set(isWhole ? there : ids);
      if (isRange && from !== null)
        for (const one of listed.slice(Math.min(from, at), Math.max(from, at) + 1)) next.add(one);
      else if (!next.delete(id)) next.add(id);
      select({ ids: next, from: at });
    },
    all: () => select(isAllowed ? { ids: there, from: null } : none),
    whole: () => select(isAllowed ? { ids: none.ids, from: null, wholeOf: filter } : none),
    clear: () => select(none),
  };
}
