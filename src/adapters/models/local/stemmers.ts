import { newStemmer } from 'snowball-stemmers';
import type { Stemmers } from '#src/domain/chat/read-question.ts';

/** Stemmers of Snowball, created on first use of a language. */
export function createStemmers(): Stemmers {
  const names = { en: 'english', de: 'german', fr: 'french' } as const;
  const made = new Map<keyof typeof names, ReturnType<typeof newStemmer>>();
  return (language) => {
    const stemmer = made.get(language) ?? newStemmer(names[language]);
    made.set(language, stemmer);
    return (word) => stemmer.stem(word);
  };
}
