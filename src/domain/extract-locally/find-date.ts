import type { PlacedLine } from '#src/domain/extract-locally/page-text.ts';
import { typedValues, type TypedSpan } from '#src/domain/extract-locally/typed-value.ts';
import { readDate } from '#src/domain/segment-locally/read-date.ts';
import { foldText } from '#src/domain/embed-locally/fold-text.ts';

const time = /(?<![\d.])\d{1,2} ?: ?\d{2}(?!\d)/u;
const label = /\b(?:date|time|datum|zeit|uhr)\b/u;
/** Days that are not that of the document. */
const others =
  /\b(?:expir\w*|exp|valid|until|before|best|due|since|born|birth|delivery|bis|fallig|gultig|geburts\w*|geboren|lieferdatum|haltbar)\b/u;

/** A date before a time, whose separators were read badly: `26 03-18 15:25`, `26: -03- 18 15: 25`. */
const loose =
  /(?<![\d./-])(?<day>\d{1,2})[ .:~/-]{1,4}(?<month>\d{1,2})[ ./-]{1,2}(?<year>20\d{2}|\d{2})(?= {1,3}\d{1,2}: ?\d{2}(?!\d))/u;

function looseDate(text: string): TypedSpan[] {
  const match = loose.exec(text);
  const { day = '', month = '', year = '' } = match?.groups ?? {};
  const value = match === null ? null : readDate(`${day}/${month}/${year}`);
  return match === null || value === null ? [] : [{ value, start: match.index, end: match.index + match[0].length }];
}

/** A date of ten characters whose zeros and ones were misread, so that it is none as it stands: `30/64/2018`, `12/O3/2518`. */
const misread =
  /(?<![\p{L}\d./-])(?<day>[\dOoIl]{2})(?<gap>[./-])(?<month>[\dOoIl]{2})\k<gap>(?<year>2[\dOo][\dOoIl]{2})(?![\p{L}\d/-])/gu;

/** Highest first digit of a day and of a month: a higher one was a zero. */
const firstDigits = { day: 3, month: 1 } as const;

function misreadDates(text: string): TypedSpan[] {
  return [...text.matchAll(misread)].flatMap((match) => {
    const { day = '', month = '', year = '' } = match.groups ?? {};
    const digits = (part: string): string => part.replaceAll(/[Oo]/gu, '0').replaceAll(/[Il]/gu, '1');
    const part = (written: string, highest: number): string =>
      Number(written[0]) > highest ? `0${written.slice(1)}` : written;
    const [ofDay, ofMonth] = [part(digits(day), firstDigits.day), part(digits(month), firstDigits.month)];
    const value = readDate(`${ofDay}/${ofMonth}/20${digits(year).slice(2)}`);
    return value === null ? [] : [{ value, start: match.index, end: match.index + match[0].length }];
  });
}

interface Candidate {
  readonly found: TypedSpan;
  readonly points: number;
}

function candidatesOf({ line, start }: PlacedLine): Candidate[] {
  const folded = foldText(line.text);
  const points = (time.test(line.text) ? 1 : 0) + (label.test(folded) ? 0.8 : 0) - (others.test(folded) ? 2 : 0);
  const written = typedValues(line.text, 'date');
  const loosely = written.length > 0 ? written : looseDate(line.text);
  return (loosely.length > 0 ? loosely : misreadDates(line.text)).map((found) => ({
    found: { ...found, start: start + found.start, end: start + found.end },
    points,
  }));
}

/**
 * The day of a document, where no label could be read: the date with a time beside it, or the one that is printed most, and no day on
 * which something expires or is due. null if there is no date.
 */
export function findDate(pages: readonly (readonly PlacedLine[])[]): (TypedSpan & { readonly sure: number }) | null {
  const byDay = Map.groupBy(pages.flat().flatMap(candidatesOf), ({ found }) => found.value);
  const ranked = [...byDay.values()]
    .flatMap((all) => {
      const best = all.reduce((one, other) => (other.points > one.points ? other : one));
      return { found: best.found, points: best.points + 0.3 * Math.min(2, all.length - 1) };
    })
    .toSorted((one, other) => other.points - one.points || one.found.start - other.found.start);
  const [first, second] = ranked;
  if (first === undefined) return null;
  const lead = first.points - (second?.points ?? -1);
  return { ...first.found, sure: lead >= 0.8 ? (first.points >= 1 ? 0.85 : 0.6) : 0.5 };
}
