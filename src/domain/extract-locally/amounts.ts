import { currency, readMoney } from '#src/domain/segment-locally/read-number.ts';
import type { Money } from '#src/domain/extract-locally/field.ts';
import type { Span } from '#src/domain/extract-locally/locate-quote.ts';

/** An amount with two decimals as it is written in a line. */
export interface Amount extends Span, Money {
  /** Amount in hundredths, to compare without rounding. */
  readonly cents: number;
  /** One decimal at the end of the line: the second one may be lost. */
  readonly isCut: boolean;
}

/** A digit as recognition leaves it. */
const digit = '[\\dOo]';

/**
 * Amounts as tills print and recognition reads them: `6. 00`, `6 .00`, `RM53.60`, `1,234.50`, `1O.00`. All repetitions are bounded.
 */
const written = new RegExp(
  String.raw`(?<![\p{L}\d.,])(?<!\d[/:-])(?<sign>[-−(] ?)?(?:(?<before>${currency})\.? ?|[A-Z]{1,3}\.?)?(?<minus>[-−])?` +
    String.raw`(?<whole>\d${digit}{0,2}(?:[,.' ]\d{3}){1,3}|\d${digit}{0,7}|[Oo]) ?[.,]{1,2} ?(?<cents>${digit}{2}|\d(?=[\s.,]*$))` +
    String.raw`(?![\p{L}\d/:]|[.,-]\d| ?%)(?: ?(?<after>${currency})(?![\p{L}\d]))?`,
  'giu',
);

const asDigits = (text: string): string => text.replace(/[Oo]/gu, '0').replace(/\D/gu, '');

/** Currency of `RM 12.00`: a known sign or code. Other letters that touch an amount are not read. */
function currencyOf(sign: string | undefined): string | null {
  if (sign === undefined) return null;
  return readMoney(`${sign} 1.00`)?.split(' ')[1] ?? null;
}

/** All amounts of a line with two decimals, in order. Negative ones are negative. */
export function amountsIn(line: string): Amount[] {
  const found: Amount[] = [];
  for (const match of line.matchAll(written)) {
    const { sign = '', minus = '', before, whole = '', cents = '', after } = match.groups ?? {};
    const total = Number(asDigits(whole)) * 100 + Number(asDigits(cents).padEnd(2, '0'));
    if (!Number.isSafeInteger(total)) continue;
    const isNegative = minus !== '' || /[-−]/u.test(sign);
    const value = isNegative ? -total : total;
    const start = match.index + sign.length;
    found.push({
      start,
      end: match.index + match[0].length,
      cents: value,
      isCut: cents.length === 1,
      amount: value / 100,
      currency: currencyOf(after) ?? currencyOf(before),
    });
  }
  return found;
}

/** The only digits of a line, at its end, whose point was not read: `7950`, `31 00`. Only sums tell that they are an amount. */
const pointless = /^\D*(?<![\p{L}.,/-])(?:(?<whole>\d{1,5}) (?<cents>\d{2})|(?<both>\d{3,7}))[.,;]?\s*$/u;

/** The amount of a line without any, if its digits lack nothing but the point. */
export function pointlessAmount(line: string): Amount | null {
  const match = pointless.exec(line);
  if (match === null) return null;
  const cents = Number(
    (match.groups?.['both'] ?? '') + (match.groups?.['whole'] ?? '') + (match.groups?.['cents'] ?? ''),
  );
  const start = match[0].search(/\d/u);
  const end = match[0].replace(/[.,;\s]+$/u, '').length;
  return { start, end, cents, isCut: false, amount: cents / 100, currency: null };
}
