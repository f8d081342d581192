import { pageAt } from '../../router/navigate.ts';
import { useMemo, useSyncExternalStore } from 'react';
import { boxText, parseBox, type Box } from '../../page-view/geometry.ts';
import type { WordAt } from '../../page-view/words.ts';
import { createStore, type Store } from '../../state/store.ts';
import type { DocumentTab } from './search.ts';

const route = pageAt('/documents/$id');

/** Page, place and tab that the address names, and what changes them. */
export function usePlace() {
  const { page = 0, tab = 'text', box } = route.useSearch();
  const { navigate } = route;
  const target = useMemo(() => parseBox(box), [box]);
  return useMemo(
    () => ({
      page,
      tab,
      target,
      toPage: (next: number) =>
        navigate({
          search: (old) => ({ ...old, page: next === 0 ? undefined : next, box: undefined }),
          replace: true,
        }),
      toBox: (next: number, place: Box) =>
        navigate({
          search: (old) => ({ ...old, page: next === 0 ? undefined : next, box: boxText(place) }),
          replace: true,
        }),
      toTab: (next: DocumentTab) =>
        navigate({ search: (old) => ({ ...old, tab: next === 'text' ? undefined : next }), replace: true }),
    }),
    [page, tab, target, navigate],
  );
}
export type Place = ReturnType<typeof usePlace>;

/** The word that is lit on both sides. A store, because it changes with each move of the pointer. */
export type Lit = Store<WordAt | null>;
export const createLit = (): Lit => createStore<WordAt | null>(null);

/** Index of the lit word of one line, or -1: only the lines that change are drawn again. */
export const useLitWord = (lit: Lit, line: number): number =>
  useSyncExternalStore(lit.subscribe, () => {
    const at = lit.get();
    return at?.line === line ? at.word : -1;
  });
