import type { PlacedLine } from '#src/domain/extract-locally/page-text.ts';
import type { TypedSpan } from '#src/domain/extract-locally/typed-value.ts';
import { foldText } from '#src/domain/embed-locally/fold-text.ts';
import { findTyped } from '#src/domain/segment-locally/values.ts';

/** Folded names of fields whose value is a number in the sense of a code, such as `invoice number` and `Rechnungs-Nr`. */
const named = /\b(?:number|no|nr|nummer|numero|num)\b|nummer$|[-. ]nr$|#$/u;

/** True for a field whose names say that its value is a number that identifies something. */
export const isIdentifier = (names: readonly string[]): boolean =>
  names.some((name) => named.test(foldText(name).trim()));

const numberOf = /^(?:numbers?|nummer|numero|no|nr|num|id|code)\b[\s.:#]*\p{Lu}{0,4}-?\d/iu;

/** True for a number beside a name: `NUMBER 0000010201` beside `MERCHANT` is not who it is. */
export const isNumberOf = (text: string): boolean => numberOf.test(text);

/** The word for number before the number itself. */
const label = String.raw`(?:(?:nr|no|n[°º]|num|nummer|number|numero|num[ée]ro)\b[.:°º]?|[#:.])`;
const labels = new RegExp(String.raw`^(?:${label}\s*){1,3}`, 'iu');
/** Places where a number ends and a sentence goes on: `RE-17 vom 19.05.2014`, `4711 (copy)`. */
const ends = /[\s,;](?=\p{Ll}{2,}|\p{Lu}\p{Ll}|[-–—(]|\d{1,2}\.\d{1,2}\.)/u;
/** A first word of capitals that belongs to the number: `GB 123 4567`. */
const beginning = /^(?:\p{Lu}{1,4} (?=\d))?[\p{L}\d][^\s,;]*/u;
const longest = 64;

/** The number that a text begins with, after words for number. null if it begins with none: words, a date alone or an amount. */
export function identifierAt(text: string): { readonly value: string; readonly start: number } | null {
  const lead = /^[\s:=]*/u.exec(text)?.[0].length ?? 0;
  const start = lead + (labels.exec(text.slice(lead, lead + longest))?.[0].length ?? 0);
  const rest = text.slice(start, start + longest);
  const token = beginning.exec(rest)?.[0] ?? '';
  if (!/\d/u.test(token) || isOtherValue(token)) return null;
  const end = ends.exec(rest)?.index ?? rest.length;
  const value = rest.slice(0, end).replace(/[\s"'*_|~:;,.-]+$/u, '');
  return value === '' ? null : { value, start };
}

/** True for a date and for an amount with a currency or decimals. */
function isOtherValue(token: string): boolean {
  const whole = ({ text }: { readonly text: string }): boolean => text.length >= token.length - 1;
  return findTyped(token, 'date').some(whole) || findTyped(token, 'money').some(whole) || /^\d+%$/u.test(token);
}

/** Words for an invoice, at the end of compounds as well: `Handelsrechnung`, `Tax invoice`. */
const invoice =
  /(?:rechnung|gutschrift|rechnungskorrektur|invoice|credit note|facture|avoir|factura|fattura)(?!\p{L})/iu;
/** True for a name of the number of an invoice. */
export const isOfInvoice = (name: string): boolean => /invoice|rechnung|facture/iu.test(name);

const year = /^(?:19|20)\d\d$/u;

/** Lines below a heading in which its number is looked for. */
const mostBelow = 3;
const mostLines = 60;

/** Names of the issuer in a heading: `Rechnung des Versicherers`, `Rechnungskorrektur der Ware`. */
const issuer = /^\s+(?:des|der|of(?: the)?|du|de la)\s+\p{L}{2,30}(?=\s)/iu;

/** Lines that name the kind of the document, with what follows the word, and up to three lines below. */
function headingsOf(pages: readonly (readonly PlacedLine[])[]) {
  const lines = (pages[0] ?? []).slice(0, mostLines);
  return lines.flatMap(({ line, start }, at) => {
    const heading = invoice.exec(line.text);
    if (heading === null || heading.index > longest) return [];
    const whose = issuer.exec(line.text.slice(heading.index + heading[0].length))?.[0].length ?? 0;
    const after = heading.index + heading[0].length + whose;
    // A sentence goes on with other things.
    const below = /[.!?]\s*$/u.test(line.text) ? [] : lines.slice(at + 1, at + 1 + mostBelow);
    return [{ rest: line.text.slice(after), start: start + after, below }];
  });
}

type Headed = TypedSpan & { readonly sure: number };

/**
 * The number in the heading of an invoice: `Handelsrechnung Nr. 471102`, `Avoir AV-17`, or `Nr. 471102` in a line below. null if no heading has
 * one.
 */
export function headedNumber(pages: readonly (readonly PlacedLine[])[]): Headed | null {
  for (const { rest, start, below } of headingsOf(pages)) {
    const beside = identifierAt(rest);
    // A year beside the word is that of the bill: `Abrechnung 2010`.
    if (beside !== null && !year.test(beside.value)) return spanOf(beside, start, 0.8);
    for (const { line, start: from } of below) {
      const found = labels.test(line.text) ? identifierAt(line.text) : null;
      if (found !== null) return spanOf(found, from, 0.7);
    }
  }
  return null;
}

/** Parts that may stand between the heading and its date: a number, and a word such as *vom*. */
const dated = new RegExp(
  String.raw`^[^\p{L}\d]{0,12}(?:\(\d{1,4}\)\s*)?(?:${label}\s*){0,3}(?:[\p{L}\d][^\s,;]*\d[^\s,;]*[\s,]+)?(?:vom|von|of|du|dated|date|issued (?:at|on)|datum)?[\s:,]*(?=\d)`,
  'iu',
);

/** The date in the heading of an invoice, such as `Rechnung Nr. 17 vom 05.03.2018`. null if no heading has one. */
export function headedDate(pages: readonly (readonly PlacedLine[])[]): Headed | null {
  for (const { rest, start, below } of headingsOf(pages)) {
    const text = rest.slice(0, 2 * longest);
    const [next] = /\b(?:vom|of|du)\s*$/iu.test(text) ? below : [];
    const [day] = next === undefined ? [] : findTyped(next.line.text, 'date');
    if (next !== undefined && day?.start === 0)
      return { value: day.value, start: next.start, end: next.start + day.end, sure: 0.8 };
    const [first] = findTyped(text, 'date');
    const before = dated.exec(text)?.[0].length ?? -1;
    if (first === undefined || (before !== first.start && !isDirect(text.slice(0, first.start)))) continue;
    return { value: first.value, start: start + first.start, end: start + first.end, sure: 0.8 };
  }
  return null;
}

/** True for marks alone, or a code in brackets, between the heading and its date: `Rechnung (380) 05.06.2024`. */
const isDirect = (between: string): boolean => /^[^\p{L}\d]*(?:\(\d{1,4}\))?\W*$/u.test(between);

function spanOf(found: { readonly value: string; readonly start: number }, from: number, sure: number): Headed {
  const start = from + found.start;
  return { value: found.value, start, end: start + found.value.length, sure };
}
