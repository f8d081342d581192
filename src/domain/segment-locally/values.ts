import type { OcrLine, OcrWord } from '#src/domain/ports/ocr-engine.ts';
import { findPhrase, foldWord } from '#src/domain/segment-locally/fuzzy.ts';
import { columnStarts, shared, union, wordsOf, type Box } from '#src/domain/segment-locally/geometry.ts';
import { valuePatterns, valueReaders, type ValueType } from '#src/domain/segment-locally/value-patterns.ts';

/** `start` and `end` are characters of the text (UTF-16), end exclusive; `text` is as written. */
export interface TypedValue {
  readonly start: number;
  readonly end: number;
  readonly text: string;
  /** One form for all spellings: `2024-03-05`, `1234.50 EUR`, `1234.5`, digits of a telephone number, lower-case address. */
  readonly value: string;
}

/**
 * Every value of one type in a text, in order, without overlap: German and English spellings. An amount without a currency counts
 * as money when it has two decimals.
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

/** What forms call the same thing, in English and German. */
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

/** Other names of a label, as well as itself first. */
function namesOf(label: string): readonly string[] {
  const plain = label.trim().replace(/[:\s]+$/u, '');
  const group = synonyms.find((names) => names.some((name) => foldWord(name) === foldWord(plain)));
  return [plain, ...(group ?? []).filter((name) => name !== plain.toLowerCase())];
}

/** `line` counts from 0 and is where the value stands; the label may be on another. */
export interface LabelledValue {
  readonly text: string;
  readonly line: number;
  readonly box: Box;
  /** 0..1: how well the label was read. */
  readonly score: number;
}

interface Place {
  readonly lines: readonly OcrLine[];
  readonly line: number;
  readonly words: readonly OcrWord[];
  readonly from: number;
  readonly to: number;
}

/**
 * What stands after a label (`Total: 12.50`), else to the right of it, else under it. Misread letters and the usual English and German
 * names of the same thing are allowed. null when the label is not there, or nothing is beside it.
 */
export function valueOfLabel(lines: readonly OcrLine[], label: string): LabelledValue | null {
  let best: (LabelledValue & { readonly rank: number }) | null = null;
  for (const [at, name] of namesOf(label).entries())
    for (const [line, found] of lines.entries()) {
      const words = wordsOf(found);
      for (const { from, to, score } of findPhrase(
        words.map(({ text }) => text),
        name,
      )) {
        const place = { lines, line, words, from, to };
        const rank = score + rankOf(place) - (at === 0 ? 0 : 0.05);
        if (best !== null && rank <= best.rank) continue;
        const value = afterLabel(place) ?? beside(place) ?? under(place);
        if (value !== null) best = { ...value, score, rank };
      }
    }
  if (best === null) return null;
  const { rank: _rank, ...value } = best;
  return value;
}

/** A label begins a column and ends in a colon; one that goes on (`Total items: 3` for `total`) is another. */
function rankOf({ words, from, to }: Place): number {
  const starts = columnStarts(words);
  const colon = words[to - 1]?.text.endsWith(':') === true;
  const nextColumn = [...starts].find((start) => start >= to) ?? words.length;
  const longer = !colon && words.slice(to, nextColumn).some(({ text }) => text.length > 1 && text.endsWith(':'));
  return (starts.has(from) ? 0.1 : 0) + (colon ? 0.1 : 0) - (longer ? 0.2 : 0);
}

const separators = /^[\s:.=#_–—-]+$/u;

function valueIn(words: readonly OcrWord[], line: number): Omit<LabelledValue, 'score'> | null {
  const kept = words.filter(({ text }) => !separators.test(text));
  const text = kept
    .map((word) => word.text)
    .join(' ')
    .replace(/^[:=#\s]+/u, '');
  return text === '' ? null : { text, line, box: union(kept.map(({ box }) => box)) };
}

/** The words up to a column that has a label of its own. */
function untilNextLabel(words: readonly OcrWord[]): readonly OcrWord[] {
  const starts = [...columnStarts(words)].filter((start) => start > 0);
  const end = starts.find((start) => {
    const next = starts.find((other) => other > start) ?? words.length;
    return words.slice(start, next).some(({ text }) => text.length > 1 && text.endsWith(':'));
  });
  return words.slice(0, end);
}

function afterLabel({ words, to, line }: Place): Omit<LabelledValue, 'score'> | null {
  return valueIn(untilNextLabel(words.slice(to)), line);
}

/** Recognition may take label and value of one printed line for two lines. */
function beside({ lines, line, words, from, to }: Place): Omit<LabelledValue, 'score'> | null {
  const label = union(words.slice(from, to).map(({ box }) => box));
  const right = lines
    .map(({ box }, at) => ({ box, at }))
    .filter(({ box, at }) => at !== line && box[0] >= label[0] + label[2])
    .filter(({ box }) => shared(box[1], box[3], label[1], label[3]) > Math.min(box[3], label[3]) / 2)
    .toSorted((one, other) => one.box[0] - other.box[0])[0];
  const found = right && lines[right.at];
  return found === undefined ? null : valueIn(untilNextLabel(wordsOf(found)), right?.at ?? line);
}

function under({ lines, line, words, from, to }: Place): Omit<LabelledValue, 'score'> | null {
  const label = union(words.slice(from, to).map(({ box }) => box));
  const bottom = label[1] + label[3];
  for (const [at, found] of lines.entries()) {
    if (at === line || found.box[1] < bottom - label[3] / 2 || found.box[1] > bottom + 2 * label[3]) continue;
    const all = wordsOf(found);
    const first = all.findIndex(({ box }) => shared(box[0], box[2], label[0], label[2]) > 0);
    if (first < 0) continue;
    const end = [...columnStarts(all)].find((start) => start > first) ?? all.length;
    const value = valueIn(all.slice(first, end), at);
    // A label under a label is the next field, not a value.
    if (value !== null && !value.text.endsWith(':')) return value;
  }
  return null;
}
