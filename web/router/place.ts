import { useMemo } from 'react';
import { navigate as go, useLocationProperty, usePathname, useSearch } from 'wouter/use-browser-location';
import type { Raw } from '../state/search.ts';
import { parts } from './parts.ts';
import { parseQuery } from './query.ts';

/** Place of the dashboard that an address names. */
export interface Place {
  readonly path: string;
  /** With its `?`, or empty. */
  readonly query: string;
  readonly raw: Raw;
}

export interface Manner {
  /** The address takes the place of the present one in the history. */
  readonly replace?: boolean | undefined;
  /** False: the window stays where it is scrolled to. */
  readonly resetScroll?: boolean | undefined;
}

/** Memory of an entry of the history. A new `key` says that the window is scrolled to `top`. */
interface Entry {
  readonly key?: number;
  readonly top?: number;
}

export const hrefOf = ({ path, query }: Pick<Place, 'path' | 'query'>): string => path + query;

export function here(): Place {
  const { pathname: path, search: query } = location;
  return { path, query, raw: parseQuery(query) };
}

export function usePlace(): Place {
  const [path, query] = [usePathname(), useSearch()];
  return useMemo(() => ({ path, query, raw: parseQuery(query) }), [path, query]);
}

const entry = (): Entry => (history.state as Entry | null) ?? {};

/** Key of the entry of the history. It changes where the window is to be scrolled, and not with each scroll that is remembered. */
export const useEntryKey = (): number => useLocationProperty(() => entry().key ?? 0);

/** Pixels that the window was scrolled down when the entry with this key was left; 0 for one that nobody scrolled. */
export const scrolledTo = (key: number): number => ((entry().key ?? 0) === key ? (entry().top ?? 0) : 0);

function rememberScroll(): void {
  history.replaceState({ ...entry(), top: scrollY }, '');
}

/** Milliseconds that the page before stays, while the next one loads. */
const patienceMs = 300;

/** Moves of this tab, of which the last one counts. */
class Moves {
  #made = 0;

  async make(href: string, { replace = false, resetScroll = true }: Manner): Promise<void> {
    this.#made += 1;
    const mine = this.#made;
    const isReplaced = replace || href === hrefOf(here());
    const state = resetScroll ? { key: Date.now() + mine } : entry();
    const part = parts.arriving(href);
    if (part !== null) await Promise.race([part, new Promise((late) => setTimeout(late, patienceMs))]);
    if (mine !== this.#made) return;
    if (!isReplaced) rememberScroll();
    go(href, { replace: isReplaced, state });
  }
}
const moves = new Moves();

/** Goes to an address of the dashboard: a new entry of the history, or another address of the present one. */
export const move = (href: string, manner: Manner = {}): void => void moves.make(href, manner);

/** Starts to remember how far each entry of the history is scrolled. */
export function keepScroll(): void {
  history.scrollRestoration = 'manual';
  addEventListener('scrollend', rememberScroll);
}
