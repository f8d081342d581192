import type { Reply } from '../../api/families.ts';

export type RecordRow = Reply<'records', 'query'>['records'][number];
export type Cell = RecordRow['cells'][string];

const money = new Intl.NumberFormat('en', { minimumFractionDigits: 2, maximumFractionDigits: 2 });

/** A value as text: amounts with their currency, everything else as it is. */
export function valueText(value: Cell['value']): string {
  if (value === null) return '';
  if (typeof value === 'object')
    return `${money.format(value.amount)}${value.currency === null ? '' : ` ${value.currency}`}`;
  return String(value);
}

/** True for values that stand at the end of their column. */
export const isNumeric = (value: Cell['value']): boolean =>
  typeof value === 'number' || (typeof value === 'object' && value !== null);
