/** Characters of a text that embeddings and descriptions read. */
const maxCharacters = 100_000;

/** Longest word. Longer runs of letters and digits are noise or data, and are split. */
const maxWord = 32;

const wordPattern = /[\p{L}\p{N}]+/gu;
/** Scripts without spaces between words; their runs are split into overlapping pairs. */
const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]{2,}/u;
const ascii = /^[\x00-\x7f]*$/;

/** Folds a text: lower case, without compatibility forms (ligatures, full width) and marks. `Ärzte` becomes `arzte`. */
export function foldText(text: string): string {
  const bounded = text.length > maxCharacters ? text.slice(0, maxCharacters) : text;
  if (ascii.test(bounded)) return bounded.toLowerCase();
  return bounded
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
    .replaceAll('ß', 'ss');
}

/** Words of folded text in reading order: letters and digits only, at most 32 characters each. */
export function wordsOf(folded: string): string[] {
  const words: string[] = [];
  for (const word of folded.match(wordPattern) ?? []) {
    if (word.length <= maxWord && (isAscii(word) || !unspaced.test(word))) words.push(word);
    else words.push(...pieces(word));
  }
  return words;
}

function pieces(word: string): string[] {
  const characters = Array.from(word);
  const [size, step] = unspaced.test(word) ? [2, 1] : [maxWord, maxWord];
  const parts: string[] = [];
  for (let at = 0; at === 0 || at + size - step < characters.length; at += step) {
    parts.push(characters.slice(at, at + size).join(''));
  }
  return parts;
}

function isAscii(word: string): boolean {
  return word.charCodeAt(0) < 128 && word.charCodeAt(word.length - 1) < 128 && ascii.test(word);
}
