import { known, oneOf, text, type Raw } from '../../state/search.ts';

export const views = ['grid', 'list'] as const;

/** Filters of the documents, as the address keeps them. */
export const documentsSearch = (raw: Raw) => known({ query: text(raw, 'query'), view: oneOf(raw, 'view', views) });
