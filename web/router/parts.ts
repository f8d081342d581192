import type { ComponentType } from 'react';
import { createStore } from '../state/store.ts';
import { match, searchOf, type AnySearch, type Path } from './addresses.ts';
import { parseQuery } from './query.ts';

/** A page as the router loads it. */
export interface PageEntry {
  /** Brings the part of the bundle that has the page. */
  readonly load: () => Promise<ComponentType>;
  /** Asks the server for what the page shows, beside its part. */
  readonly ask?: (search: AnySearch) => void;
}
export type Pages = Readonly<Record<Path, PageEntry>>;

/** Outcome of loading the part of a page. */
type Part = { readonly Page: ComponentType } | { readonly error: unknown };

function placeOf(href: string): { readonly page: Path; readonly query: string } | null {
  const { pathname, search: query } = new URL(href, 'http://dashboard');
  const page = match(pathname)?.page;
  return page === undefined ? null : { page, query };
}

/** Parts of the bundle that have pages. */
export class Parts {
  readonly loaded = createStore<ReadonlyMap<Path, Part>>(new Map());
  readonly #loading = new Map<Path, Promise<void>>();
  #pages: Pages | null = null;

  /** Sets the pages of the dashboard. */
  start(pages: Pages): void {
    this.#pages = pages;
  }

  /** Loads the part of a page, and asks for its data, before somebody opens it. Settles when the part came, or did not. */
  async prepare(href: string): Promise<void> {
    const place = placeOf(href);
    if (place === null || this.#pages === null) return;
    const { page, query } = place;
    this.#pages[page].ask?.(searchOf(page, parseQuery(query)));
    if (this.#isThere(page)) return;
    const coming = this.#loading.get(page) ?? this.#load(page, this.#pages[page]);
    this.#loading.set(page, coming);
    await coming;
  }

  /** The same for a page that somebody opens. Null: it can be shown, and asks for its data itself. */
  arriving(href: string): Promise<void> | null {
    const place = placeOf(href);
    return place === null || this.#isThere(place.page) ? null : this.prepare(href);
  }

  #isThere(page: Path): boolean {
    const part = this.loaded.get().get(page);
    return part !== undefined && 'Page' in part;
  }

  /** Loads a part. One that did not come is asked for again when somebody opens its page. */
  async #load(page: Path, entry: PageEntry): Promise<void> {
    const part: Part = await entry.load().then(
      (Page) => ({ Page }),
      (error: unknown) => ({ error }),
    );
    this.#loading.delete(page);
    this.loaded.set((all) => new Map([...all, [page, part]]));
  }
}

export const parts = new Parts();
