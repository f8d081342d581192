import { useMemo } from 'react';
import { match, searchOf, type AnySearch, type Path, type SearchOf } from './addresses.ts';
import { here, hrefOf, move, usePlace, type Manner } from './place.ts';
import { addressOf, type Search, type Target } from './target.ts';

/** Goes to a page. */
export function navigate<P extends Path | '.'>(target: Target<P> & Manner): void {
  move(addressOf(target, here()), target);
}

function useSearchOf(page: Path | undefined): AnySearch {
  const { raw } = usePlace();
  // The same object for the same address, so that effects which depend on it do not run again.
  return useMemo(() => searchOf(page, raw), [page, raw]);
}

/** Parameters of the page that shows, whichever it is. */
export const useAnySearch = (): AnySearch => useSearchOf(match(usePlace().path)?.page);

/** The address that shows. */
export const useAddress = (): string => hrefOf(usePlace());

/** The address of one page, for the components of that page. */
export function pageAt<P extends Path>(page: P) {
  const change = ({ search, ...manner }: Search<SearchOf<P>, SearchOf<P>> & Manner): void =>
    move(addressOf({ to: '.', search }, here()), manner);
  return {
    /** Changes parameters of the page. */
    navigate: change,
    useSearch: () => useSearchOf(page) as SearchOf<P>,
    useId: () => match(usePlace().path)?.id ?? '',
  };
}
