import { own } from '#src/contracts/own.ts';
/** Pattern of a number with one kind of thousands separator: `1.234,50`, `1,234.50`, `1 234,50`, `1'234.50`, `1234.5`, `12`. */
export const figure = String.raw`\d{1,3}(?:[.,' ]\d{3})+(?:[.,]\d{1,2})?(?!\d)|\d{1,12}(?:[.,]\d{1,4})?`;

/**
 * Normalizes a number to `1234.50`. Of two kinds of separators, the last is the decimal one. A single separator before exactly three
 * digits separates thousands.
 */
export function readFigure(written: string): string {
  const sign = /^\s*[-−–]/u.test(written) ? '-' : '';
  const plain = written.replace(/[^\d.,]|[.,](?=\s*[-−–])/gu, '');
  const decimal = Math.max(plain.lastIndexOf('.'), plain.lastIndexOf(','));
  if (decimal < 0) return sign + plain;
  const whole = plain.slice(0, decimal);
  const mark = plain.charAt(decimal);
  const rest = plain.slice(decimal + 1);
  const grouped = whole.includes(mark) || (rest.length === 3 && !/[.,]/u.test(whole) && !/^0*$/u.test(whole));
  return grouped ? sign + plain.replace(/[.,]/gu, '') : `${sign}${whole.replace(/[.,]/gu, '')}.${rest}`;
}

const currencies: Readonly<Record<string, string>> = {
  '€': 'EUR',
  $: 'USD',
  '£': 'GBP',
  '¥': 'JPY',
  eur: 'EUR',
  euro: 'EUR',
  euros: 'EUR',
  usd: 'USD',
  dollar: 'USD',
  dollars: 'USD',
  gbp: 'GBP',
  pounds: 'GBP',
  chf: 'CHF',
  franken: 'CHF',
  fr: 'CHF',
  cad: 'CAD',
  aud: 'AUD',
  rm: 'MYR',
};
export const currency = Object.keys(currencies)
  .map((name) => (name === '$' ? String.raw`\$` : name))
  .toSorted((one, other) => other.length - one.length)
  .join('|');

/** Normalizes an amount to `1234.50 EUR`, or to the number without a currency. */
export function readMoney(written: string): string {
  const named = /[\p{L}$€£¥]+/u.exec(written)?.[0].toLowerCase();
  const code = named === undefined ? undefined : own(currencies, named);
  const digits = written.replace(/[\p{L}$€£¥]+\.?/gu, ' ').trim();
  return code === undefined ? readFigure(digits) : `${readFigure(digits)} ${code}`;
}
