import type { Stem } from '#src/domain/embed-locally/lexical-features.ts';
import { foldText } from '#src/domain/embed-locally/fold-text.ts';
import type { ReadQuery } from '#src/domain/search/read-query.ts';
import { createWordScanner, type WordPlace, type WordScanner } from '#src/domain/search/scan-words.ts';
import type { Match } from '#src/domain/search/snippet.ts';
import { foldedForms } from '#src/domain/search/word-forms.ts';
import {
  createWordMatcher,
  formsOf,
  queryTerm,
  type QueryTerm,
  type WordMatch,
} from '#src/domain/search/word-matcher.ts';

/** `whole`: an identifier, phrase or word; `typo`: with one wrong letter; `piece`: a part of an identifier that the text lacks as a whole. */
export type Certainty = 'whole' | 'typo' | 'piece';
export interface FoundMatch extends Match {
  readonly certainty: Certainty;
}

/** Finds the matches of a query in a text, in order, without overlaps, in linear time. */
export type MatchFinder = (text: string) => FoundMatch[];

/** Limits of the compared query and of the matches in one field. */
const limits = { terms: 64, phraseWords: 24, matches: 2_000, matchCharacters: 400 } as const;
const rememberedPairs = 10_000;
const weights = { whole: 1, typo: 0.5, piece: 0.3, unit: 3 } as const;

/** Words that the index does not contain; in a phrase they match any word. Source: Lucene's English stop words. */
const stopWords = new Set(
  (
    'a an and are as at be but by for if in into is it no not of on or such that the their then there these they this to was ' +
    'will with'
  ).split(' '),
);
/** Characters that can separate the parts of an identifier. */
const separators = new Set("-‐‑‒–—/., \u00a0\u202f\t'’");

interface Phrase {
  readonly part: number;
  /** null matches any word. */
  readonly words: readonly (QueryTerm | null)[];
}

/** Prepares a query to be matched with many texts. */
export function createMatchFinder(query: ReadQuery, stem: Stem, scan: WordScanner = createWordScanner()): MatchFinder {
  const parts = readParts(query, stem, scan);
  const match = createWordMatcher(parts.terms, stem);
  const starts = startsOf(parts);
  const unit = createUnitFinder(parts, scan, stem);
  const place: WordPlace = { start: 0, end: 0 };
  return (text) => {
    const found: FoundMatch[] = [];
    for (let at = 0; scan(text, at, place) && found.length < limits.matches;) {
      const { start, end } = place;
      at = end;
      if (!starts(text, start, end)) continue;
      const whole = unit(text, start, end);
      if (whole !== null) {
        found.push(whole);
        at = whole.end;
        continue;
      }
      const one = end - start <= limits.matchCharacters ? match(text.slice(start, end)) : null;
      if (one !== null) found.push({ start, end, ...sureness(one, parts.pieces) });
    }
    return found;
  };
}

function sureness({ term, exact }: WordMatch, pieces: ReadonlySet<number>): Omit<FoundMatch, 'start' | 'end'> {
  const certainty = pieces.has(term) ? 'piece' : exact ? 'whole' : 'typo';
  return { part: term, certainty, weight: weights[certainty] };
}

interface Parts {
  readonly terms: readonly QueryTerm[];
  /** Terms that can be parts of an identifier. */
  readonly pieces: ReadonlySet<number>;
  readonly phrases: readonly Phrase[];
  /** Folded identifiers, the longest first, with their index in the query. */
  readonly identifiers: ReadonlyMap<string, number>;
}

function readParts(query: ReadQuery, stem: Stem, scan: WordScanner): Parts {
  const terms: QueryTerm[] = [];
  const pieces = new Set<number>();
  const phrases: Phrase[] = [];
  for (const word of query.words) {
    const tokens = wordsOf(word, scan);
    const telling = tokens.filter((token) => !stopWords.has(token.toLowerCase()));
    // In scripts without spaces, adjacent characters form a phrase.
    if (tokens.length > 1 && tokens.every((token) => loneCharacter.test(token))) {
      phrases.push({ part: limits.terms + phrases.length, words: phraseWords(tokens, stem) });
      continue;
    }
    for (const token of telling.length > 0 ? telling : tokens) {
      if (terms.length >= limits.terms) break;
      const plain = foldText(token).replaceAll(/[^\p{L}\p{N}]/gu, '');
      if (query.identifiers.some((one) => one !== plain && one.includes(plain))) pieces.add(terms.length);
      terms.push(queryTerm(token, stem));
    }
  }
  for (const phrase of query.phrases) {
    const words = phraseWords(wordsOf(phrase, scan), stem);
    if (words.length > 0) phrases.push({ part: limits.terms + phrases.length, words });
  }
  const longestFirst = query.identifiers.toSorted((a, b) => b.length - a.length);
  const identifiers = new Map(longestFirst.map((one, at) => [one, 2 * limits.terms + at]));
  return { terms, pieces, phrases, identifiers };
}

const loneCharacter = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]\p{M}*$/u;

function wordsOf(text: string, scan: WordScanner): string[] {
  const words: string[] = [];
  const place: WordPlace = { start: 0, end: 0 };
  for (let at = 0; scan(text, at, place); at = place.end) words.push(text.slice(place.start, place.end));
  return words;
}

/** Words of a phrase without stop words at its ends. */
function phraseWords(words: readonly string[], stem: Stem): (QueryTerm | null)[] {
  const all = words
    .slice(0, limits.phraseWords)
    .map((word) => (stopWords.has(word.toLowerCase()) ? null : queryTerm(word, stem)));
  const first = all.findIndex((word) => word !== null);
  return first < 0 ? [] : all.slice(first, all.findLastIndex((word) => word !== null) + 1);
}

/** Returns a fast filter by the first two letters of a word, which skips most words of a text. */
function startsOf({ terms, phrases, identifiers }: Parts): (text: string, start: number, end: number) => boolean {
  const firsts = phrases.flatMap(({ words: [first] }) => first ?? []);
  const forms = [...terms, ...firsts].flatMap(formsOf);
  const letters = new Set(identifiers.keys().map((identifier) => identifier.charAt(0)));
  const mayStart = (pair: string): boolean =>
    foldedForms(pair).some(
      (folded) =>
        folded === '' ||
        letters.has(folded.charAt(0)) ||
        forms.some((form) => (folded.length < 2 ? form.startsWith(folded) : form.slice(0, 2) === folded.slice(0, 2))),
    );
  const known = new Map<number, boolean>();
  const quick = new Uint8Array(128 * 128);
  const ask = (text: string, start: number, end: number): boolean =>
    mayStart(text.slice(start, Math.min(end, start + 2)));
  return (text, start, end) => {
    const first = text.charCodeAt(start);
    const second = end - start > 1 ? text.charCodeAt(start + 1) : 0;
    if (first < 128 && second < 128) {
      const at = first * 128 + second;
      if (quick[at] === 0) quick[at] = ask(text, start, end) ? 1 : 2;
      return quick[at] === 1;
    }
    const pair = first * 65_536 + second;
    const before = known.get(pair);
    if (before !== undefined) return before;
    if (known.size >= rememberedPairs) known.clear();
    const now = ask(text, start, end);
    known.set(pair, now);
    return now;
  };
}

/** Finds the identifier or phrase that starts at a word. */
function createUnitFinder({ phrases, identifiers }: Parts, scan: WordScanner, stem: Stem) {
  const comparers = phrases.map(({ part, words }) => ({
    part,
    words: words.map((word) => (word === null ? null : createWordMatcher([word], stem))),
  }));
  const next: WordPlace = { start: 0, end: 0 };
  const endOfPhrase = (text: string, start: number, words: (typeof comparers)[number]['words']): number => {
    let end = start;
    for (const compare of words) {
      if (!scan(text, end, next) || next.end - start > limits.matchCharacters) return -1;
      if (compare !== null && compare(text.slice(next.start, next.end))?.exact !== true) return -1;
      end = next.end;
    }
    return end;
  };
  return (text: string, start: number, end: number): FoundMatch | null => {
    for (const [identifier, part] of identifiers) {
      const last = endOfIdentifier(text, start, identifier);
      if (last < end) continue;
      const isPiece = identifiers.keys().some((one) => one.length > identifier.length && one.includes(identifier));
      return { start, end: last, part, weight: weights.unit, certainty: isPiece ? 'piece' : 'whole' };
    }
    for (const { part, words } of comparers) {
      const last = endOfPhrase(text, start, words);
      if (last >= end) return { start, end: last, part, weight: weights.unit, certainty: 'whole' };
    }
    return null;
  };
}

/** End of the identifier that starts here, with any separators; -1 if the whole identifier is not here. */
function endOfIdentifier(text: string, start: number, identifier: string): number {
  let matched = 0;
  let separated = true;
  let at = start;
  for (; at < text.length && matched < identifier.length; at += 1) {
    const character = text.charAt(at);
    if (separators.has(character) && !separated) {
      separated = true;
      continue;
    }
    const folded = character < '\u0080' ? character.toLowerCase() : foldText(character);
    if (folded !== '' && !identifier.startsWith(folded, matched)) return -1;
    if (folded === '' && at - start > limits.matchCharacters) return -1;
    matched += folded.length;
    separated = false;
  }
  if (matched < identifier.length) return -1;
  return at < text.length && /[\p{L}\p{N}]/u.test(text.charAt(at)) ? -1 : at;
}
