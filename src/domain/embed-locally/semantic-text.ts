import { foldText, wordsOf } from '#src/domain/embed-locally/fold-text.ts';
import { lexicalDimensions } from '#src/domain/embed-locally/lexical-vector.ts';
import { functionWordSet, functionWords, type KnownLanguage } from '#src/domain/embed-locally/stop-words.ts';
import { unitVector } from '#src/domain/embed-locally/unit-vector.ts';

/** Dimensions of a sentence vector, and of the hashed words beside it. Together those of every other text vector. */
export const sentenceDimensions = 512;
export const hashedDimensions = lexicalDimensions - sentenceDimensions;

/** The model cuts a text after about 105 words without a word. */
const passageWords = 60;
/** Limit on the passages of a text: each costs about 25 ms of computing. Longer texts are sampled evenly. */
const mostPassages = 64;
const sampledCharacters = 400_000;
/** Words that decide the language. */
const sampledWords = 2_000;
const longestWord = 64;

/**
 * True if an English model can read the text: no other known language has more function words in it, and its letters are Latin. Short
 * queries have few function words, so that a draw counts as English.
 */
export function readsAsEnglish(text: string): boolean {
  const sample = text.slice(0, sampledCharacters);
  const letters = sample.match(/\p{L}/gu)?.length ?? 0;
  const plain = sample.match(/[a-z]/gi)?.length ?? 0;
  if (plain === 0 || plain < 0.97 * letters) return false;
  const words = wordsOf(foldText(sample)).slice(0, sampledWords);
  const hits = (language: KnownLanguage): number => {
    const known = functionWordSet(language);
    return words.filter((word) => known.has(word)).length;
  };
  const english = hits('en');
  return (Object.keys(functionWords) as KnownLanguage[]).every((other) => hits(other) <= english);
}

/** Passages of about 60 words, cut at ends of sentences where possible. At most 64, over the whole text. */
export function passagesOf(text: string): string[] {
  const passages: string[] = [];
  let current: string[] = [];
  const flush = (): void => {
    if (current.length > 0) passages.push(current.join(' '));
    current = [];
  };
  for (const [word] of text.slice(0, sampledCharacters).matchAll(/\S+/gu)) {
    current.push(word.slice(0, longestWord));
    const isEnd = current.length >= passageWords / 2 && /[.!?]["')\]]?$/.test(word);
    if (isEnd || current.length >= passageWords) flush();
  }
  flush();
  if (passages.length <= mostPassages) return passages;
  const step = passages.length / mostPassages;
  return Array.from({ length: mostPassages }, (_, at) => passages[Math.floor(at * step)] ?? '');
}

/**
 * One unit vector: hashed words beside the mean of the sentence vectors, each half with the same say. Without sentences their half is
 * zero. A text without content words and sentences has the zero vector. Source: docs/decisions/0144.
 */
export function besideEachOther(hashed: Float32Array, sentences: readonly Float32Array[]): Float32Array {
  const sum = new Float64Array(sentenceDimensions);
  for (const sentence of sentences) for (const [at, value] of sentence.entries()) sum[at] = (sum[at] ?? 0) + value;
  const both = new Float64Array(lexicalDimensions);
  both.set(hashed);
  both.set(unitVector(sum), hashedDimensions);
  return unitVector(both);
}

/** True if a vector of `besideEachOther` has sentences in it, not hashed words alone. */
export function hasSentences(vector: Float32Array): boolean {
  return vector.subarray(hashedDimensions).some((value) => value !== 0);
}
