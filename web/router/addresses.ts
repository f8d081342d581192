import { chatSearch } from '../pages/chat/search.ts';
import { documentSearch } from '../pages/document/search.ts';
import { documentsSearch } from '../pages/documents/search.ts';
import { experimentSearch } from '../pages/experiment/search.ts';
import { experimentsSearch } from '../pages/experiments/search.ts';
import { overviewSearch } from '../pages/overview/search.ts';
import { recordsSearch } from '../pages/records/search.ts';
import { reviewsSearch } from '../pages/reviews/search.ts';
import { runSearch, runsSearch } from '../pages/runs/search.ts';
import { settingsSearch } from '../pages/settings/search.ts';
import { workflowSearch } from '../pages/workflow/search.ts';
import { known, text, type Raw } from '../state/search.ts';

/** Readers of the parameters of pages, by path. `$id` stands for one part of a path. */
const readers = {
  '/': overviewSearch,
  '/documents': documentsSearch,
  '/documents/$id': documentSearch,
  '/records': recordsSearch,
  '/reviews': reviewsSearch,
  '/runs': runsSearch,
  '/runs/$id': runSearch,
  '/workflows/$id': workflowSearch,
  '/experiments': experimentsSearch,
  '/experiments/$id': experimentSearch,
  '/chat': chatSearch,
  '/settings': settingsSearch,
} as const;
/** Pages without parameters of their own. */
const plain = ['/workflows', '/feed', '/trash'] as const;

type Read = keyof typeof readers;
export type Path = Read | (typeof plain)[number];
type Own<P extends Path> = P extends Read ? ReturnType<(typeof readers)[P]> : unknown;
type Shared = { readonly project?: string | undefined };
type Keys<Of> = Of extends unknown ? keyof Of : never;
type ValueAt<Of, Key extends PropertyKey> = Of extends unknown ? (Key extends keyof Of ? Of[Key] : never) : never;

/** Parameters of one page. */
export type SearchOf<P extends Path> = Own<P> & Shared;
/** Parameters of a page that is not known which. */
export type AnySearch = Shared & { readonly [Key in Keys<Own<Read>>]?: ValueAt<Own<Read>, Key> };

const isRead = (page: string): page is Read => Object.hasOwn(readers, page);
const isPage = (page: string): page is Path => isRead(page) || plain.some((one) => one === page);

/** The page of a path, and what stands for `$id` in it. Null: there is none. */
export function match(path: string): { readonly page: Path; readonly id: string } | null {
  const [, area = '', id = '', ...more] = path.replace(/(.)\/$/, '$1').split('/');
  const page = id === '' ? `/${area}` : `/${area}/$id`;
  return more.length === 0 && isPage(page) ? { page, id: decoded(id) } : null;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** Parameters of a page, as its reader understands them. The chosen project goes with the person from page to page. */
export const searchOf = (page: Path | undefined, raw: Raw): AnySearch => ({
  ...known({ project: text(raw, 'project') }),
  ...(page !== undefined && isRead(page) ? readers[page](raw) : {}),
});
