/** Characters of a text (UTF-16), end exclusive. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

export interface LocatedQuote extends Span {
  /** As it stands there, letter by letter. */
  readonly exact: boolean;
}

/** Longer quotes are no evidence but a copy. */
const longestQuote = 1_000;
/** A quote that stands in more places points at none of them. */
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

/**
 * Looks quotes up in a text. Where one stands: as it is, else without regard to case, white space and the kind of quotes and dashes. The place is
 * never within a longer number (`29.41` is not in `129.41`), and rather not within a longer word. null when it is not there.
 */
export function quoteFinder(text: string): (quote: string) => LocatedQuote | null {
  let flat: ReturnType<typeof flatten> | undefined;
  return (quote) => {
    const wanted = quote.trim();
    if (wanted === '' || wanted.length > longestQuote) return null;
    const exact = bestPlace(text, wanted);
    if (exact !== null) return { start: exact, end: exact + wanted.length, exact: true };
    flat ??= flatten(text);
    const folded = flatten(wanted).text;
    const at = bestPlace(flat.text, folded);
    if (at === null) return null;
    const [start, last] = [flat.places[at], flat.places[at + folded.length - 1]];
    return start === undefined || last === undefined ? null : { start, end: last + 1, exact: false };
  };
}

/** The first place on word borders, else the first that cuts no number. */
function bestPlace(text: string, wanted: string): number | null {
  let second: number | null = null;
  for (let at = text.indexOf(wanted), tries = 0; at !== -1 && tries < mostPlaces; at = text.indexOf(wanted, at + 1)) {
    tries += 1;
    const end = at + wanted.length;
    if (cutsNumber(text, at, -1) || cutsNumber(text, end - 1, 1)) continue;
    if (!joined(text, at - 1, at) && !joined(text, end - 1, end)) return at;
    second ??= at;
  }
  return second;
}

/** Whether a figure at the edge goes on outside: `at` is the edge's place, `step` the way out. */
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

/** Lower case, runs of white space as one space; with the place of each character in the original. */
function flatten(text: string): { text: string; places: number[] } {
  const characters: string[] = [];
  const places: number[] = [];
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charAt(at);
    const space = /\s/.test(character);
    if (space && characters.at(-1) === ' ') continue;
    const lower = character.toLowerCase();
    // A few capitals become two characters: those stay as they are, so that places stay true.
    characters.push(space ? ' ' : (alike[character] ?? (lower.length === 1 ? lower : character)));
    places.push(at);
  }
  return { text: characters.join(''), places };
}
