import { known, oneOf, text, whole, type Raw } from '../../state/search.ts';

/** The comparison and the documents that show, as the address keeps them. */
export const experimentSearch = (raw: Raw) =>
  known({
    variant: text(raw, 'variant'),
    metric: text(raw, 'metric'),
    only: oneOf(raw, 'only', ['worse'] as const),
    offset: whole(raw, 'offset'),
    document: text(raw, 'document'),
  });
