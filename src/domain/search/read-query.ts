import { queryIdentifiers } from '#src/domain/documents/identifiers.ts';
import { foldText } from '#src/domain/embed-locally/fold-text.ts';
import { createStopWords } from '#src/domain/embed-locally/stop-words.ts';

/** What is read of a query, however long it is: every part of it costs the database work. */
export const queryLimits = { characters: 1_000, words: 12, wordCharacters: 64, phrases: 4 } as const;

/** A search text, taken apart. */
export interface ReadQuery {
  /** All of it but the quotes: what is embedded. */
  readonly text: string;
  /** Words to rank by. */
  readonly words: readonly string[];
  /** Must be in the text as they stand. */
  readonly phrases: readonly string[];
  /** Numbers and codes, folded as those of search records are. */
  readonly identifiers: readonly string[];
}

const stopWords = createStopWords();
const letterOrDigit = /[\p{L}\p{N}]/u;

/**
 * Takes a query apart. Text between double quotes is a phrase. Of more words than are ranked by, the longest stay: no server tells
 * how rare a word is, and long ones are. Function words only count when there is nothing else.
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
