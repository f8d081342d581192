import { queryIdentifiers } from '#src/domain/documents/identifiers.ts';
import { foldText } from '#src/domain/embed-locally/fold-text.ts';
import { createStopWords } from '#src/domain/embed-locally/stop-words.ts';

/** Limits of a parsed query, since every part costs the database work. */
export const queryLimits = { characters: 1_000, words: 20, wordCharacters: 64, phrases: 4 } as const;

/** A parsed search text. */
export interface ReadQuery {
  /** The whole text without quotes, for the embedding. */
  readonly text: string;
  /** Words for ranking. */
  readonly words: readonly string[];
  /** Phrases that a text must contain literally. */
  readonly phrases: readonly string[];
  /** Numbers and codes, folded as in search records. */
  readonly identifiers: readonly string[];
}

const stopWords = createStopWords();
const letterOrDigit = /[\p{L}\p{N}]/u;

/**
 * Parses a query. Text in double quotes is a phrase. If there are too many words, the longest stay, since long words tend to be rare.
 * Function words count only if there are no others.
 */
export function readQuery(given: string): ReadQuery {
  const query = given
    .slice(0, queryLimits.characters)
    .toWellFormed()
    .replaceAll(/\p{Cc}/gu, ' ');
  const phrases = [...query.matchAll(/"([^"]+)"/g)].map(([, phrase = '']) => phrase.trim()).filter(isText);
  const words = [...new Set(query.replaceAll(/"[^"]*"/g, ' ').split(/\s+/u))].filter(
    (word) => isText(word) && word.length <= queryLimits.wordCharacters,
  );
  const content = words.filter((word) => !stopWords.has(foldText(word).replaceAll(/[^\p{L}\p{N}]/gu, '')));
  const ranked = content.length > 0 ? content : words;
  const longest = new Set(ranked.toSorted((a, b) => b.length - a.length).slice(0, queryLimits.words));
  return {
    text: query.replaceAll('"', ' ').trim(),
    words: ranked.filter((word) => longest.has(word)),
    phrases: [...new Set(phrases)].slice(0, queryLimits.phrases),
    identifiers: queryIdentifiers(query),
  };
}

function isText(part: string): boolean {
  return letterOrDigit.test(part);
}
