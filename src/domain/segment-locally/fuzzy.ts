import { editDistance } from '#src/domain/documents/text-distance.ts';

/** Characters that recognition confuses, mapped to one of them. */
const lookalikes: Readonly<Record<string, string>> = { '0': 'o', '1': 'l', i: 'l', '5': 's', '8': 'b', '6': 'g' };

/** Folds a word to lower-case letters and digits: `Fällig-am:` is `falligam`. */
export function foldWord(text: string): string {
  return text
    .toLowerCase()
    .replaceAll('ß', 'ss')
    .normalize('NFKD')
    .replace(/[^\p{L}\p{N}]/gu, '');
}

/** Similarity of two folded words, 0..1; 0 if one cannot be a misreading of the other. Short and numeric words must be equal. */
function similarity(wanted: string, found: string): number {
  if (wanted === found) return 1;
  const longest = Math.max(wanted.length, found.length);
  if (longest < 4 || /^\d+$/u.test(wanted)) return 0;
  const allowed = longest < 6 ? 1 : Math.floor(longest / 4);
  if (Math.abs(wanted.length - found.length) > allowed) return 0;
  const alike = (text: string): string[] => Array.from(text, (letter) => lookalikes[letter] ?? letter);
  const edits = editDistance(alike(wanted), alike(found));
  return edits > allowed ? 0 : 0.98 - edits / longest;
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
  const wanted = foldWord(phrase);
  const length = phrase.split(/\s+/u).filter((word) => foldWord(word) !== '').length;
  if (wanted === '') return [];
  const folded = words.map(foldWord);
  const found: PhraseMatch[] = [];
  for (let from = 0; from < words.length; from += 1)
    for (let to = from + Math.max(1, length - 1); to <= Math.min(words.length, from + length + 1); to += 1) {
      if (folded[from] === '' || folded[to - 1] === '') continue;
      const score = similarity(wanted, folded.slice(from, to).join(''));
      if (score > 0) found.push({ from, to, score });
    }
  const kept: PhraseMatch[] = [];
  for (const match of found.toSorted((one, other) => other.score - one.score || one.from - other.from))
    if (kept.every((other) => match.to <= other.from || match.from >= other.to)) kept.push(match);
  return kept.toSorted((one, other) => one.from - other.from);
}
