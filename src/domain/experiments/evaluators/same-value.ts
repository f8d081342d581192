import { typedValues } from '#src/domain/extract-locally/typed-value.ts';

type Value = string | number | boolean | null;

export interface FieldOptions {
  readonly tolerance: number;
  readonly ignoreCase: boolean;
}

/** Longer texts are never a number, an amount or a date. */
const longestTyped = 60;
/** Relative difference of fractions that arithmetic alone makes. Whole numbers, such as those of accounts, differ by none. */
const rounding = 1e-9;

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Value of a field in an output: `{ value }` of an extraction is its value, an amount of money its text (`29.41 EUR`), a list its items
 * joined by commas, an empty text none. Other objects are their JSON.
 */
export function plainValue(found: unknown): Value {
  const value = isObject(found) && Object.hasOwn(found, 'value') ? found['value'] : found;
  if (value === undefined || value === null) return null;
  if (typeof value === 'number' || typeof value === 'boolean') return value;
  if (typeof value === 'string') return value.trim() === '' ? null : value;
  if (Array.isArray(value)) {
    const items = value.map((item: unknown) => plainValue(item)).filter((item) => item !== null);
    return items.length === 0 ? null : items.join(', ');
  }
  const { amount, currency } = value as Readonly<Record<string, unknown>>;
  if (typeof amount === 'number') return typeof currency === 'string' ? `${amount} ${currency}` : amount;
  return JSON.stringify(value);
}

interface Amount {
  readonly amount: number;
  readonly currency: string | null;
}

/** A number or an amount that is the whole text. A text with a leading zero (`00123`) is an identifier. */
function amountIn(value: Value): Amount | null {
  if (typeof value === 'number') return { amount: value, currency: null };
  if (typeof value !== 'string' || value.length > longestTyped || /(?<![\d.,])0\d/u.test(value)) return null;
  const text = value.trim();
  const plain = Number(text);
  if (text !== '' && /^[-+]?\d+(?:\.\d+)?$/u.test(text)) return { amount: plain, currency: null };
  const coded = /^([-+]?\d+(?:\.\d+)?) ([A-Z]{3})$/u.exec(text);
  if (coded !== null) return { amount: Number(coded[1]), currency: coded[2] ?? null };
  for (const type of ['money', 'number'] as const) {
    const [found] = typedValues(text, type);
    if (found === undefined || found.start !== 0 || found.end !== text.length) continue;
    const { value: read } = found;
    if (typeof read === 'number') return { amount: read, currency: null };
    if (typeof read === 'object' && 'amount' in read) return read;
  }
  return null;
}

function dateIn(value: Value): string | null {
  if (typeof value !== 'string' || value.length > longestTyped) return null;
  const text = value.trim();
  const [found] = typedValues(text, 'date');
  return found?.start === 0 && found.end === text.length && typeof found.value === 'string' ? found.value : null;
}

function truthIn(value: Value): boolean | null {
  if (typeof value === 'boolean') return value;
  if (typeof value !== 'string' || value.length > longestTyped) return null;
  const [found] = typedValues(value.trim(), 'boolean');
  return found?.end === value.trim().length && typeof found.value === 'boolean' ? found.value : null;
}

function foldedText(value: Value, ignoreCase: boolean): string {
  const text = String(value).normalize('NFKC').replace(/\s+/gu, ' ').trim();
  return ignoreCase ? text.toLowerCase().normalize('NFKC') : text;
}

const zerosIn = (value: Value): number => String(value).trim().length - String(value).trim().replace(/^0+/u, '').length;
/** A text with leading zeros is an identifier. */
const sameZeros = (one: Value, other: Value): boolean => zerosIn(one) === zerosIn(other);

/** Whole numbers of any length as they are written, such as those of cards; null for anything else. */
function digitsIn(value: Value): bigint | null {
  return typeof value === 'string' && value.length <= longestTyped && /^\d+$/u.test(value.trim())
    ? BigInt(value.trim())
    : null;
}

/**
 * True if two values mean the same: equal texts over NFKC and folded white space, equal dates in any spelling, or numbers and amounts
 * within the tolerance. Currencies differ only where both values have one.
 */
export function sameValue(wanted: Value, found: Value, { tolerance, ignoreCase }: FieldOptions): boolean {
  if (wanted === null || found === null) return wanted === found;
  if (foldedText(wanted, ignoreCase) === foldedText(found, ignoreCase)) return true;
  if (typeof wanted === 'boolean' || typeof found === 'boolean') {
    const [one, other] = [truthIn(wanted), truthIn(found)];
    return one !== null && one === other;
  }
  const [date, otherDate] = [dateIn(wanted), dateIn(found)];
  if (date !== null && otherDate !== null) return date === otherDate;
  const [digits, otherDigits] = [digitsIn(wanted), digitsIn(found)];
  if (tolerance === 0 && digits !== null && otherDigits !== null)
    return digits === otherDigits && sameZeros(wanted, found);
  const [amount, other] = [amountIn(wanted), amountIn(found)];
  if (amount === null || other === null) return false;
  if (amount.currency !== null && other.currency !== null && amount.currency !== other.currency) return false;
  const whole = Number.isInteger(amount.amount) && Number.isInteger(other.amount);
  const allowed = tolerance + (whole ? 0 : rounding * Math.max(Math.abs(amount.amount), Math.abs(other.amount)));
  return Math.abs(amount.amount - other.amount) <= allowed;
}
