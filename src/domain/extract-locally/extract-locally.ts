import { absent, type FieldRule, type FoundField } from '#src/domain/extract-locally/field.ts';
import {
  evidenceAt,
  placedLines,
  readingConfidence,
  type PagedText,
  type PlacedLine,
} from '#src/domain/extract-locally/page-text.ts';
import { typedValues, type TypedSpan } from '#src/domain/extract-locally/typed-value.ts';
import { foldText } from '#src/domain/embed-locally/fold-text.ts';
import { findTyped, valueOfLabel } from '#src/domain/segment-locally/values.ts';

/** Base confidence by method: a label, the only value of its type, or the heading. */
const baseConfidence = { label: 0.9, only: 0.5, heading: 0.6 } as const;

/** Folded field names that need no label: the issuer is at the top, and documents often have one date or amount. */
const wordsFor = {
  string:
    'merchant|shop|store|vendor|seller|supplier|issuer|company|sender|handler|geschaft|laden|lieferant|firma|aussteller|verkaufer|absender',
  date: 'date|datum|receipt date|invoice date|purchase date|document date|belegdatum|rechnungsdatum|kaufdatum|ausstellungsdatum',
  money: 'total|amount|sum|summe|betrag|gesamt|gesamtbetrag|gesamtsumme|endbetrag|rechnungsbetrag',
} as const;

/**
 * Finds fields by their labels (name and aliases) and by German and English value formats. The value is right of the label or below it.
 * Every value has its evidence; missing fields are `absent`. A field of a long text takes a while, so callers should yield between fields.
 */
export function localFinder(document: PagedText): (name: string, rule: FieldRule) => FoundField {
  const lines = placedLines(document);
  return (name, rule) => findField({ document, lines, names: namesOf(name, rule) }, rule);
}

interface Search {
  readonly document: PagedText;
  readonly lines: readonly (readonly PlacedLine[])[];
  readonly names: readonly string[];
}

function findField(search: Search, { type }: FieldRule): FoundField {
  if (type === 'array') return listOf(search);
  const found = byLabel(search, type) ?? unlabelled(search, type);
  if (found === null) return absent;
  const { document, lines } = search;
  const confidence = found.sure * readingConfidence(lines, found);
  return { value: found.value, evidence: evidenceAt(document, lines, found), confidence, verified: true };
}

type Found = TypedSpan & { readonly sure: number };

function byLabel({ document, lines, names }: Search, type: Exclude<FieldRule['type'], 'array'>): Found | null {
  let best: Found | null = null;
  for (const page of lines)
    for (const [at, name] of names.entries()) {
      const labelled = valueOfLabel(
        page.map(({ line }) => line),
        name,
      );
      const place = labelled === null ? undefined : page[labelled.line];
      if (labelled === null || place === undefined) continue;
      const sure = baseConfidence.label * labelled.score * (at === 0 ? 1 : 0.98);
      if (best !== null && sure <= best.sure) continue;
      const value = within(document.text, place, labelled.text, type);
      if (value !== null) best = { ...value, sure };
    }
  return best;
}

/** The typed value next to a label. Its words can have wider gaps in the line than in the label's value. */
function within(
  text: string,
  place: PlacedLine,
  beside: string,
  type: Exclude<FieldRule['type'], 'array'>,
): TypedSpan | null {
  const words = beside.split(' ');
  const start = text.slice(0, place.end).lastIndexOf(beside);
  const from = start >= place.start ? start : text.indexOf(words[0] ?? '', place.start);
  if (from < place.start || from >= place.end) return null;
  const end = start >= place.start ? start + beside.length : place.end;
  const [first] = typedValues(text.slice(from, end), type);
  return first === undefined ? null : { value: first.value, start: from + first.start, end: from + first.end };
}

function unlabelled({ document, lines, names }: Search, type: FieldRule['type']): Found | null {
  if (type !== 'string' && type !== 'date' && type !== 'money') return null;
  const known = wordsFor[type].split('|');
  if (!names.some((name) => known.includes(foldText(name)))) return null;
  if (type === 'string') return heading(lines);
  const [first, ...others] = typedValues(document.text, type);
  if (first === undefined) return null;
  const alone = others.every(({ value }) => JSON.stringify(value) === JSON.stringify(first.value));
  return alone ? { ...first, sure: baseConfidence.only } : null;
}

/** The first line that is mostly letters and not an address, date or number. */
function heading(lines: readonly (readonly PlacedLine[])[]): Found | null {
  const line = (lines[0] ?? []).slice(0, 5).find(({ line: { text } }) => {
    const letters = text.match(/\p{L}/gu)?.length ?? 0;
    return letters >= 3 && letters >= text.replace(/\s/g, '').length * 0.7 && findTyped(text, 'date').length === 0;
  });
  const [value] = line === undefined ? [] : typedValues(line.line.text, 'string');
  if (line === undefined || value === undefined) return null;
  return {
    value: value.value,
    start: line.start + value.start,
    end: line.start + value.end,
    sure: baseConfidence.heading,
  };
}

const mostItems = 20;

/** List value next to a label, split at commas and semicolons. */
function listOf(search: Search): FoundField {
  const whole = byLabel(search, 'string');
  if (whole === null) return absent;
  const { document, lines } = search;
  const text = document.text.slice(whole.start, whole.end);
  const items = [...text.matchAll(/[^,;•|]+/gu)].slice(0, mostItems).flatMap((match) =>
    typedValues(match[0], 'string').map(({ value, start, end }) => ({
      value: typeof value === 'string' ? value : '',
      span: { start: whole.start + match.index + start, end: whole.start + match.index + end },
    })),
  );
  const evidence = items.map(({ span }) => evidenceAt(document, lines, span));
  const confidence = whole.sure * readingConfidence(lines, whole);
  return { value: items.map(({ value }) => value), evidence, confidence, verified: true };
}

/** Labels of a field: its name in words (`invoiceNumber` is `invoice number`) and its aliases. */
function namesOf(name: string, { aliases = [] }: FieldRule): string[] {
  const spoken = name
    .replace(/([\p{Ll}\d])(\p{Lu})/gu, '$1 $2')
    .replaceAll('_', ' ')
    .toLowerCase();
  return [...new Set([spoken, ...aliases])];
}
