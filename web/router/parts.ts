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

/** What came of loading the part of a page. */
export type Part = { readonly Page: ComponentType } | { readonly error: unknown };

export const parts = createStore<ReadonlyMap<Path, Part>>(new Map());
const tell = (page: Path, part: Part): void => parts.set((all) => new Map([...all, [page, part]]));

let pages: Pages | null = null;
const loading = new Map<Path, Promise<void>>();

/** Sets the pages of the dashboard, once. */
export function definePages(all: Pages): void {
  pages = all;
}

function pageAt(href: string): { readonly page: Path; readonly query: string } | null {
  const { pathname, search: query } = new URL(href, location.href);
  const page = match(pathname)?.page;
  return page === undefined ? null : { page, query };
}

/** Loads the part of a page, and asks for its data, before somebody opens it. Settles when the part came, or did not. */
export async function prepare(href: string): Promise<void> {
  const at = pageAt(href);
  if (at === null || pages === null) return;
  const { page, query } = at;
  pages[page].ask?.(searchOf(page, parseQuery(query)));
  if (parts.get().has(page)) return;
  const coming = loading.get(page) ?? load(page, pages[page]);
  loading.set(page, coming);
  await coming;
}

/** The same for a page that somebody opens. Null: it can be shown, and asks for its data itself. */
export function arriving(href: string): Promise<void> | null {
  const at = pageAt(href);
  return at === null || parts.get().has(at.page) ? null : prepare(href);
}

const load = (page: Path, entry: PageEntry): Promise<void> =>
  entry.load().then(
    (Page) => tell(page, { Page }),
    (error: unknown) => tell(page, { error }),
  );
