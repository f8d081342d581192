import { known, oneOf, type Raw } from '../../state/search.ts';

export const lists = ['experiments', 'datasets'] as const;

/** The list that shows, as the address keeps it. */
export const experimentsSearch = (raw: Raw) => known({ tab: oneOf(raw, 'tab', lists) });
