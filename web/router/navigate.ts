import { useMemo } from 'react';
import { useStore } from '../state/store.ts';
import { match, searchOf, type AnySearch, type Path, type SearchOf } from './addresses.ts';
import { hrefOf, router, shown } from './place.ts';
import { parseQuery } from './query.ts';
import { addressOf, type Search, type Target } from './target.ts';

interface Manner {
  /** The address takes the place of the present one in the history. */
  readonly replace?: boolean;
  /** False: the window stays where it is scrolled to. */
  readonly resetScroll?: boolean;
}

/** Goes to a page. */
export function navigate<P extends Path | '.'>(target: Target<P> & Manner): void {
  router.move(addressOf(target, router.here()), target);
}

function useSearchOf(page: Path | undefined): AnySearch {
  const { query } = useStore(shown).place;
  // The same object for the same address, so that effects which depend on it do not run again.
  return useMemo(() => searchOf(page, parseQuery(query)), [page, query]);
}

/** Parameters of the page that shows, whichever it is. */
export const useAnySearch = (): AnySearch => useSearchOf(match(useStore(shown).place.path)?.page);

/** The address that shows. */
export const useAddress = (): string => hrefOf(useStore(shown).place);

/** The address of one page, for the components of that page. */
export function pageAt<P extends Path>(page: P) {
  const change = ({ search, ...manner }: Search<SearchOf<P>, SearchOf<P>> & Manner): void =>
    router.move(addressOf({ to: '.', search }, router.here()), manner);
  return {
    /** Changes parameters of the page. */
    navigate: change,
    useSearch: () => useSearchOf(page) as SearchOf<P>,
    useId: () => match(useStore(shown).place.path)?.id ?? '',
  };
}
