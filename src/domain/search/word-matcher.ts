import type { Stem } from '#src/domain/embed-locally/lexical-features.ts';
import { foldedForms, lightStem, looseForms } from '#src/domain/search/word-forms.ts';

/** A word of a query, prepared for comparison. */
export interface QueryTerm {
  readonly folded: readonly string[];
  readonly loose: readonly string[];
  readonly stems: readonly string[];
}

/** Match of a word: equal apart from endings and accents, or with one wrong letter. */
export interface WordMatch {
  /** Index of the term. */
  readonly term: number;
  readonly exact: boolean;
}

/** Letters at the start that must be correct in a fuzzy match. Words two edits away, which the lexical retriever finds too, are not marked. */
const fuzzyPrefix = 2;
const rememberedWords = 20_000;
/** Most distinct words to compare in full for one query, since noise must not take long; no natural text has as many. */
const mostStemmed = 2_000;

export function queryTerm(word: string, stem: Stem): QueryTerm {
  const bare = word.replace(/['’＇]s$/iu, '');
  const folded = foldedForms(bare);
  return { folded, loose: looseForms(bare), stems: [...new Set(folded.map(stem))] };
}

/** All forms of a term. */
export const formsOf = ({ folded, loose, stems }: QueryTerm): readonly string[] => [...folded, ...loose, ...stems];

const ascii = /^[\x00-\x7f]*$/;

/** A form without its last two letters, which stemming can change. */
const coreOf = (form: string): string => form.slice(0, Math.max(fuzzyPrefix, form.length - 2));

/** True if the word starts with the core, ignoring case, with at most one wrong letter. */
function startsNear(word: string, core: string): boolean {
  const same = (at: number, of: number): boolean => small(word.charCodeAt(at)) === core.charCodeAt(of);
  let at = 0;
  while (at < core.length && same(at, at)) at += 1;
  if (at >= core.length || at < fuzzyPrefix) return at >= core.length;
  const goesOn = (from: number, of: number): boolean => {
    let n = 0;
    while (of + n < core.length && same(from + n, of + n)) n += 1;
    return of + n >= core.length;
  };
  return (
    goesOn(at + 1, at + 1) ||
    goesOn(at, at + 1) ||
    goesOn(at + 1, at) ||
    (same(at + 1, at) && same(at, at + 1) && goesOn(at + 2, at + 2))
  );
}

const small = (code: number): number => (code >= 65 && code <= 90 ? code + 32 : code);

const meets = (a: readonly string[], b: readonly string[]): boolean => a.some((one) => b.includes(one));

/**
 * Compares words with the terms of a query by the rules of the lexical retriever: equal stems, forms or spellings, or one wrong letter (a
 * swap counts as one) after the first two. Caches the result of each word.
 */
export function createWordMatcher(terms: readonly QueryTerm[], stem: Stem): (word: string) => WordMatch | null {
  const memory = new Map<string, WordMatch | null>();
  let stemmed = 0;
  const starts = terms.flatMap(({ loose }) => loose);
  const cores = [...new Set(terms.flatMap(({ folded, stems }) => [...folded, ...stems].map(coreOf)))];
  const mayMatch = (word: string): boolean =>
    cores.some((core) => startsNear(word, core)) || starts.some((form) => word.toLowerCase().startsWith(form));
  const termOf = new Map(terms.flatMap(({ folded, loose }, term) => [...folded, ...loose].map((form) => [form, term])));
  const known = (word: string): WordMatch | null => {
    const [term] = foldedForms(word).flatMap((form) => termOf.get(form) ?? termOf.get(lightStem(form)) ?? []);
    return term === undefined ? null : { term, exact: true };
  };
  const compare = (word: string): WordMatch | null => {
    if (!foldedForms(word).some(mayMatch)) return null;
    stemmed += 1;
    const own = queryTerm(word, stem);
    const equal = terms.findIndex(
      ({ folded, loose, stems }) => meets(folded, own.folded) || meets(stems, own.stems) || meets(loose, own.loose),
    );
    if (equal >= 0) return { term: equal, exact: true };
    const close = terms.findIndex(({ stems }) => stems.some((one) => own.stems.some((other) => isTypo(one, other))));
    return close < 0 ? null : { term: close, exact: false };
  };
  return (word) => {
    // Avoids folding and stemming, which are expensive, for most words.
    if (ascii.test(word) && !mayMatch(word)) return null;
    const before = memory.get(word);
    if (before !== undefined) return before;
    if (stemmed >= mostStemmed) return known(word);
    const match = compare(word);
    if (memory.size < rememberedWords) memory.set(word, match);
    return match;
  };
}

/** True if the words differ by one insertion, deletion, substitution or swap, and share the first two characters. */
export function isTypo(left: string, right: string): boolean {
  if (left === right || left.slice(0, fuzzyPrefix) !== right.slice(0, fuzzyPrefix)) return false;
  const [a, b] = left.length <= right.length ? [left, right] : [right, left];
  // Words of one letter have no typos.
  if (b.length - a.length > 1 || a.length < 2) return false;
  let start = 0;
  while (start < a.length && a[start] === b[start]) start += 1;
  let [endA, endB] = [a.length, b.length];
  while (endA > start && endB > start && a[endA - 1] === b[endB - 1]) [endA, endB] = [endA - 1, endB - 1];
  if (endA - start <= 1 && endB - start <= 1) return true;
  const swapped = endA - start === 2 && endB - start === 2;
  return swapped && a[start] === b[start + 1] && a[start + 1] === b[start];
}
