import { known, oneOf, text, type Raw } from '../../state/search.ts';

export const kinds = ['question', 'record'] as const;

export const reviewsSearch = (raw: Raw) => known({ item: text(raw, 'item'), kind: oneOf(raw, 'kind', kinds) });
