import { foldText, wordsOf } from '#src/domain/embed-locally/fold-text.ts';
import { functionWordSet, functionWords, type KnownLanguage } from '#src/domain/embed-locally/stop-words.ts';

/** Words to read. */
const sample = 2000;
const fewest = 4;

/** Language by function words: `en`, `de`, `fr`, `es` or `it`; `und` for short texts, lists and close calls. */
export function guessLanguage(text: string): KnownLanguage | 'und' {
  const words = wordsOf(foldText(text)).slice(0, sample);
  const scores = (Object.keys(functionWords) as KnownLanguage[])
    .map((language) => {
      const known = functionWordSet(language);
      const hits = words.filter((word) => known.has(word));
      return { language, hits: hits.length, distinct: new Set(hits).size };
    })
    .toSorted((left, right) => right.hits - left.hits);
  const [first, second] = scores;
  if (first === undefined || second === undefined) return 'und';
  const clear = first.hits >= fewest && first.distinct >= 3 && first.hits >= 1.3 * second.hits;
  return clear && first.hits >= 0.06 * words.length ? first.language : 'und';
}

/** English name of a guessed language, for sentences and tags. */
export const languageNames: Readonly<Record<KnownLanguage, string>> = {
  en: 'English',
  de: 'German',
  fr: 'French',
  es: 'Spanish',
  it: 'Italian',
};
