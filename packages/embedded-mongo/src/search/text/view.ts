import { LRUCache } from 'lru-cache';
import { check } from '../request.ts';
import { type Clause, type Lists, once, rarity, sum, union, type Weighted } from './clause.ts';
import { keyOf, type parseDefinition, textOfKey, typeOf } from './fields.ts';
import { Scratch } from './matches.ts';
import { phrase } from './phrase.ts';
import type { Segment } from './segment.ts';
import type { Fuzzy } from './vocabulary.ts';

/** Lucene's limit to a query. */
const MAX_WORDS = 1024;

/** Bytes of the clauses and of the words that a view remembers: those of some searches, since the same words are asked for in several ways. */
const REMEMBERED_BYTES = 8 * 1024 * 1024;
/** Segments of remembered filters, with 40 kB each. */
const REMEMBERED_FILTER_SEGMENTS = 400;
/** Estimated memory of a clause or word besides its postings. */
const ENTRY_BYTES = 400;

export interface Words {
  paths: readonly string[];
  queries: readonly string[];
}

type Mapping = ReturnType<typeof parseDefinition>;
type Word = [term: string, place: number];

/** Text field with the statistics that weigh its terms. */
interface Field extends Pick<Weighted, 'lengths' | 'average'> {
  field: number;
  rows: number;
}

/** Reads the postings of a term in all segments at once, for those that ask next. */
type Load = (field: number, term: string, withPlaces: boolean) => void;

/** Clause of words, with what it keeps in memory. */
interface Text {
  clause: Clause;
  terms: readonly Weighted[];
}

function remembered<T extends object>(known: LRUCache<string, T>, key: string, make: () => T): T {
  const found = known.get(key);
  if (found) return found;
  const made = make();
  known.set(key, made);
  return made;
}

function bytesOf(terms: readonly Weighted[]): number {
  const postings = terms.flatMap(({ lists }) => lists).reduce((total, list) => total + (list?.rows.length ?? 0), 0);
  return ENTRY_BYTES + postings * 6;
}

/** Snapshot of an index, with its queries. As on Atlas, an unmapped path matches nothing. */
export class View {
  readonly segments: readonly Segment[];
  readonly #scratch = new Scratch();
  readonly #mapping: Mapping;
  readonly #fields = new Map<number, Field>();
  readonly #texts = new LRUCache<string, Text>({
    maxSize: REMEMBERED_BYTES,
    sizeCalculation: ({ terms }) => bytesOf(terms),
  });
  readonly #words = new LRUCache<string, Weighted[]>({ maxSize: REMEMBERED_BYTES, sizeCalculation: bytesOf });
  readonly #filters = new LRUCache<string, Clause>({
    maxSize: REMEMBERED_FILTER_SEGMENTS,
    sizeCalculation: () => this.segments.length + 1,
  });
  readonly #load: Load;

  constructor(mapping: Mapping, segments: readonly Segment[], load: Load) {
    this.#mapping = mapping;
    this.segments = segments;
    this.#load = load;
  }

  /** Visits the rows that match, except outdated ones. */
  each(clause: Clause, visit: (row: number, score: number) => void): void {
    for (const [at, segment] of this.segments.entries()) {
      const { dead } = segment;
      try {
        const { rows = [], count = 0, scores = [] } = clause(at, segment.size, this.#scratch) ?? {};
        for (let n = 0; n < count; n++) {
          const row = rows[n] as number;
          if (dead?.[row] !== 1) visit(segment.rowAt(row), scores[row] as number);
        }
      } finally {
        this.#scratch.clear();
      }
    }
  }

  text(given: Words, fuzzy: Fuzzy | undefined): Clause {
    return remembered(this.#texts, JSON.stringify([given, fuzzy]), () => {
      const found = this.#each(given, (field, words) => words.map(([term]) => this.#word(field, term, fuzzy)));
      const terms = found.flat(2);
      return { terms, clause: once(sum(terms)) };
    }).clause;
  }

  /** Scores a phrase as one term: its rarity is the sum over its words, its frequency the number of occurrences. */
  phrase(given: Words): Clause {
    const found = this.#each(given, (field, words): Weighted => {
      const terms = words.map(([term]) => this.#lists(field.field, term, true));
      const weight = terms.reduce((total, lists) => total + rarity(field.rows, this.#holding(lists)), 0);
      const places = words.map(([, place]) => place);
      const inSegment = (at: number): Lists => terms.map((lists) => lists[at]);
      return { ...field, weight, lists: this.segments.map((_, at) => phrase(inSegment(at), places)) };
    });
    return sum(found);
  }

  /** Rows with any of the values at any of the paths. */
  among(paths: readonly string[], values: readonly unknown[]): Clause {
    const keys = paths.flatMap((path) => values.flatMap((value) => this.#keyAt(path, value) ?? []));
    return remembered(this.#filters, JSON.stringify(keys), () =>
      union(keys.map(({ field, key }) => this.#lists(field, key))),
    );
  }

  /** The `_id` of a row, where the index holds it and it is a string. */
  idOf(row: number): string | undefined {
    const at = this.#mapping.exact.findIndex(
      ({ path, types, lowercase }) => path === '_id' && types.has('token') && !lowercase,
    );
    if (at < 0) return undefined;
    for (const segment of this.segments) {
      const key = segment.keyOf(this.#mapping.texts.length + at, row);
      if (key !== undefined) return textOfKey(key);
    }
    return undefined;
  }

  /** The number of the path's field, and the term of the value there. */
  #keyAt(path: string, value: unknown): { field: number; key: string } | undefined {
    const { texts, exact } = this.#mapping;
    const at = exact.findIndex((field) => field.path === path);
    const field = exact[at];
    check(typeOf(value) !== 'token' || field?.types.has('token'), `Path '${path}' needs to be indexed as token`);
    return field && { field: texts.length + at, key: keyOf(value, field) };
  }

  /** Maps the words of each query in each field. */
  #each<T>({ paths, queries }: Words, make: (field: Field, words: Word[]) => T): T[] {
    return this.#mapping.texts.flatMap(({ path, analyze }, at) => {
      const times = paths.filter((wanted) => wanted === path);
      const field = times.length > 0 ? this.#field(at) : undefined;
      return times.flatMap(() =>
        queries.map((query) => {
          const words: Word[] = [];
          analyze(query, 0, (...word) => words.push(word));
          check(words.length <= MAX_WORDS, `maxClauseCount is set to ${MAX_WORDS}`);
          return make(field as Field, words);
        }),
      );
    });
  }

  /** Statistics of a field, shared by all words of a query. Outdated rows do not count. */
  #field(field: number): Field {
    const known = this.#fields.get(field);
    if (known) return known;
    let [rows, total] = [0, 0];
    const lengths = this.segments.map((segment) => {
      const all = segment.lengths(field);
      rows += all.rows;
      total += all.total;
      const { dead } = segment;
      for (const row of (dead && segment.postings(field, '')?.rows) ?? []) {
        if (dead?.[row] !== 1) continue;
        rows--;
        total -= all.of[row] as number;
      }
      return all.of;
    });
    const made = { field, rows, lengths, average: total / rows };
    this.#fields.set(field, made);
    return made;
  }

  /** Weighs a word, or the terms close to it: all of these have the weight of the most frequent one. */
  #word(field: Field, word: string, fuzzy: Fuzzy | undefined): Weighted[] {
    return remembered(this.#words, JSON.stringify([field.field, word, fuzzy]), () => this.#weigh(field, word, fuzzy));
  }

  #weigh(field: Field, word: string, fuzzy: Fuzzy | undefined): Weighted[] {
    const near: [string, number][] = fuzzy ? this.#closeTo(field.field, word, fuzzy) : [[word, 1]];
    const found = near.values().map(([term, closeness]) => {
      const lists = this.#lists(field.field, term);
      return { lists, closeness, holding: this.#holding(lists) };
    });
    // Terms of documents that are gone do not count.
    const taken = [...found.filter(({ holding }) => holding > 0).take(fuzzy?.maxExpansions ?? 1)];
    const weight = rarity(field.rows, Math.max(...taken.map(({ holding }) => holding)));
    return taken.map(({ lists, closeness }) => ({ ...field, lists, weight: weight * closeness }));
  }

  /** The terms within the allowed edits, closest first, each with how close it is. */
  #closeTo(field: number, word: string, fuzzy: Fuzzy): [term: string, closeness: number][] {
    const near = new Map<string, number>();
    for (const segment of this.segments) for (const one of segment.vocabularies(field)) one.closeTo(word, fuzzy, near);
    return [...near].toSorted(([a, x], [b, y]) => y - x || (a < b ? -1 : 1));
  }

  #lists(field: number, term: string, withPlaces = false): Lists {
    this.#load(field, term, withPlaces);
    return this.segments.map((segment) => segment.postings(field, term, withPlaces));
  }

  /** Counts the rows of the lists, without outdated ones. */
  #holding(lists: Lists): number {
    return lists.reduce((total, list, at) => {
      const dead = this.segments[at]?.dead;
      if (!list || !dead) return total + (list?.rows.length ?? 0);
      return total + list.rows.reduce((count, row) => count + 1 - (dead[row] as number), 0);
    }, 0);
  }
}
