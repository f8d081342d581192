import { tellingWords } from '#src/domain/documents/languages/telling-words.ts';
import { foldText, wordsOf } from '#src/domain/embed-locally/fold-text.ts';

/** Words to read. */
const sample = 2_000;
/** Least sum of the weights of the words that tell the language: a word of one language weighs 1. */
const leastWeight = 2.5;
const fewestDistinct = 3;
/** Lead over the next language. */
const leastLead = 1.5;
/** Least weight for each word of the text, without numbers. */
const leastShare = 0.05;
/** Languages that an unclear text is read in at once: each takes its time. */
const mostTogether = 4;

interface Score {
  readonly code: string;
  readonly weight: number;
  readonly distinct: number;
}

/**
 * Language of a text among `candidates`, codes of Tesseract, by the words that tell it; null for close calls, for texts with few of them,
 * and for languages without known words. Source: docs/decisions/0215.
 */
export function detectLanguage(text: string, candidates: readonly string[]): string | null {
  const words = lettered(text);
  const [first, second] = scoresOf(words, candidates);
  if (first === undefined) return null;
  const isClear = first.weight >= leastWeight && first.distinct >= fewestDistinct;
  const leads = first.weight >= leastLead * (second?.weight ?? 0);
  return isClear && leads && first.weight >= leastShare * words.length ? first.code : null;
}

/** Languages for a text without a clear one: the first candidate, those without known words, and the likeliest others. */
export function togetherWhenUnclear(text: string, candidates: readonly string[]): string[] {
  const likely = scoresOf(lettered(text), candidates).map(({ code }) => code);
  const unknown = candidates.filter((code) => !likely.includes(code));
  return [...new Set([...candidates.slice(0, 1), ...unknown, ...likely])].slice(0, mostTogether);
}

const lettered = (text: string): string[] =>
  wordsOf(foldText(text))
    .filter((word) => /\p{L}/u.test(word))
    .slice(0, sample);

/** Candidates with known words, the likeliest first. A word that several of them have counts for each in part. */
function scoresOf(read: readonly string[], candidates: readonly string[]): Score[] {
  const known = candidates.flatMap((code) => {
    const words = tellingWords(code);
    return words === null ? [] : [{ code, words }];
  });
  return known
    .map(({ code, words }) => {
      const hits = read.filter((word) => words.has(word));
      const weight = hits.reduce((sum, word) => sum + 1 / known.filter((other) => other.words.has(word)).length, 0);
      return { code, weight, distinct: new Set(hits).size };
    })
    .toSorted((left, right) => right.weight - left.weight);
}
