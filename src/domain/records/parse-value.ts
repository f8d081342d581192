import { recordLimits } from '#src/contracts/records/record-type.ts';
import type { CellValue } from '#src/domain/records/record.ts';
import type { FieldPath } from '#src/domain/records/record-type.ts';

type Parsed = { readonly value: CellValue } | { readonly problem: string };

const day = /^(\d{4})-(\d\d)-(\d\d)$/;

/** True for a day of the calendar, as YYYY-MM-DD. */
export function isDay(text: string): boolean {
  if (!day.test(text)) return false;
  const date = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
}

function moneyOf(given: CellValue, before: CellValue): Parsed {
  const currency = typeof before === 'object' ? (before?.currency ?? null) : null;
  if (typeof given === 'number' && Number.isFinite(given)) return { value: { amount: given, currency } };
  if (typeof given !== 'object' || given === null || !Number.isFinite(given.amount))
    return { problem: 'expected money, such as {"amount": 12.5, "currency": "EUR"}' };
  if (given.currency !== null && !/^[A-Z]{3}$/.test(given.currency))
    return { problem: 'expected a currency of three capital letters, such as EUR, or null' };
  return { value: { amount: given.amount, currency: given.currency } };
}

/** A value that somebody gives for a field, checked by its type. A number for money keeps the currency that it had. */
export function parseValue(
  { type, values }: Pick<FieldPath, 'type' | 'values'>,
  given: CellValue,
  before: CellValue,
): Parsed {
  if (given === null) return { value: null };
  switch (type) {
    case 'money':
      return moneyOf(given, before);
    case 'string':
      if (
        typeof given !== 'string' ||
        given.length > recordLimits.characters ||
        given.includes('\0') ||
        !given.isWellFormed()
      )
        return { problem: `expected a text of at most ${recordLimits.characters} characters` };
      return { value: given };
    case 'enum':
      return typeof given === 'string' && values?.includes(given) === true
        ? { value: given }
        : { problem: `expected one of ${values?.join(', ') ?? ''}` };
    case 'date':
      return typeof given === 'string' && isDay(given)
        ? { value: given }
        : { problem: 'expected a day of the calendar, such as 2026-05-17' };
    case 'boolean':
      return typeof given === 'boolean' ? { value: given } : { problem: 'expected true or false' };
    case 'integer':
      return Number.isSafeInteger(given) ? { value: given } : { problem: 'expected a whole number' };
    case 'number':
      return typeof given === 'number' && Number.isFinite(given) ? { value: given } : { problem: 'expected a number' };
  }
}
