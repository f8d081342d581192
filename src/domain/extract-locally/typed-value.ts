import { findTyped } from '#src/domain/segment-locally/values.ts';
import type { SimpleValue, Money, ScalarType } from '#src/domain/extract-locally/field.ts';
import type { Span } from '#src/domain/extract-locally/locate-quote.ts';

export interface TypedSpan extends Span {
  readonly value: SimpleValue;
}

const longestText = 500;
const yes = /^(?:yes|true|ja|wahr|x|☒|☑|✓|✔)$/iu;
const no = /^(?:no|none|false|nein|falsch|☐)$/iu;

/** All values of a type in a text, in order. The value of type string is the text without surrounding marks. */
export function typedValues(text: string, type: ScalarType): TypedSpan[] {
  if (type === 'string') return wholeText(text);
  if (type === 'boolean')
    return [...text.matchAll(/[\p{L}☒☑☐✓✔]+/gu)].flatMap((match) => {
      const value = yes.test(match[0]) ? true : no.test(match[0]) ? false : null;
      return value === null ? [] : [{ start: match.index, end: match.index + match[0].length, value }];
    });
  const found = type === 'integer' || type === 'number' ? findTyped(text, 'number') : findTyped(text, type);
  return found.flatMap(({ start, end, value: written }) => {
    const value = valueOf(written, type);
    return value === null ? [] : [{ start, end, value }];
  });
}

function wholeText(text: string): TypedSpan[] {
  const start = text.search(/[^\s:=#]/u);
  if (start === -1) return [];
  const value = text
    .slice(start, start + longestText)
    .toWellFormed()
    .replace(/[\s"'*_|~:;,-]+$/u, '');
  return value === '' ? [] : [{ start, end: start + value.length, value }];
}

function valueOf(written: string, type: Exclude<ScalarType, 'string' | 'boolean'>): SimpleValue | null {
  if (type === 'date') return /^\d/.test(written) ? written : null;
  if (type === 'money') return moneyOf(written);
  const number = Number(written);
  return Number.isFinite(number) && (type === 'number' || Number.isInteger(number)) ? number : null;
}

function moneyOf(written: string): Money | null {
  const [figure = '', currency = null] = written.split(' ');
  const amount = Number(figure);
  return figure !== '' && Number.isFinite(amount) ? { amount, currency } : null;
}

/**
 * True if a passage contradicts a value: it has numbers or dates, but none equals the value. Accepts swapped days and months.
 */
export function contradicts(passage: string, value: SimpleValue): boolean {
  if (typeof value === 'number') return differs(typedValues(passage, 'number'), (found) => found === value);
  if (typeof value === 'string') {
    const parts = /^(\d{4})-(\d\d)-(\d\d)$/.exec(value);
    if (parts === null) return false;
    const swapped = `${parts[1]}-${parts[3]}-${parts[2]}`;
    return differs(typedValues(passage, 'date'), (found) => found === value || found === swapped);
  }
  if (typeof value !== 'object' || !('amount' in value)) return false;
  const amounts = [...typedValues(passage, 'money'), ...typedValues(passage, 'number')];
  return differs(
    amounts,
    (found) => (typeof found === 'object' && 'amount' in found ? found.amount : found) === value.amount,
  );
}

function differs(found: readonly TypedSpan[], same: (value: SimpleValue) => boolean): boolean {
  return found.length > 0 && !found.some(({ value }) => same(value));
}
