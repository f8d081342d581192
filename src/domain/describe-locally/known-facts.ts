import { findCompany } from '#src/domain/extract-locally/find-company.ts';
import { findParty } from '#src/domain/extract-locally/find-party.ts';
import { findDate } from '#src/domain/extract-locally/find-date.ts';
import { findTotal } from '#src/domain/extract-locally/find-total.ts';
import type { Money } from '#src/domain/extract-locally/field.ts';
import type { PlacedLine } from '#src/domain/extract-locally/page-text.ts';
import { invoiceFacts } from '#src/domain/describe-locally/invoice-facts.ts';
import type { KeyField } from '#src/domain/describe-locally/key-field.ts';
import { isReadable } from '#src/domain/describe-locally/find-headline.ts';

/** Facts about a document in the words of a title; empty where unknown. */
export interface KnownFacts {
  /** Firm or shop that issued it. */
  readonly party: string;
  /** As in `20 Mar 2018`. */
  readonly date: string;
  /** As in `RM 6.00`. */
  readonly total: string;
}

/** Lines to read from either end: names stand at the top, totals at either. */
const linesOfEnd = 150;
const longestLine = 400;
const longestParty = 60;
/** Least certainty of a name, a total and a date that a title states: a name that is surer has a legal form. */
const least = { party: 0.75, total: 0.55, date: 0.55 } as const;

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** Lines of a text as if each stood below the one before: the describer knows no places. */
function placed(text: string): PlacedLine[] {
  let from = 0;
  const all = text.split(/\r?\n|\f/).flatMap((line, at): PlacedLine[] => {
    const start = from;
    from += line.length + 1;
    if (line.trim() === '') return [];
    const shown = line.slice(0, longestLine);
    const box = [0, at / 10_000, 1, 0.000_08] as const;
    return [{ line: { text: shown, confidence: 100, box, words: [] }, start, end: start + shown.length }];
  });
  return all.length <= 2 * linesOfEnd ? all : [...all.slice(0, linesOfEnd), ...all.slice(-linesOfEnd)];
}

const lowerWords = new Set(['and', 'of', 'the', 'for', 'und', 'der', 'die', 'de', 'la', 'et', 'y', 'e', 'di', 'da']);
const capitalForms = new Set(['LLC', 'LLP', 'PLC', 'AG', 'KG', 'SA', 'SE', 'NV', 'BV', 'AS', 'OHG', 'UG']);

/** A name in capitals as people write it: `RESTORAN WAN SHENG` is `Restoran Wan Sheng`; short words may be initials. */
export function spelled(name: string): string {
  if (name !== name.toUpperCase()) return name;
  return name
    .split(' ')
    .map((word, at) => {
      const letters = word.replaceAll(/[^\p{L}]/gu, '');
      if (
        capitalForms.has(letters) ||
        (letters.length <= 3 && !/[AEIOUÄÖÜ]/.test(letters) && !/^(?:SDN|BHD|LTD)$/.test(letters))
      )
        return word;
      const lower = word.toLowerCase();
      if (at > 0 && lowerWords.has(lower)) return lower;
      return lower.replaceAll(
        /(^|[^\p{L}'’])(\p{L})/gu,
        (_, before: string, letter: string) => before + letter.toUpperCase(),
      );
    })
    .join(' ');
}

/** An ISO 8601 date as people write it: `20 Mar 2018`. Empty for anything else. */
export function dateOf(value: unknown): string {
  const [, year, month, day] = typeof value === 'string' ? (/^(\d{4})-(\d{2})-(\d{2})$/.exec(value) ?? []) : [];
  const name = months[Number(month) - 1];
  return year === undefined || name === undefined ? '' : `${Number(day)} ${name} ${year}`;
}

/** Money as people write it: `RM 6.00`, `€1,234.50`. */
function moneyText({ amount, currency }: Money): string {
  const digits = { minimumFractionDigits: 2, maximumFractionDigits: 2 } as const;
  const plain = new Intl.NumberFormat('en', digits).format(amount);
  if (currency === null || !/^[A-Z]{3}$/.test(currency)) return plain;
  const style = { style: 'currency', currency, currencyDisplay: 'narrowSymbol' } as const;
  return new Intl.NumberFormat('en', { ...digits, ...style }).format(amount).replaceAll('\u00a0', ' ');
}

/** Issuer, day and total of a document of this type as far as its text tells them, with fields of its own. Reads at most 300 lines. */
export function knownFacts(text: string, type: string): KnownFacts & { readonly fields: readonly KeyField[] } {
  const lines = placed(text);
  const company = findParty([lines], 'seller') ?? findCompany([lines]);
  const name = company?.value.replaceAll(/[\p{Cc}\p{Cf}]|\s+/gu, ' ').trim() ?? '';
  const date = findDate([lines]);
  const total = findTotal([lines]);
  const own = type === 'invoice' ? invoiceFacts(text, lines) : null;
  const money = own?.total ?? (total === null || total.sure < least.total ? null : total.value);
  return {
    party:
      company !== null && company.sure >= least.party && isReadable(name) && name.length <= longestParty
        ? spelled(name)
        : '',
    date: dateOf(own?.date ?? (date === null || date.sure < least.date ? '' : date.value)),
    total: money === null ? '' : moneyText(money),
    fields: own?.fields ?? [],
  };
}
