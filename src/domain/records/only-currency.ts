import { amountsIn } from '#src/domain/extract-locally/amounts.ts';
import type { FieldValue, FoundField, FoundFields, Money } from '#src/domain/extract-locally/field.ts';

/** Most characters of a text to look for currencies in. */
const mostCharacters = 100_000;

const isMoney = (value: unknown): value is Money =>
  typeof value === 'object' && value !== null && 'amount' in value && 'currency' in value;

function currenciesIn(fields: FoundFields): string[] {
  return Object.values(fields).flatMap(({ value }) => {
    if (isMoney(value)) return value.currency ?? [];
    if (Array.isArray(value))
      return value.flatMap((row) => (typeof row === 'object' ? currenciesIn(row as FoundFields) : []));
    return typeof value === 'object' && value !== null ? currenciesIn(value as FoundFields) : [];
  });
}

function given(fields: FoundFields, currency: string): FoundFields {
  const valueOf = (value: FieldValue | null): FieldValue | null => {
    if (isMoney(value)) return value.currency === null ? { ...value, currency } : value;
    if (Array.isArray(value))
      return value.map((row: unknown) =>
        typeof row === 'object' && row !== null ? given(row as FoundFields, currency) : row,
      ) as FieldValue;
    return typeof value === 'object' && value !== null ? given(value as FoundFields, currency) : value;
  };
  return Object.fromEntries(
    Object.entries(fields).map(([name, field]): [string, FoundField] => [
      name,
      { ...field, value: valueOf(field.value) },
    ]),
  );
}

/**
 * Fields whose amounts without a currency have the only one that the document names. With several or none they stay without: a guess would add
 * up amounts of different currencies. Source: docs/decisions/0138.
 */
export function withOnlyCurrency(fields: FoundFields, text: string): FoundFields {
  const named = text
    .slice(0, mostCharacters)
    .split('\n')
    .flatMap((line) => amountsIn(line).flatMap(({ currency }) => currency ?? []));
  const [only, ...others] = new Set([...named, ...currenciesIn(fields)]);
  return only === undefined || others.length > 0 ? fields : given(fields, only);
}
