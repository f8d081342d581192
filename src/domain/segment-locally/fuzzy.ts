import { textDistance } from '#src/domain/documents/text-distance.ts';

/** Characters that recognition confuses, mapped to one of them. */
const lookalikes: Readonly<Record<string, string>> = { '0': 'o', '1': 'l', i: 'l', '5': 's', '8': 'b', '6': 'g' };

const ascii = /^[\x00-\x7f]*$/;

/** Folds a word to lower-case letters and digits: `Fällig-am:` is `falligam`. */
export function foldWord(text: string): string {
  // Most words are ASCII, which has nothing to decompose.
  if (ascii.test(text)) return text.toLowerCase().replace(/[^a-z0-9]/g, '');
  return text
    .toLowerCase()
    .replaceAll('ß', 'ss')
    .normalize('NFKD')
    .replace(/[^\p{L}\p{N}]/gu, '');
}

const evenOut = (text: string): string => text.replace(/[01i568]/g, (letter) => lookalikes[letter] ?? letter);

/** Differences in letters that a misreading may have. */
const allowedIn = (longest: number): number => (longest < 6 ? 1 : Math.floor(longest / 4));

/** A folded phrase that is looked for. Short ones and numbers are found as they are alone. */
class Wanted {
  readonly #text: string;
  readonly #evened: string;
  readonly #isNumber: boolean;

  constructor(text: string) {
    this.#text = text;
    this.#evened = evenOut(text);
    this.#isNumber = /^\d+$/u.test(text);
  }

  /** False for a length that no misreading has. */
  mayHave(length: number): boolean {
    const [wanted, longest] = [this.#text.length, Math.max(this.#text.length, length)];
    return Math.abs(wanted - length) <= (this.#isNumber || longest < 4 ? 0 : allowedIn(longest));
  }

  /** Similarity of a folded word whose length may be, 0..1; 0 if it cannot be a misreading. */
  similarity(found: string): number {
    if (this.#text === found) return 1;
    const longest = Math.max(this.#text.length, found.length);
    if (longest < 4 || this.#isNumber) return 0;
    const edits = textDistance(this.#evened, evenOut(found));
    return edits > allowedIn(longest) ? 0 : 0.98 - edits / longest;
  }
}

/** Words `from` to `to` (exclusive) that match the phrase. */
export interface PhraseMatch {
  readonly from: number;
  readonly to: number;
  readonly score: number;
}

/**
 * Finds a phrase in a list of words: the best match at each position, in order, without overlaps. Also finds words that recognition split
 * or joined.
 */
export function findPhrase(words: readonly string[], phrase: string): PhraseMatch[] {
  const text = foldWord(phrase);
  const length = phrase.split(/\s+/u).filter((word) => foldWord(word) !== '').length;
  if (text === '') return [];
  const wanted = new Wanted(text);
  const folded = words.map(foldWord);
  const ends = [0];
  for (const [at, word] of folded.entries()) ends.push((ends[at] ?? 0) + word.length);
  const found: PhraseMatch[] = [];
  for (let from = 0; from < words.length; from += 1)
    for (let to = from + Math.max(1, length - 1); to <= Math.min(words.length, from + length + 1); to += 1) {
      if (folded[from] === '' || folded[to - 1] === '') continue;
      // Most are refused by their length, before anything is joined.
      if (!wanted.mayHave((ends[to] ?? 0) - (ends[from] ?? 0))) continue;
      const score = wanted.similarity(folded.slice(from, to).join(''));
      if (score > 0) found.push({ from, to, score });
    }
  const kept: PhraseMatch[] = [];
  for (const match of found.toSorted((one, other) => other.score - one.score || one.from - other.from))
    if (kept.every((other) => match.to <= other.from || match.from >= other.to)) kept.push(match);
  return kept.toSorted((one, other) => one.from - other.from);
}
