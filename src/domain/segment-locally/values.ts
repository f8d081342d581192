import type { OcrLine, OcrWord } from '#src/domain/ports/ocr-engine.ts';
import { findPhrase, foldWord } from '#src/domain/segment-locally/fuzzy.ts';
import { columnStarts, shared, union, wordsOf, type Box } from '#src/domain/segment-locally/geometry.ts';
import { valuePatterns, valueReaders, type ValueType } from '#src/domain/segment-locally/value-patterns.ts';

/** A typed value as written. `start` and `end` are UTF-16 code units, end exclusive. */
export interface TypedValue {
  readonly start: number;
  readonly end: number;
  readonly text: string;
  /** Normalized value: `2024-03-05`, `1234.50 EUR`, `1234.5`, digits of a telephone number, lower-case address. */
  readonly value: string;
}

/**
 * Finds all values of a type in a text, in order, without overlaps, in German and English spellings. An amount without a currency is
 * money if it has two decimals.
 */
export function findTyped(text: string, type: ValueType): TypedValue[] {
  const found: TypedValue[] = [];
  for (const match of text.matchAll(valuePatterns[type])) {
    const written = match[0].replace(/[\s,;]+$/u, '');
    const value = valueReaders[type](written);
    if (value !== null) found.push({ start: match.index, end: match.index + written.length, text: written, value });
  }
  return found;
}

/** Groups of labels with the same meaning, in English and German. */
const synonyms: readonly (readonly string[])[] = [
  [
    'total',
    'total due',
    'amount due',
    'grand total',
    'summe',
    'gesamt',
    'gesamtsumme',
    'gesamtbetrag',
    'endbetrag',
    'rechnungsbetrag',
    'zu zahlen',
  ],
  ['subtotal', 'sub total', 'net amount', 'zwischensumme', 'nettobetrag', 'netto'],
  ['tax', 'vat', 'sales tax', 'mwst', 'ust', 'umsatzsteuer', 'mehrwertsteuer'],
  ['date', 'invoice date', 'datum', 'rechnungsdatum'],
  ['due date', 'payable by', 'fällig am', 'zahlbar bis', 'fälligkeitsdatum'],
  ['invoice number', 'invoice no', 'invoice', 'rechnungsnummer', 'rechnungsnr', 'rechnung nr', 'rechnung'],
  ['customer number', 'customer no', 'kundennummer', 'kundennr', 'kunden nr'],
  ['order number', 'order no', 'bestellnummer', 'bestellnr', 'auftragsnummer'],
  ['phone', 'telephone', 'tel', 'telefon'],
  ['date of birth', 'geburtsdatum', 'geboren am'],
  ['address', 'adresse', 'anschrift'],
  ['amount', 'betrag'],
  ['name', 'full name'],
];

/** A label, then its synonyms. */
function namesOf(label: string): readonly string[] {
  const plain = label.trim().replace(/[:\s]+$/u, '');
  const group = synonyms.find((names) => names.some((name) => foldWord(name) === foldWord(plain)));
  return [plain, ...(group ?? []).filter((name) => name !== plain.toLowerCase())];
}

/** A value next to a label. `line` is the line of the value, counted from 0; the label can be on another. */
export interface LabelledValue {
  readonly text: string;
  readonly line: number;
  readonly box: Box;
  /** Similarity of the label, 0..1. */
  readonly score: number;
  /** false: other words of the same column stand before it, as in `Tax number` for `number`. */
  readonly isWhole: boolean;
}

type Value = Omit<LabelledValue, 'score' | 'isWhole'>;

interface Place {
  readonly lines: readonly OcrLine[];
  readonly line: number;
  readonly words: readonly OcrWord[];
  readonly from: number;
  readonly to: number;
}

/** Most labels beside and below which a value is looked for: each look goes through all lines of the page. */
const mostLooks = 500;

/**
 * Finds the values after a label (`Total: 12.50`), otherwise right of it, otherwise below it, the best first. Accepts misread letters and
 * common English and German synonyms.
 */
export function valuesOfLabel(lines: readonly OcrLine[], label: string): LabelledValue[] {
  const values: (LabelledValue & { readonly rank: number })[] = [];
  let looks = 0;
  for (const [at, name] of namesOf(label).entries())
    for (const [line, found] of lines.entries()) {
      const words = wordsOf(found);
      for (const { from, to, score } of findPhrase(
        words.map(({ text }) => text),
        name,
      )) {
        const place = { lines, line, words, from, to };
        const after = afterLabel(place);
        if (after === null) looks += 1;
        const value = after ?? (looks <= mostLooks ? (beside(place) ?? under(place)) : null);
        const rank = score + rankOf(place) - (at === 0 ? 0 : 0.05);
        if (value !== null) values.push({ ...value, score, rank, isWhole: isWhole(place) });
      }
    }
  return values.toSorted((one, other) => other.rank - one.rank).map(({ rank: _rank, ...value }) => value);
}

/** The best of `valuesOfLabel`. null if the label or a value is missing. */
export function valueOfLabel(lines: readonly OcrLine[], label: string): LabelledValue | null {
  return valuesOfLabel(lines, label)[0] ?? null;
}

/** Rank of a label match: best at the start of a column and before a colon; `Total items: 3` is not a match for `total`. */
function rankOf({ words, from, to }: Place): number {
  const starts = columnStarts(words);
  const colon = words[to - 1]?.text.endsWith(':') === true;
  const nextColumn = [...starts].find((start) => start >= to) ?? words.length;
  const longer = !colon && words.slice(to, nextColumn).some(({ text }) => text.length > 1 && text.endsWith(':'));
  return (starts.has(from) ? 0.1 : 0) + (colon ? 0.1 : 0) - (longer ? 0.2 : 0);
}

/** True at the start of a column, and after a label that ended (`Bill to: Invoice number`). */
function isWhole({ words, from }: Place): boolean {
  return columnStarts(words).has(from) || words[from - 1]?.text.endsWith(':') === true;
}

const separators = /^[\s:.=#_–—-]+$/u;

function valueIn(words: readonly OcrWord[], line: number): Value | null {
  const kept = words.filter(({ text }) => !separators.test(text));
  const text = kept
    .map((word) => word.text)
    .join(' ')
    .replace(/^[:=#\s]+/u, '');
  return text === '' ? null : { text, line, box: union(kept.map(({ box }) => box)) };
}

/** Words up to the next column with a label. */
function untilNextLabel(words: readonly OcrWord[]): readonly OcrWord[] {
  const starts = [...columnStarts(words)].filter((start) => start > 0);
  const end = starts.find((start) => {
    const next = starts.find((other) => other > start) ?? words.length;
    return words.slice(start, next).some(({ text }) => text.length > 1 && text.endsWith(':'));
  });
  return words.slice(0, end);
}

function afterLabel({ words, to, line }: Place): Value | null {
  return valueIn(untilNextLabel(words.slice(to)), line);
}

/** Searches beside the label, since recognition can split a printed line in two. */
function beside({ lines, line, words, from, to }: Place): Value | null {
  const label = union(words.slice(from, to).map(({ box }) => box));
  const right = lines
    .map(({ box }, at) => ({ box, at }))
    .filter(({ box, at }) => at !== line && box[0] >= label[0] + label[2])
    .filter(({ box }) => shared(box[1], box[3], label[1], label[3]) > Math.min(box[3], label[3]) / 2)
    .toSorted((one, other) => one.box[0] - other.box[0])[0];
  const found = right && lines[right.at];
  return found === undefined ? null : valueIn(untilNextLabel(wordsOf(found)), right?.at ?? line);
}

function under({ lines, line, words, from, to }: Place): Value | null {
  const label = union(words.slice(from, to).map(({ box }) => box));
  const bottom = label[1] + label[3];
  for (const [at, found] of lines.entries()) {
    if (at === line || found.box[1] < bottom - label[3] / 2 || found.box[1] > bottom + 2 * label[3]) continue;
    const all = wordsOf(found);
    const first = all.findIndex(({ box }) => shared(box[0], box[2], label[0], label[2]) > 0);
    if (first < 0) continue;
    const end = [...columnStarts(all)].find((start) => start > first) ?? all.length;
    const value = valueIn(all.slice(first, end), at);
    // A label below a label is the next field, not a value.
    if (value !== null && !value.text.endsWith(':')) return value;
  }
  return null;
}
