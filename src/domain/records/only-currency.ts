import { amountsIn } from '#src/domain/extract-locally/amounts.ts';
import {
  absent,
  type FieldValue,
  type FoundField,
  type FoundFields,
  type Money,
} from '#src/domain/extract-locally/field.ts';

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

/** The field `currency`, if it is empty. Its evidence is an amount that names the currency, or else, unverified, one that takes it over. */
function asField(fields: FoundFields, currency: string): FoundFields {
  const empty = fields['currency'];
  if (empty === undefined || empty.value !== null) return {};
  const amounts = Object.values(fields).filter(({ value, evidence }) => isMoney(value) && evidence !== null);
  const named = amounts.find(({ value }) => isMoney(value) && value.currency === currency);
  const { evidence, confidence, verified } = named ?? { ...absent, ...amounts[0], verified: false };
  return evidence === null ? {} : { currency: { value: currency, evidence, confidence, verified } };
}

/**
 * Fields whose amounts without a currency have the only one that the document names, as has an empty field `currency`. With several or none they stay without: a guess would add
 * up amounts of different currencies. Source: docs/decisions/0138.
 */
export function withOnlyCurrency(fields: FoundFields, text: string): FoundFields {
  const named = text
    .slice(0, mostCharacters)
    .split('\n')
    .flatMap((line) => amountsIn(line).flatMap(({ currency }) => currency ?? []));
  const [only, ...others] = new Set([...named, ...currenciesIn(fields)]);
  return only === undefined || others.length > 0 ? fields : { ...given(fields, only), ...asField(fields, only) };
}
