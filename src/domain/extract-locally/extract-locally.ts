import {
  absent,
  composed,
  type FieldRule,
  type FieldRules,
  type FoundField,
  type ScalarType,
  type SimpleValue,
} from '#src/domain/extract-locally/field.ts';
import { placeText, type PagedText, type PlacedLine, type PlacedText } from '#src/domain/extract-locally/page-text.ts';
import { typedValues, type TypedSpan } from '#src/domain/extract-locally/typed-value.ts';
import { findCompany } from '#src/domain/extract-locally/find-company.ts';
import {
  headedDate,
  headedNumber,
  identifierAt,
  isIdentifier,
  isNumberOf,
  isOfInvoice,
} from '#src/domain/extract-locally/find-identifier.ts';
import { findDate } from '#src/domain/extract-locally/find-date.ts';
import { findParts, type FoundParts } from '#src/domain/extract-locally/find-parts.ts';
import { findParty, partyOf } from '#src/domain/extract-locally/find-party.ts';
import { findRows } from '#src/domain/extract-locally/rows/find-rows.ts';
import { findTotal, type FoundTotal } from '#src/domain/extract-locally/find-total.ts';
import { foldText } from '#src/domain/embed-locally/fold-text.ts';
import { valuesOfLabel } from '#src/domain/segment-locally/values.ts';

/** Base confidence by method: a label, or the only value of its type. */
const baseConfidence = { label: 0.9, only: 0.5 } as const;

/** Factor for a label that is part of a longer one. */
const partOfLabel = 0.8;
/** Least confidence of net and tax that outweigh the label of a total. */
const leastSum = 0.9;
/** Most confidence of a total that is not the sum of net and tax. */
const disputed = 0.85;
/** Least confidence of a label for a total. */
const leastLabel = 0.75;

/** Folded field names that need no label: the issuer is at the top, and documents often have one date or amount. */
const wordsFor = {
  string:
    'merchant|shop|store|vendor|seller|supplier|issuer|company|sender|handler|geschaft|laden|lieferant|firma|aussteller|verkaufer|absender',
  date: 'date|datum|receipt date|invoice date|purchase date|document date|belegdatum|rechnungsdatum|kaufdatum|ausstellungsdatum',
  money: 'total|amount|sum|summe|betrag|gesamt|gesamtbetrag|gesamtsumme|endbetrag|rechnungsbetrag',
} as const;

/** Folded names of the fields that are the parts of the total. */
const parts = {
  net: new Set(['net', 'net amount', 'net total', 'subtotal', 'sub total', 'netto', 'nettobetrag', 'zwischensumme']),
  tax: new Set([
    'tax',
    'tax amount',
    'vat',
    'sales tax',
    'gst',
    'mwst',
    'ust',
    'umsatzsteuer',
    'mehrwertsteuer',
    'steuer',
  ]),
} as const;

/** Folded names of the field that is the total. */
const totals = new Set(wordsFor.money.split('|').concat('grand total', 'total amount', 'amount due', 'total due'));

/**
 * Finds fields by their labels (name and aliases) and by German and English value formats. The value is right of the label or below it.
 * Every value has its evidence; missing fields are `absent`. A field of a long text takes a while, so callers should yield between fields.
 */
export function localFinder(document: PagedText): (name: string, rule: FieldRule) => FoundField {
  const place = placeOf(placeText(document));
  return (name, rule) => findField({ ...place, names: namesOf(name, rule) }, rule);
}

/** Sums of a document: net and tax that add up, and the total by its label. */
interface DocumentSums {
  readonly parts: FoundParts | null;
  readonly total: FoundTotal | null;
}

function sumsOf({ lines }: PlacedText): DocumentSums {
  const total = findTotal(lines);
  return { parts: findParts(lines, total), total };
}

interface Place {
  readonly placed: PlacedText;
  /** Found at the first call: fields share them. */
  readonly sums: () => DocumentSums;
}

function placeOf(placed: PlacedText): Place {
  let sums: DocumentSums | undefined;
  return { placed, sums: () => (sums ??= sumsOf(placed)) };
}

interface Search extends Place {
  readonly names: readonly string[];
}

function findField(search: Search, { type, items, fields }: FieldRule): FoundField {
  if (type === 'object') return objectOf(search, fields ?? {});
  if (type === 'array' && items?.type === 'object') return findRows(search.placed, items.fields, namesOf);
  if (type === 'array') return listOf(search);
  const special =
    type === 'money' ? wholeSum(search) : type === 'string' ? ofInvoice(search) : dateOfInvoice(search, type);
  const found = (special === undefined ? byLabel(search, type) : special) ?? unlabelled(search, type);
  if (found === null) return absent;
  const { placed } = search;
  const confidence = found.sure * placed.readingConfidence(found);
  return { value: found.value, evidence: placed.evidenceAt(found), confidence, verified: true };
}

/**
 * The total, for a field of money whose first name says so. Without decimals it is found like any other value, if its label is not part of
 * another one.
 */
function wholeSum(search: Search): Found | null | undefined {
  const [name = ''] = search.names;
  const folded = foldText(name);
  for (const part of ['net', 'tax'] as const)
    if (parts[part].has(folded)) return search.sums().parts?.[part] ?? byLabel(search, 'money');
  if (!totals.has(folded)) return undefined;
  const { parts: sums, total } = search.sums();
  // The sum of net and tax, by labels that say so, outweighs a label alone. Totals of credit notes are below zero.
  if (sums !== null && isBetter(sums, total)) return sums.whole;
  // Another sum of net and tax on the page speaks against the total.
  if (total !== null)
    return sums === null || isRounded(total, sums.whole) ? total : { ...total, sure: Math.min(total.sure, disputed) };
  const labelled = byLabel(search, 'money');
  return labelled === null || labelled.sure < leastLabel || isNothing(labelled.value) ? null : labelled;
}

/**
 * The number or a party of an invoice, for a field with such a name. A number is beside a label that says so, in a heading, or beside any of its
 * labels: a bare *number* is often that of the customer.
 */
function ofInvoice(search: Search): Found | null | undefined {
  const { placed, names } = search;
  const party = partyOf(names[0] ?? '');
  if (party !== null) return findParty(placed.lines, party) ?? undefined;
  const explicit = names.filter(isOfInvoice);
  if (explicit.length === 0 || !isIdentifier(names)) return undefined;
  const found = byLabel({ placed, names: explicit }, 'string') ?? headedNumber(placed.lines);
  return found ?? byLabel(search, 'string');
}

/** The date of an invoice, for a field with such a name: beside a label that says so, or in a heading. */
function dateOfInvoice({ placed, names }: Search, type: ScalarType): Found | undefined {
  const explicit = names.filter(isOfInvoice);
  if (type !== 'date' || explicit.length === 0) return undefined;
  return byLabel({ placed, names: explicit }, 'date') ?? headedDate(placed.lines) ?? undefined;
}

/** True if net and tax tell the total better than its label does, which may be that of the net sum. */
function isBetter({ whole, net }: FoundParts, total: FoundTotal | null): boolean {
  const isSum = whole.sure >= leastSum;
  if (total === null) return isSum;
  return (isSum || isRounded(total, net)) && total.sure < leastSum && !isRounded(total, whole);
}

/** Most that a till rounds a sum by. */
const mostRounded = 0.05;
const isRounded = ({ value }: FoundTotal, sum: FoundTotal): boolean =>
  Math.abs(value.amount - sum.value.amount) <= mostRounded + Number.EPSILON;

const isNothing = (value: SimpleValue): boolean => typeof value === 'object' && 'amount' in value && value.amount === 0;

type Found = TypedSpan & { readonly sure: number };

/** Most places of labels that are looked at, so that a text of nothing but labels takes no minutes. */
const mostTries = 500;

function byLabel({ placed: { text, lines }, names }: Omit<Search, 'sums'>, type: ScalarType): Found | null {
  const isNumber = type === 'string' && isIdentifier(names);
  let best: Found | null = null;
  let tries = 0;
  for (const page of lines)
    for (const [at, name] of names.entries())
      for (const labelled of valuesOfLabel(
        page.map(({ line }) => line),
        name,
      )) {
        tries += 1;
        if (tries > mostTries) return best;
        const place = page[labelled.line];
        const sure =
          baseConfidence.label * labelled.score * (at === 0 ? 1 : 0.98) * (labelled.isWhole ? 1 : partOfLabel);
        if (place === undefined || (best !== null && sure <= best.sure)) continue;
        if (type === 'string' && !isNumber && isNumberOf(labelled.text)) continue;
        const written = within(text, place, labelled.text, type);
        const value = written !== null && isNumber ? numberIn(written) : written;
        if (value === null) continue;
        const nearby = sure * (goesOn(text.slice(place.start, value.start), labelled.text) ? partOfLabel : 1);
        if (best === null || nearby > best.sure) best = { ...value, sure: nearby };
      }
  return best;
}

/** The number that a text beside a label begins with: `RE-17 vom 19.05.` is `RE-17`. null if it begins with none. */
function numberIn({ value: written, start: from }: TypedSpan): TypedSpan | null {
  const found = typeof written === 'string' ? identifierAt(written) : null;
  if (found === null) return null;
  const start = from + found.start;
  return { value: found.value, start, end: start + found.value.length };
}

/** True if the label goes on before its value: `Date of birth 23 August` is no `Date`. */
function goesOn(before: string, beside: string): boolean {
  const [first = ''] = beside.split(' ');
  return /^\p{Ll}[\p{Ll}'’]+$/u.test(first) && before.endsWith(' ') && before.includes(` ${first} `);
}

/** The typed value next to a label. Its words can have wider gaps in the line than in the label's value. */
function within(text: string, place: PlacedLine, beside: string, type: ScalarType): TypedSpan | null {
  const words = beside.split(' ');
  const start = text.slice(0, place.end).lastIndexOf(beside);
  const from = start >= place.start ? start : text.indexOf(words[0] ?? '', place.start);
  if (from < place.start || from >= place.end) return null;
  const end = start >= place.start ? start + beside.length : place.end;
  const [first] = typedValues(text.slice(from, end), type);
  return first === undefined ? null : { value: first.value, start: from + first.start, end: from + first.end };
}

function unlabelled({ placed: { text, lines }, names }: Search, type: ScalarType): Found | null {
  if (type !== 'string' && type !== 'date' && type !== 'money') return null;
  const known = wordsFor[type].split('|');
  if (!names.some((name) => known.includes(foldText(name)))) return null;
  if (type === 'string') return findCompany(lines);
  if (type === 'date') return findDate(lines);
  const [first, ...others] = typedValues(text, type);
  if (first === undefined) return null;
  const alone = others.every(({ value }) => JSON.stringify(value) === JSON.stringify(first.value));
  return alone && !isNothing(first.value) ? { ...first, sure: baseConfidence.only } : null;
}

const mostItems = 20;

/** List value next to a label, split at commas and semicolons. */
function listOf(search: Search): FoundField {
  const whole = byLabel(search, 'string');
  if (whole === null) return absent;
  const { placed } = search;
  const text = placed.text.slice(whole.start, whole.end);
  const items = [...text.matchAll(/[^,;•|]+/gu)].slice(0, mostItems).flatMap((match) =>
    typedValues(match[0], 'string').map(({ value, start, end }) => ({
      value: typeof value === 'string' ? value : '',
      span: { start: whole.start + match.index + start, end: whole.start + match.index + end },
    })),
  );
  const evidence = items.map(({ span }) => placed.evidenceAt(span));
  const confidence = whole.sure * placed.readingConfidence(whole);
  return { value: items.map(({ value }) => value), evidence, confidence, verified: true };
}

/** Most names that a field of an object has together with those of its object. */
const mostTogether = 8;

/**
 * Fields of an object, each by the names of both (`buyer name` for `name` in `buyer`), otherwise below the label of the object, otherwise,
 * if no label of the object is in the text, by its own names.
 */
function objectOf({ names: owners, ...place }: Search, fields: FieldRules): FoundField {
  const section = sectionOf(place.placed, owners);
  const nearby = section === null ? place : placeOf(section);
  return composed(
    Object.fromEntries(
      Object.entries(fields).map(([name, rule]) => {
        const own = namesOf(name, rule);
        const both = owners.flatMap((owner) => own.map((one) => `${owner} ${one}`)).slice(0, mostTogether);
        const whole = findField({ ...place, names: both }, rule);
        if (whole.value !== null) return [name, whole];
        return [name, findField({ ...nearby, names: own }, rule)];
      }),
    ),
  );
}

const mostSectionLines = 8;

/** The lines below the label of an object, with that line, up to a wide gap. null if no line starts with the label. */
function sectionOf(placed: PlacedText, owners: readonly string[]): PlacedText | null {
  for (const [page, lines] of placed.lines.entries())
    for (const [at, { line }] of lines.entries()) {
      const folded = foldText(line.text);
      if (!owners.some((owner) => folded.startsWith(foldText(owner)))) continue;
      let to = at + 1;
      while (to < Math.min(lines.length, at + mostSectionLines) && isNextLine(lines[to - 1], lines[to])) to += 1;
      return { ...placed, lines: placed.lines.map((_, other) => (other === page ? lines.slice(at, to) : [])) };
    }
  return null;
}

/** True if a line follows another one without a gap of a line and a half. */
function isNextLine(above: PlacedLine | undefined, below: PlacedLine | undefined): boolean {
  if (above === undefined || below === undefined) return false;
  const [, y, , height] = above.line.box;
  return below.line.box[1] - y - height < 1.5 * height;
}

/** Labels of a field: its name in words (`invoiceNumber` is `invoice number`) and its aliases. */
function namesOf(name: string, { aliases = [] }: FieldRule): string[] {
  const spoken = name
    .replace(/([\p{Ll}\d])(\p{Lu})/gu, '$1 $2')
    .replaceAll('_', ' ')
    .toLowerCase();
  return [...new Set([spoken, ...aliases])];
}
