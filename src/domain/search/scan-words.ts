/** Position of a word; `WordScanner` advances it. */
export interface WordPlace {
  start: number;
  end: number;
}

/** Moves `place` to the first word at or after `from`. Returns false at the end of the text. Reads each character once. */
export type WordScanner = (text: string, from: number, place: WordPlace) => boolean;

const kinds = { other: 1, letter: 2, digit: 3, mark: 4, lone: 5 } as const;
/** Characters inside a word between two letters or two digits. Source: UAX #29, MidLetter and MidNum. */
const betweenLetters = new Set(":·‧.'‘’․：．＇");
const betweenDigits = new Set(",;٬⁄，；.'‘’․．＇");

/** Scripts in which each character counts as a word. */
const lone = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u;

function kindOf(character: string): number {
  if (lone.test(character)) return kinds.lone;
  if (/[\p{L}\p{Nl}_]/u.test(character)) return kinds.letter;
  if (/\p{N}/u.test(character)) return kinds.digit;
  return /[\p{M}\p{Cf}]/u.test(character) ? kinds.mark : kinds.other;
}

/** Splits a text into words like the lexical index (Lucene's standard tokenizer), for letters and digits. */
export function createWordScanner(): WordScanner {
  /** Cache by UTF-16 code unit; 0: unknown. */
  const known = new Uint8Array(65_536);
  const kindAt = (text: string, at: number): number => {
    const code = text.charCodeAt(at);
    const kind = known[code] as number;
    if (kind !== 0) return kind;
    // Surrogates get the kind of their pair, which the cache by code unit cannot hold.
    if (code >= 0xd8_00 && code <= 0xdf_ff) return pairKindAt(text, at);
    return (known[code] = kindOf(text.charAt(at)));
  };
  const joins = (text: string, at: number, before: number): boolean => {
    if (at + 1 >= text.length) return false;
    const between = before === kinds.letter ? betweenLetters : before === kinds.digit ? betweenDigits : null;
    return between !== null && between.has(text.charAt(at)) && kindAt(text, at + 1) === before;
  };
  return (text, from, place) => {
    let at = from;
    let kind = 0;
    while (at < text.length) {
      kind = kindAt(text, at);
      if (kind !== kinds.other && kind !== kinds.mark) break;
      at += 1;
    }
    if (at >= text.length) return false;
    place.start = at;
    at += 1;
    if (kind === kinds.lone && isHighHalf(text.charCodeAt(place.start))) at += 1;
    let last = kind;
    for (; at < text.length; at += 1) {
      const next = kindAt(text, at);
      if (next === kinds.mark) continue;
      if (kind === kinds.lone || next === kinds.lone) break;
      if (next === kinds.other && !joins(text, at, last)) break;
      if (next !== kinds.other) last = next;
    }
    place.end = at;
    return true;
  };
}

const isHighHalf = (code: number): boolean => code >= 0xd8_00 && code <= 0xdb_ff;

function pairKindAt(text: string, at: number): number {
  const start = isHighHalf(text.charCodeAt(at)) ? at : at - 1;
  const code = start < 0 ? undefined : text.codePointAt(start);
  return code === undefined || code <= 0xff_ff ? kinds.other : kindOf(String.fromCodePoint(code));
}
