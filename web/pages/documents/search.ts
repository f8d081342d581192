import { known, oneOf, text, type Raw } from '../../state/search.ts';
import { filterNames, type FilterName } from './list/filter-names.ts';

export const views = ['grid', 'list', 'large'] as const;
export type DocumentsView = (typeof views)[number];

type Filters = { readonly [Name in FilterName]?: string };

/** Filters of the documents, as the address keeps them. */
export const documentsSearch = (raw: Raw) => ({
  ...known({ query: text(raw, 'query'), view: oneOf(raw, 'view', views) }),
  ...(known(Object.fromEntries(filterNames.map((name) => [name, text(raw, name)]))) as Filters),
});
