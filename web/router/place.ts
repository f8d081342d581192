import type { ComponentType } from 'react';
import { createStore } from '../state/store.ts';
import type { Raw } from '../state/search.ts';
import { match, searchOf, type AnySearch, type Path } from './addresses.ts';
import { parseQuery } from './query.ts';

/** An address of the dashboard, in its parts. */
export interface Place {
  readonly path: string;
  /** With its `?`, or empty. */
  readonly query: string;
  readonly raw: Raw;
}

/** A page as the router loads it. */
export interface PageEntry {
  /** Brings the part of the bundle that has the page. */
  readonly load: () => Promise<ComponentType>;
  /** Asks the server for what the page shows, beside its part. */
  readonly ask?: (search: AnySearch) => void;
}
export type Pages = Readonly<Record<Path, PageEntry>>;

/** State of the window: `Component` is undefined while the part of the page is on its way. */
interface Shown {
  readonly place: Place;
  readonly Component?: ComponentType | undefined;
  readonly error?: unknown;
}

function placeOf(href: string): Place {
  const { pathname, search } = new URL(href, location.href);
  return { path: pathname, query: search, raw: parseQuery(search) };
}

export const hrefOf = ({ path, query }: Place): string => path + query;

export const shown = createStore<Shown>({ place: placeOf(location.href) });

/** Milliseconds that the page before stays, while the next one loads. */
const patienceMs = 300;
const storedAt = 'ink.scroll';

interface Entry {
  readonly place: Place;
  /** Names an entry of the history of this tab. */
  readonly key: string;
}

/** Moves from place to place. One of it follows the history of the tab. */
class Router {
  readonly #loaded = new Map<Path, ComponentType>();
  /** Scroll positions by entry of the history, in pixels. */
  readonly #positions = new Map<string, number>();
  #pages: Pages | null = null;
  #keys = 0;
  #current: Entry = { place: shown.get().place, key: this.#keyOf(history.state) };
  #scroll: number | null = null;

  /** The latest place, which a page that loads does not show yet. */
  here(): Place {
    return this.#current.place;
  }

  /** Pixels to scroll the window to after the page is drawn; null: it stays. Told once. */
  takeScroll(): number | null {
    const target = this.#scroll;
    this.#scroll = null;
    return target;
  }

  /** Loads the part of a page, and asks for its data, before somebody opens it. */
  prepare(href: string): void {
    const { path, raw } = placeOf(href);
    const found = match(path);
    if (found === null) return;
    this.#pages?.[found.page].ask?.(searchOf(found.page, raw));
    // A part that does not come is told of when the page is opened.
    if (!this.#loaded.has(found.page)) this.#load(found.page).catch(() => undefined);
  }

  /** Goes to an address of the dashboard: a new entry of the history, or another address of the present one. */
  move(href: string, { replace = false, resetScroll = true } = {}): void {
    const place = placeOf(href);
    const isReplaced = replace || hrefOf(place) === hrefOf(this.#current.place);
    const key = isReplaced ? this.#current.key : this.#keyOf(null);
    history[isReplaced ? 'replaceState' : 'pushState']({ place: key }, '', href);
    this.#moveTo({ place, key }, resetScroll ? 0 : null);
  }

  /** Follows the history of the tab from now on. */
  start(pages: Pages): void {
    this.#pages = pages;
    history.scrollRestoration = 'manual';
    history.replaceState({ place: this.#current.key }, '');
    addEventListener('popstate', ({ state }) => {
      const place = placeOf(location.href);
      // A link to a part of this page.
      if (hrefOf(place) === hrefOf(this.#current.place)) return;
      const key = this.#keyOf(state);
      this.#moveTo({ place, key }, this.#positions.get(key) ?? 0);
    });
    const stored = (): string => `${storedAt}.${this.#current.key}`;
    this.#scroll = Number(sessionStorage.getItem(stored()) ?? 0);
    addEventListener('pagehide', () => sessionStorage.setItem(stored(), String(scrollY)));
    this.#show();
  }

  #keyOf(state: unknown): string {
    const { place } = (state ?? {}) as { place?: unknown };
    return typeof place === 'string' ? place : `${Date.now()}.${(this.#keys += 1)}`;
  }

  async #load(page: Path): Promise<ComponentType | undefined> {
    const part = await this.#pages?.[page].load();
    if (part !== undefined) this.#loaded.set(page, part);
    return part;
  }

  /** Shows the current place, at once where its page is loaded. */
  #show(): void {
    const { place } = this.#current;
    const found = match(place.path);
    const Component = found === null ? undefined : this.#loaded.get(found.page);
    if (found === null || Component !== undefined) {
      shown.set({ place, Component });
      return;
    }
    this.#pages?.[found.page].ask?.(searchOf(found.page, place.raw));
    const tell = (next: Omit<Shown, 'place'>): void => {
      if (this.#current.place === place) shown.set({ place, ...next });
    };
    const timer = setTimeout(() => tell({}), patienceMs);
    this.#load(found.page)
      .then(
        (part) => tell({ Component: part }),
        (error: unknown) => tell({ error }),
      )
      .finally(() => clearTimeout(timer));
  }

  #moveTo(entry: Entry, scroll: number | null): void {
    this.#positions.set(this.#current.key, scrollY);
    this.#current = entry;
    this.#scroll = scroll;
    this.#show();
  }
}

export const router = new Router();
