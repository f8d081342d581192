import { check } from '../vector/request.ts';
import { both, type Clause, rarity, scored, sum, union, type Weighted } from './clause.ts';
import { keyOf, typeOf } from './fields.ts';
import { phrasePostings, type Word } from './phrase.ts';
import type { Postings } from './postings.ts';
import type { Fuzzy, Operator, TextPath, Words } from './request.ts';
import type { Segment } from './segment.ts';
import type { TextIndex } from './text-index.ts';

/** Lucene's limit to a query. */
const MAX_WORDS = 1024;

/** The index at one moment. */
export interface View {
  index: TextIndex;
  segments: readonly Segment[];
}

/** A term's postings in each of the segments. */
type Lists = (Postings | undefined)[];
type Norms = Pick<Weighted, 'lengths' | 'average'> & { rows: number };

/** Turns an operator into what it finds in each segment. */
export function resolve(view: View, operator: Operator): Clause {
  return scored(unscored(view, operator), operator.scoring);
}

function unscored(view: View, one: Operator): Clause {
  const { segments } = view;
  switch (one.op) {
    case 'text': {
      const pairs = perField(view, one, (field, norms, query) =>
        wordsOf(view, field, query).map(({ term }) => weightedWord(view, { field, norms }, term, one.fuzzy)),
      );
      if (!one.all) return sum(segments, pairs.flat(2));
      const wholes = pairs.filter((words) => words.length > 0);
      return any(
        view,
        wholes.map((words) => both(segments, { must: words.map((word) => sum(segments, word)) })),
      );
    }
    case 'phrase':
      return sum(
        segments,
        perField(view, one, (field, norms, query) => weightedPhrase(view, { field, norms }, query, one.slop)),
      );
    case 'in':
      return unionOf(
        view,
        one.paths.flatMap((path) => one.values.map((value) => keyAt(view, path, value))),
      );
    case 'range':
      return any(
        view,
        one.paths.map((path) => range(view, path, one)),
      );
    case 'exists':
      return unionOf(view, [keyAt(view, one.path, undefined)]);
    case 'compound': {
      const of = (operators: readonly Operator[]): Clause[] => operators.map((inner) => resolve(view, inner));
      const [must, should, filter, mustNot] = [of(one.must), of(one.should), of(one.filter), of(one.mustNot)];
      // Alone, mustNot excludes from all there is.
      if (must.length + should.length + filter.length === 0) filter.push(unionOf(view, [keyAt(view, '', undefined)]));
      return both(segments, { must, should, filter, mustNot, minimum: one.minimum });
    }
  }
}

function any({ segments }: View, should: readonly Clause[]): Clause {
  return both(segments, { should, minimum: 1 });
}

function unionOf(view: View, keys: readonly ([field: number, key: string] | undefined)[]): Clause {
  return union(
    view.segments,
    keys.flatMap((key) => (key ? [listsOf(view, ...key)] : [])),
  );
}

/** Keys order as their values do, within their type, which is the first byte. Nothing stands between a key and it with a 0. */
function range(view: View, path: string, { low, high }: Operator & { op: 'range' }): Clause {
  const [from, to] = [low, high].map((bound) => bound && keyAt(view, path, bound.value));
  const [field, key] = from ?? to ?? [];
  if (field === undefined || key === undefined) return () => undefined;
  const start = from ? from[1] + (low?.inclusive ? '' : '0') : key.slice(0, 2);
  const end = to ? to[1] + (high?.inclusive ? '0' : '') : `${key.slice(0, 2)}g`;
  return union(view.segments, [view.segments.map((segment) => segment.range(field, start, end))]);
}

/** The number of the path's field, and the term of the value there ('' for any). Nothing where the path is not mapped. */
function keyAt({ index: { mapping } }: View, path: string, value: unknown): [field: number, key: string] | undefined {
  const at = mapping.exact.findIndex((field) => field.path === path);
  const field = mapping.exact[at];
  check(typeOf(value) !== 'token' || field?.types.has('token'), `Path '${path}' needs to be indexed as token`);
  return field && [mapping.texts.length + at, value === undefined ? '' : keyOf(value, field)];
}

/** As on Atlas, a path that the index does not hold matches nothing. */
function perField<T>(
  view: View,
  { paths, queries }: Words,
  make: (field: number, norms: Norms, query: string) => T,
): T[] {
  return view.index.mapping.texts.flatMap(({ path }, field) => {
    const times = paths.filter((wanted) => isMeant(path, wanted));
    if (times.length === 0) return [];
    const norms = normsOf(view.segments, listsOf(view, field, ''));
    return times.flatMap(() => queries.map((query) => make(field, norms, query)));
  });
}

function isMeant(path: string, wanted: TextPath): boolean {
  if (typeof wanted === 'string' || wanted.length === 1) return String(wanted) === path;
  let at = 0;
  return wanted.every((piece, n) => {
    const isLast = n === wanted.length - 1;
    const found = n === 0 ? 0 : isLast ? path.length - piece.length : path.indexOf(piece, at);
    if (found < at || !path.startsWith(piece, found)) return false;
    at = found + piece.length;
    return true;
  });
}

function wordsOf({ index }: View, field: number, query: string): Word[] {
  const words: Word[] = [];
  index.analyzers[field]?.(query, 0, (term, place) => words.push({ term, place }));
  check(words.length <= MAX_WORDS, `maxClauseCount is set to ${MAX_WORDS}`);
  return words;
}

interface Field {
  field: number;
  norms: Norms;
}

/** What stands for a word: itself, or the terms close to it, which all are as rare as the most frequent of them. */
function weightedWord(view: View, { field, norms }: Field, word: string, fuzzy: Fuzzy | undefined): Weighted[] {
  const { rows, ...rest } = norms;
  const near: [string, number][] = fuzzy ? closeTo(view, field, word, fuzzy) : [[word, 1]];
  const found = near.values().map(([term, closeness]) => {
    const postings = listsOf(view, field, term);
    return { postings, closeness, holding: holding(view, postings) };
  });
  // Terms of documents that are gone do not count.
  const taken = [...found.filter((one) => one.holding > 0).take(fuzzy?.maxExpansions ?? 1)];
  const weight = rarity(rows, Math.max(...taken.map((one) => one.holding)));
  return taken.map(({ postings, closeness }) => ({ ...rest, postings, weight: weight * closeness }));
}

/** A phrase as one term: its rarity is the sum of its words', its frequency how often they stand so. */
function weightedPhrase(view: View, { field, norms }: Field, query: string, slop: number): Weighted {
  const { rows, ...rest } = norms;
  const words = wordsOf(view, field, query);
  const lists = words.map(({ term }) => listsOf(view, field, term, true));
  const weight = lists.reduce((total, list) => total + rarity(rows, holding(view, list)), 0);
  const postings = view.segments.map((_, at) =>
    phrasePostings(
      lists.map((list) => list[at]),
      words,
      slop,
    ),
  );
  return { ...rest, postings, weight };
}

function listsOf({ segments }: View, field: number, term: string, withPlaces = false): Lists {
  return segments.map((segment) => segment.postings(field, term, withPlaces));
}

/** How many rows the lists hold, not counting those that are out of date. */
function holding({ segments }: View, lists: Lists): number {
  return lists.reduce((total, list, at) => {
    const dead = segments[at]?.dead;
    if (!list || !dead) return total + (list?.rows.length ?? 0);
    return total + list.rows.reduce((count, row) => (dead[row] === 1 ? count : count + 1), 0);
  }, 0);
}

/** The lengths of a field, from the lists of the rows that have it, and their average. */
function normsOf(segments: readonly Segment[], lists: Lists): Norms {
  let [rows, total] = [0, 0];
  const lengths = segments.map(({ size, dead }, at) => {
    const lengthOf = new Uint32Array(size);
    lists[at]?.rows.forEach((row, n) => {
      const length = lists[at]?.counts[n] as number;
      lengthOf[row] = length;
      if (dead?.[row] === 1) return;
      rows++;
      total += length;
    });
    return lengthOf;
  });
  return { lengths, rows, average: total / rows };
}

/** The terms within the allowed edits, closest first, each with how close it is. */
function closeTo({ segments }: View, field: number, word: string, fuzzy: Fuzzy): [term: string, closeness: number][] {
  const near = new Map<string, number>();
  for (const segment of segments) for (const one of segment.vocabularies(field)) one.closeTo(word, fuzzy, near);
  const length = Array.from(word).length;
  const close = Array.from(near, ([term, edits]): [string, number] => [
    term,
    1 - edits / Math.min(length, Array.from(term).length),
  ]);
  return close.toSorted(([a, x], [b, y]) => y - x || (a < b ? -1 : 1));
}
