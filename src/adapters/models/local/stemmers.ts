import { lazyStemmer } from '#src/adapters/models/local/lazy-stemmer.ts';
import type { Stemmers } from '#src/domain/chat/read-question.ts';

/** Stemmers of Snowball, created on first use of a language. */
export function createStemmers(): Stemmers {
  const stemmers = { en: lazyStemmer('english'), de: lazyStemmer('german'), fr: lazyStemmer('french') };
  return (language) => stemmers[language];
}
