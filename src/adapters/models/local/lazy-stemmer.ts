import { createRequire } from 'node:module';
import type * as Snowball from 'snowball-stemmers';
import type { Stemmers } from '#src/domain/chat/read-question.ts';

/**
 * Stems words by an algorithm of Snowball. Loads the library with the first word: its stemmers of all languages take 2 MB of each process.
 * With `require`, since callers do not wait.
 */
export function lazyStemmer(algorithm: string): (word: string) => string {
  let stemmer: Snowball.Stemmer | undefined;
  return (word) => {
    stemmer ??= (createRequire(import.meta.url)('snowball-stemmers') as typeof Snowball).newStemmer(algorithm);
    return stemmer.stem(word);
  };
}

/** Stemmers of Snowball, created on first use of a language. */
export function createStemmers(): Stemmers {
  const stemmers = { en: lazyStemmer('english'), de: lazyStemmer('german'), fr: lazyStemmer('french') };
  return (language) => stemmers[language];
}
