import { known, whole, type Raw } from '../../state/search.ts';

export const ranges = [7, 30, 90] as const;

export const overviewSearch = (raw: Raw) => known({ days: ranges.find((days) => days === whole(raw, 'days')) });
