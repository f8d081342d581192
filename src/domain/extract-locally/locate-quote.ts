/** Range of UTF-16 code units, end exclusive. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

export interface LocatedQuote extends Span {
  /** true: the text contains the quote literally. */
  readonly exact: boolean;
}

/** Longest quote, in characters. */
const longestQuote = 1_000;
/** Most occurrences of a quote; with more it identifies no passage. */
const mostPlaces = 1_000;
const alike: Readonly<Record<string, string>> = {
  '’': "'",
  '‘': "'",
  '“': '"',
  '”': '"',
  '„': '"',
  '–': '-',
  '—': '-',
  '−': '-',
};

/** Finds a quote, at `from` or after it if it can be found there. */
export type FindQuote = (quote: string, from?: number) => LocatedQuote | null;

/**
 * Returns a function that finds a quote in a text: literally, or ignoring case, white space and kinds of quotes and dashes. A match never
 * lies inside a longer number (`29.41` in `129.41`), and inside a longer word only as a last resort. null if there is none.
 */
export function quoteFinder(text: string): FindQuote {
  let flat: ReturnType<typeof flatten> | undefined;
  return (quote, from = 0) => {
    const wanted = quote.trim();
    if (wanted === '' || wanted.length > longestQuote) return null;
    const exact = bestPlace(text, wanted, from);
    if (exact !== null) return { start: exact, end: exact + wanted.length, exact: true };
    flat ??= flatten(text);
    const folded = flatten(wanted).text;
    const at = bestPlace(flat.text, folded, from === 0 ? 0 : firstAtLeast(flat.places, from));
    if (at === null) return null;
    const [start, last] = [flat.places[at], flat.places[at + folded.length - 1]];
    return start === undefined || last === undefined ? null : { start, end: last + 1, exact: false };
  };
}

/** Index of the first of ascending numbers that is not below `least`. */
export function firstAtLeast(ascending: readonly number[], least: number): number {
  let [low, high] = [0, ascending.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((ascending[middle] ?? 0) < least) low = middle + 1;
    else high = middle;
  }
  return low;
}

const bestPlace = (text: string, wanted: string, from: number): number | null =>
  placeAfter(text, wanted, from) ?? (from === 0 ? null : placeAfter(text, wanted, 0));

/** The first match at word borders, otherwise the first that does not cut a number. */
function placeAfter(text: string, wanted: string, from: number): number | null {
  let second: number | null = null;
  for (let at = text.indexOf(wanted, from), tries = 0; at !== -1 && tries < mostPlaces; tries += 1) {
    const end = at + wanted.length;
    if (!cutsNumber(text, at, -1) && !cutsNumber(text, end - 1, 1)) {
      if (!joined(text, at - 1, at) && !joined(text, end - 1, end)) return at;
      second ??= at;
    }
    at = text.indexOf(wanted, at + 1);
  }
  return second;
}

/** True if a number continues beyond the edge `at` in direction `step`. */
function cutsNumber(text: string, at: number, step: 1 | -1): boolean {
  if (!isDigit(text[at])) return false;
  const next = text[at + step];
  return isDigit(next) || (next !== undefined && '.,'.includes(next) && isDigit(text[at + 2 * step]));
}

function joined(text: string, left: number, right: number): boolean {
  return /^[\p{L}\p{N}]{2}$/u.test((text[left] ?? ' ') + (text[right] ?? ' '));
}

function isDigit(character: string | undefined): boolean {
  return character !== undefined && character >= '0' && character <= '9';
}

/** Folds case and white space, and records the original index of each character. */
function flatten(text: string): { text: string; places: number[] } {
  const characters: string[] = [];
  const places: number[] = [];
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charAt(at);
    const space = /\s/.test(character);
    if (space && characters.at(-1) === ' ') continue;
    const lower = character.toLowerCase();
    // Keeps the few capitals whose lower case has two characters, so that indexes match.
    characters.push(space ? ' ' : (alike[character] ?? (lower.length === 1 ? lower : character)));
    places.push(at);
  }
  return { text: characters.join(''), places };
}
