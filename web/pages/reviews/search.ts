import { known, text, type Raw } from '../../state/search.ts';

export const reviewsSearch = (raw: Raw) => known({ run: text(raw, 'run') });
