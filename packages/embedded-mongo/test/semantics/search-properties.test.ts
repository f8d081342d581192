import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { decode } from '../../src/bson/decode.ts';
import { encode } from '../../src/bson/encode.ts';
import type { Document } from '../../src/bson/value.ts';
import { SOURCES } from '../../src/search/sources.ts';
import { Catalog } from '../../src/storage/catalog.ts';
import type { Collection } from '../../src/storage/collection.ts';
import { Database } from '../../src/storage/database.ts';

interface Doc extends Document {
  _id: string;
  t?: string | string[];
  u?: string;
  k?: string | string[] | null;
  n?: number | number[];
}

type Scores = Map<string, number>;
type Operator = Record<string, Record<string, unknown>>;
interface Clauses {
  must?: Operator[];
  should?: Operator[];
  filter?: Operator[];
  minimumShouldMatch?: number;
}
type TextSpec = {
  query: string;
  path: string[];
  fuzzy?: { maxEdits: number; prefixLength: number };
};

/** Every document is looked at for every question: what `$search` must equal. */
class Reference {
  readonly docs: readonly Doc[];
  readonly #fields = new Map<string, Field>();

  constructor(docs: Iterable<Doc>) {
    this.docs = [...docs];
  }

  search(operator: Operator): Scores {
    const [name = '', given = {}] = Object.entries(operator)[0] ?? [];
    const scores = this.#unscored(name, given);
    const { boost } = (given['score'] ?? {}) as { boost?: { value: number } };
    return new Map(Array.from(scores, ([id, score]) => [id, score * (boost?.value ?? 1)]));
  }

  #unscored(name: string, given: Record<string, unknown>): Scores {
    const path = given['path'] as string;
    if (name === 'text') return this.#text(given as unknown as TextSpec);
    if (name === 'phrase') return this.#phrase(given as { query: string; path: string });
    if (name === 'equals') return this.#where((doc) => values(doc, path).includes(given['value']));
    if (name === 'in')
      return this.#where((doc) => values(doc, path).some((value) => (given['value'] as unknown[]).includes(value)));
    return this.#compound(given);
  }

  #where(test: (doc: Doc) => boolean): Scores {
    return new Map(this.docs.filter(test).map((doc) => [doc._id, 1]));
  }

  #compound({ must = [], should = [], filter = [], minimumShouldMatch = 0 }: Clauses): Scores {
    const of = (operators: Operator[]): Scores[] => operators.map((one) => this.search(one));
    const [musts, shoulds, filters] = [of(must), of(should), of(filter)];
    const least =
      must.length + filter.length === 0 && should.length > 0 ? Math.max(1, minimumShouldMatch) : minimumShouldMatch;
    const found: Scores = new Map();
    for (const { _id } of this.docs) {
      const met = shoulds.filter((one) => one.has(_id));
      if (![...musts, ...filters].every((one) => one.has(_id)) || met.length < least) continue;
      found.set(
        _id,
        [...musts, ...met].reduce((sum, one) => sum + (one.get(_id) ?? 0), 0),
      );
    }
    return found;
  }

  #text({ query, path, fuzzy }: TextSpec): Scores {
    const found: Scores = new Map();
    for (const field of path) {
      const terms = words(query).map((word) => this.#word(field, word, fuzzy));
      for (const { _id } of this.docs) {
        const met = terms.filter((scores) => scores.has(_id));
        if (met.length === 0) continue;
        found.set(
          _id,
          met.reduce((sum, scores) => sum + (scores.get(_id) ?? 0), found.get(_id) ?? 0),
        );
      }
    }
    return found;
  }

  #word(field: string, word: string, fuzzy: TextSpec['fuzzy']): Scores {
    const own = this.#field(field);
    const near = new Map<string, number>();
    for (const term of own.holding.keys()) {
      const edits =
        term === word ? 0 : fuzzy && term.startsWith(word.slice(0, fuzzy.prefixLength)) ? distance(word, term) : 9;
      const shorter = Math.min(word.length, term.length);
      if (edits === 0 || (fuzzy && edits <= fuzzy.maxEdits && edits < shorter)) near.set(term, 1 - edits / shorter);
    }
    const most = Math.max(0, ...near.keys().map((term) => own.holding.get(term) ?? 0));
    const found: Scores = new Map();
    for (const [id, text] of own.texts) {
      for (const [term, closeness] of near) {
        const frequency = text.filter((one) => one === term).length;
        if (frequency > 0) found.set(id, (found.get(id) ?? 0) + closeness * bm25(own, text, frequency, [most]));
      }
    }
    return found;
  }

  #phrase({ query, path }: { query: string; path: string }): Scores {
    const own = this.#field(path);
    const terms = words(query);
    const holding = terms.map((term) => own.holding.get(term) ?? 0);
    const found: Scores = new Map();
    for (const [id, text] of own.texts) {
      const frequency = text.filter((_, at) => terms.every((term, n) => text[at + n] === term)).length;
      if (frequency > 0) found.set(id, bm25(own, text, frequency, holding));
    }
    return found;
  }

  #field(name: string): Field {
    const field = this.#fields.get(name) ?? this.#readField(name);
    this.#fields.set(name, field);
    return field;
  }

  #readField(name: string): Field {
    const texts = new Map<string, string[]>();
    const holding = new Map<string, number>();
    for (const doc of this.docs) {
      const text = [doc[name] ?? []].flat().flatMap((one) => words(one as string));
      if (text.length > 0) texts.set(doc._id, text);
      for (const term of new Set(text)) holding.set(term, (holding.get(term) ?? 0) + 1);
    }
    return { texts, holding, average: texts.values().reduce((sum, text) => sum + text.length, 0) / texts.size };
  }
}

interface Field {
  texts: Map<string, string[]>;
  /** Number of documents that have each term. */
  holding: Map<string, number>;
  average: number;
}

function bm25({ texts, average }: Field, text: string[], frequency: number, holding: number[]): number {
  const rarity = holding.reduce((sum, n) => sum + Math.log(1 + (texts.size - n + 0.5) / (n + 0.5)), 0);
  return (rarity * frequency) / (frequency + 1.2 * (0.25 + (0.75 * text.length) / average));
}

function words(text: string): string[] {
  return text.split(' ').filter((word) => word !== '');
}

function values(doc: Doc, path: string): unknown[] {
  return [doc[path]].flat().filter((value) => value !== undefined);
}

function distance(a: string, b: string): number {
  const of = (i: number, j: number): number => {
    if (i === 0 || j === 0) return i + j;
    const swap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] ? of(i - 2, j - 2) + 1 : Infinity;
    return Math.min(of(i - 1, j) + 1, of(i, j - 1) + 1, of(i - 1, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1), swap);
  };
  return of(a.length, b.length);
}

const WORDS = ['red', 'reed', 'rde', 'green', 'greens', 'blue', 'sea', 'a', 'ab', 'walnut'];
const word = fc.constantFrom(...WORDS);
const text = fc.array(word, { maxLength: 6 }).map((list) => list.join(' '));
const body: fc.Arbitrary<Partial<Doc>> = fc.record(
  {
    t: fc.oneof(text, fc.array(text, { maxLength: 3 })),
    u: text,
    k: fc.oneof(fc.constantFrom('x', 'y', null), fc.constant<string[]>(['x', 'z'])),
    n: fc.oneof(fc.integer({ min: 0, max: 5 }), fc.array(fc.integer({ min: 0, max: 5 }), { maxLength: 3 })),
  },
  { requiredKeys: [] },
);

const score = fc.option(fc.record({ boost: fc.record({ value: fc.constantFrom(0.5, 2, 3) }) }), { nil: undefined });
const spec = (name: string, fields: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<Operator> =>
  fc.record({ ...fields, score }).map((given) => ({
    [name]: Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)),
  }));
const leaf = fc.oneof(
  spec('text', {
    query: fc.array(word, { minLength: 1, maxLength: 3 }).map((list) => list.join(' ')),
    path: fc.constantFrom(['t'], ['u'], ['t', 'u']),
    fuzzy: fc.option(fc.record({ maxEdits: fc.constantFrom(1, 2), prefixLength: fc.constantFrom(0, 1) }), {
      nil: undefined,
    }),
  }),
  spec('phrase', {
    query: fc.array(word, { minLength: 1, maxLength: 3 }).map((list) => list.join(' ')),
    path: fc.constantFrom('t', 'u'),
  }),
  spec('equals', { path: fc.constant('k'), value: fc.constantFrom('x', 'y', 'nowhere', null) }),
  spec('in', {
    path: fc.constant('n'),
    value: fc.uniqueArray(fc.integer({ min: 0, max: 6 }), { minLength: 1, maxLength: 3 }),
  }),
);
const operator: fc.Arbitrary<Operator> = fc.letrec<{ one: Operator; compound: Operator }>((tie) => ({
  one: fc.oneof({ maxDepth: 2 }, leaf, leaf, tie('compound')),
  compound: fc
    .record({
      must: fc.array(tie('one'), { maxLength: 2 }),
      should: fc.array(tie('one'), { maxLength: 3 }),
      filter: fc.array(tie('one'), { maxLength: 2 }),
      minimumShouldMatch: fc.constantFrom(0, 0, 1, 2),
      score,
    })
    .filter(({ must, should, filter }) => must.length + should.length + filter.length > 0)
    .map(({ minimumShouldMatch, score: own, ...clauses }) => ({
      compound: {
        ...clauses,
        minimumShouldMatch: Math.min(minimumShouldMatch, clauses.should.length),
        ...(own === undefined ? {} : { score: own }),
      },
    })),
})).one;

type Step =
  | { op: 'insert'; bodies: Partial<Doc>[] }
  | { op: 'many'; bodies: Partial<Doc>[]; count: number }
  | { op: 'update' | 'delete'; at: number; count: number; body: Partial<Doc> }
  | { op: 'reopen' };
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ op: fc.constant('insert' as const), bodies: fc.array(body, { minLength: 1, maxLength: 4 }) }),
  fc.record({
    op: fc.constant('many' as const),
    bodies: fc.array(body, { minLength: 7, maxLength: 7 }),
    count: fc.constantFrom(40, 250),
  }),
  fc.record({
    op: fc.constantFrom('update' as const, 'delete' as const),
    at: fc.nat(),
    count: fc.constantFrom(1, 3, 40),
    body,
  }),
  fc.record({ op: fc.constant('reopen' as const) }),
);

class Bench {
  readonly #database: Database;
  readonly #definition = {
    mappings: {
      fields: {
        _id: { type: 'token' },
        t: { type: 'string' },
        u: { type: 'string' },
        k: { type: 'token' },
        n: { type: 'number' },
      },
    },
  };
  #catalog: Catalog;
  docs = new Map<string, Doc>();
  /** Row of each document; those that a rollback took away stay in it. */
  readonly #rows = new Map<string, number>();
  #next = 0;

  constructor(database: Database, start: number, bodies: Partial<Doc>[]) {
    this.#database = database;
    this.#catalog = new Catalog(database);
    for (const collection of this.#catalog.all()) this.#catalog.drop(collection);
    const collection = this.#catalog.create('test', 'c');
    this.#catalog.addSearchIndex(collection, 'default', this.#definition);
    // Rows go on from the last one, so few documents reach over the end of a block.
    database.run(`INSERT INTO ${collection.table} (r, d) VALUES (?, ?)`, start, encode({ _id: 'first' }));
    this.#apply({ op: 'insert', bodies: [{}] });
    database.run(`DELETE FROM ${collection.table} WHERE r = ?`, start);
    // So many that the next few make the waiting ones be entered.
    this.#apply({ op: 'many', bodies, count: 500 });
  }

  get #collection(): Collection {
    return this.#catalog.find('test', 'c') as Collection;
  }

  /** A transaction; one that is rolled back is searched before. */
  run(steps: readonly Step[], operators: readonly Operator[], fails: boolean): void {
    const before = new Map(this.docs);
    this.#database.run('BEGIN IMMEDIATE');
    for (const one of steps) if (one.op !== 'reopen') this.#apply(one);
    if (fails) {
      this.check(operators);
      this.#database.run('ROLLBACK');
      this.docs = before;
    } else this.#database.run('COMMIT');
    if (steps.some(({ op }) => op === 'reopen')) this.#catalog = new Catalog(this.#database);
    this.check(operators);
  }

  check(operators: readonly Operator[]): void {
    const reference = new Reference(this.docs.values());
    for (const one of operators) {
      const expected = reference.search(one);
      const found = this.search(one);
      expect(found.map(([id]) => id).toSorted()).toEqual([...expected.keys()].toSorted());
      expect(found.filter(([id, own]) => !(Math.abs(own - (expected.get(id) ?? NaN)) < 5e-10))).toEqual([]);
      expect(found.map(([, own]) => own)).toEqual(found.map(([, own]) => own).toSorted((a, b) => b - a));
      expect(this.search(one, { limit: 3 })).toEqual(found.slice(0, 3));
      expect(this.search(one, { onlyId: true })).toEqual(found);
    }
  }

  search(one: Operator, { limit = 0, onlyId = false } = {}): [id: string, score: number][] {
    const query = { filter: { op: 'and' as const, filters: [] }, sort: [], skip: 0, limit, onlyId };
    const rows = [...(SOURCES['$search']?.(one)(this.#database, this.#collection, query) ?? [])];
    expect(rows.every((row) => 'doc' in row === onlyId)).toBe(true);
    return rows.map((row) => {
      const { _id } = 'doc' in row ? row.doc : decode(row.bytes);
      return [_id as string, row.score];
    });
  }

  #apply(one: Exclude<Step, { op: 'reopen' }>): void {
    if (one.op === 'insert' || one.op === 'many') {
      const count = one.op === 'many' ? one.count : one.bodies.length;
      for (let n = 0; n < count; n++) {
        const doc = { _id: `d${this.#next++}`, ...one.bodies[n % one.bodies.length] } as Doc;
        this.#collection.insert(encode(doc), doc);
        this.docs.set(doc._id, doc);
        this.#rows.set(doc._id, Number(this.#database.get(`SELECT max(r) FROM ${this.#collection.table}`)?.[0]));
      }
      return;
    }
    const ids = [...this.docs.keys()];
    for (const id of ids.slice(one.at % (ids.length + 1)).slice(0, one.count)) {
      const before = this.docs.get(id) as Doc;
      const row = this.#rows.get(id) as number;
      if (one.op === 'delete') {
        this.#collection.remove(row, before);
        this.docs.delete(id);
      } else {
        const after = { _id: id, ...one.body } as Doc;
        this.#collection.replace(row, { before, after, bytes: encode(after) });
        this.docs.set(id, after);
      }
    }
  }
}

describe('$search over random documents', () => {
  let folder: string;
  let database: Database;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'embedded-'));
    database = new Database(join(folder, 'x.sqlite'));
  });
  afterEach(async () => {
    database.close();
    await rm(folder, { recursive: true });
  });

  const run = fc.record({
    steps: fc.array(step, { minLength: 1, maxLength: 3 }),
    fails: fc.constantFrom(false, false, true),
  });
  it('equals a reference through inserts, updates, deletes, rollbacks and reopenings', () => {
    fc.assert(
      fc.property(
        fc.array(run, { minLength: 2, maxLength: 8 }),
        fc.array(operator, { minLength: 2, maxLength: 4 }),
        fc.constantFrom(0, 3800, 4090),
        fc.array(body, { minLength: 40, maxLength: 40 }),
        (runs, operators, start, bodies) => {
          const bench = new Bench(database, start, bodies);
          for (const { steps, fails } of runs) bench.run(steps, operators, fails);
        },
      ),
      { numRuns: 30 },
    );
  }, 120_000);
});
