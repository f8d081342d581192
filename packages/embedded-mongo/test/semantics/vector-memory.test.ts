import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Binary, serialize } from 'bson';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { decode } from '../../src/bson/decode.ts';
import type { Document } from '../../src/bson/value.ts';
import { CommandYielded } from '../../src/errors.ts';
import { parseFilter } from '../../src/query/filter.ts';
import { matches } from '../../src/query/match.ts';
import { SOURCES } from '../../src/search/sources.ts';
import { VectorCaches } from '../../src/search/vector/caches.ts';
import type { VectorField } from '../../src/search/vector/table.ts';
import { BATCH, compileKernel, LANE_FLOATS, PAGE, SLOTS_AT, VALUES_AT } from '../../src/search/vector/kernel.ts';
import type { Collection } from '../../src/storage/collection.ts';
import { Engine } from '../../src/storage/engine.ts';

let folder: string;
let engine: Engine;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'embedded-'));
  engine = new Engine(folder, (error) => {
    throw error;
  });
});
afterEach(async () => {
  await engine.close();
  await rm(folder, { recursive: true });
});

type Job = Parameters<Engine['submit']>[0];

/** All that are submitted by one turn of the event loop share a transaction. */
function submit(run: () => void, write = true): Promise<Error | undefined> {
  return new Promise((resolve) => {
    const job: Job = {
      write,
      durable: false,
      run: () => {
        run();
        return { ok: 1 };
      },
      done: () => resolve(undefined),
      failed: resolve,
    };
    engine.submit(job);
  });
}

function stored(doc: Document): [Uint8Array, Document] {
  const bytes = serialize(doc);
  return [bytes, decode(bytes)];
}

function rowsOf(collection: Collection): { row: number; doc: Document }[] {
  return engine.database
    .all(`SELECT r, d FROM ${collection.table} ORDER BY r`)
    .map(([row, bytes]) => ({ row: row as number, doc: decode(bytes as Uint8Array) }));
}

const DEFINITION = {
  fields: [
    { type: 'vector', path: 'v', numDimensions: 3, similarity: 'euclidean' },
    { type: 'filter', path: 'o' },
  ],
};
const FILTERS: (Document | undefined)[] = [undefined, { o: 'a' }, { o: { $ne: 'b' } }, { o: { $in: ['b', 'c'] } }];

/** Expected result of the search, computed from every document. */
function bruteForce(collection: Collection, query: number[], limit: number, filter: Document | undefined): unknown[] {
  const passes = parseFilter(filter ?? {});
  return rowsOf(collection)
    .map(({ row, doc }) => {
      const given = doc['v'];
      const v = given instanceof Binary ? [...given.toFloat32Array()] : ((given ?? []) as unknown[]).map(Number);
      return { row, v, passes: matches(passes, doc) };
    })
    .filter(({ v, passes: isIn }) => isIn && v.length === 3)
    .map(({ row, v }) => ({
      row,
      score: 1 / (1 + v.reduce((sum, number, at) => sum + (number - (query[at] ?? 0)) ** 2, 0)),
    }))
    .toSorted((a, b) => b.score - a.score || a.row - b.row)
    .slice(0, limit);
}

function found(collection: Collection, query: number[], limit: number, filter: Document | undefined): unknown[] {
  const spec = { index: 'v', path: 'v', queryVector: query, limit, exact: true, ...(filter && { filter }) };
  const source = SOURCES['$vectorSearch']?.(spec);
  const rows = source?.(engine.database, collection, { filter: parseFilter({}), sort: [], skip: 0, limit: 0 });
  return Array.from(rows ?? [], ({ row, score }) => ({ row, score }));
}

// Small whole numbers: sums of squares are exact in float32 too, so that ties are ties.
const number = fc.integer({ min: -4, max: 4 });
const content = fc.record(
  {
    v: fc.oneof(
      { weight: 5, arbitrary: fc.array(number, { minLength: 3, maxLength: 3 }) },
      { weight: 1, arbitrary: fc.array(number, { maxLength: 4 }) },
      {
        weight: 2,
        arbitrary: fc
          .array(number, { minLength: 3, maxLength: 3 })
          .map((v) => Binary.fromFloat32Array(new Float32Array(v))),
      },
    ),
    o: fc.oneof(fc.constantFrom('a', 'b', 'c', 5), fc.array(fc.constantFrom('a', 'b'), { maxLength: 2 })),
  },
  { requiredKeys: [] },
);
const change = fc.oneof(
  fc.record({ do: fc.constant('insert' as const), doc: content }),
  fc.record({ do: fc.constant('replace' as const), doc: content, at: fc.nat(30) }),
  fc.record({ do: fc.constant('remove' as const), at: fc.nat(30) }),
);
const asked = fc.record({
  query: fc.tuple(number, number, number),
  limit: fc.integer({ min: 1, max: 12 }),
  filter: fc.constantFrom(...FILTERS),
});
const step = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      changes: fc.array(change, { minLength: 1, maxLength: 6 }),
      fails: fc.nat(3).map((luck) => luck === 0),
    }),
  },
  { weight: 4, arbitrary: asked },
  { weight: 1, arbitrary: fc.constantFrom('drop' as const, 'failing drop' as const, 'update' as const) },
);

describe('what a vector index holds in memory', () => {
  it('is what the collection holds, through changes, rollbacks and failed commits, in and across batches', async () => {
    let round = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.array(step, { minLength: 1, maxLength: 5 }), fc.integer({ min: 0, max: 9 })), {
          minLength: 4,
          maxLength: 12,
        }),
        async (batches) => {
          const { catalog, database } = engine;
          const name = `c${++round}`;
          const here = (): Collection => catalog.find('d', name) as Collection;
          await submit(() => catalog.addSearchIndex(catalog.create('d', name), 'v', DEFINITION));
          const differences: unknown[] = [];
          const compare = ({
            query,
            limit,
            filter,
          }: {
            query: number[];
            limit: number;
            filter: Document | undefined;
          }) => {
            const [given, wanted] = [found(here(), query, limit, filter), bruteForce(here(), query, limit, filter)];
            if (JSON.stringify(given) !== JSON.stringify(wanted))
              differences.push({ query, limit, filter, given, wanted });
          };
          const run = (one: typeof step extends fc.Arbitrary<infer S> ? S : never): void => {
            const collection = here();
            const [index] = collection.searchIndexes;
            if (one === 'update' && index) catalog.updateSearchIndex(collection, index, DEFINITION);
            else if (typeof one === 'string') {
              if (index) catalog.dropSearchIndex(collection, index);
              for (const { row, doc: gone } of rowsOf(collection).slice(0, 1)) collection.remove(row, gone);
              catalog.addSearchIndex(collection, 'v', DEFINITION);
              if (one === 'failing drop') throw new Error('taken back');
            } else if ('query' in one) compare(one);
            else {
              for (const made of one.changes) {
                const rows = rowsOf(collection);
                const target = made.do === 'insert' ? undefined : rows.at(made.at % rows.length);
                if (made.do === 'insert') collection.insert(...stored({ _id: Math.random(), ...made.doc }));
                else if (made.do === 'replace' && target) {
                  const [bytes, after] = stored({ _id: target.doc['_id'], ...made.doc });
                  collection.replace(target.row, { before: target.doc, after, bytes });
                } else if (target) collection.remove(target.row, target.doc);
              }
              if (one.fails) throw new Error('taken back');
            }
          };
          for (const [steps, luck] of batches) {
            const original = database.run.bind(database);
            const commit = vi.spyOn(database, 'run').mockImplementation((sql, ...params) => {
              if (sql === 'COMMIT' && luck === 0) throw new Error('the disk is full');
              return original(sql, ...params);
            });
            const errors = await Promise.all(
              steps.map((one) => submit(() => run(one), typeof one === 'string' || 'changes' in one)),
            );
            differences.push(...errors.filter((error) => error && !/taken back|disk is full/.test(error.message)));
            commit.mockRestore();
            const query = [1, 0, -1];
            const error = await submit(() => FILTERS.forEach((filter) => compare({ query, limit: 50, filter })), false);
            if (error) differences.push(error);
          }
          expect(differences).toEqual([]);
        },
      ),
      { numRuns: 100 },
    );
  });

  it('keeps the order of insertion among very many ties, also for a row that came back', async () => {
    const collection = engine.catalog.create('d', 'c');
    engine.catalog.addSearchIndex(collection, 'v', DEFINITION);
    const [bytes, doc] = stored({ _id: 0, v: [1, 0, 0] });
    const [without, empty] = stored({ _id: 0 });
    for (let n = 0; n < 3 * BATCH; n++) collection.insert(...stored({ ...doc, _id: n }));
    const best = () => (found(collection, [1, 0, 0], 2, undefined) as { row: number }[]).map(({ row }) => row);
    expect(best()).toEqual([1, 2]);
    collection.replace(1, { before: doc, after: empty, bytes: without });
    expect(best()).toEqual([2, 3]);
    collection.replace(1, { before: empty, after: doc, bytes });
    expect(best()).toEqual([1, 2]);
  });

  it('is read once, then only rows that were written', async () => {
    const collection = engine.catalog.create('d', 'c');
    engine.catalog.addSearchIndex(collection, 'v', DEFINITION);
    for (let n = 0; n < 20; n++) collection.insert(...stored({ _id: n, v: [n, 0, 0] }));
    const iterate = vi.spyOn(engine.database, 'iterate');
    const get = vi.spyOn(collection, 'get');
    const search = () => found(collection, [0, 0, 0], 1, undefined);
    search();
    search();
    expect(iterate).toHaveBeenCalledOnce();
    expect(get).toHaveBeenCalledTimes(2);
    await submit(() => collection.remove(1, rowsOf(collection)[0]?.doc ?? {}));
    await submit(() => {
      collection.insert(...stored({ _id: 'x', v: [0, 0, 0] }));
      throw new Error('taken back');
    });
    expect(search()).toEqual([{ row: 2, score: 0.5 }]);
    expect(iterate).toHaveBeenCalledOnce();
    expect(get).toHaveBeenCalledTimes(2 + 2 + 1);
  });
});

describe('a load', () => {
  it('gives way to the commands that wait, and still finds what they write', async () => {
    const collection = engine.catalog.create('d', 'c');
    engine.catalog.addSearchIndex(collection, 'v', DEFINITION);
    for (let n = 0; n < 200; n++) collection.insert(...stored({ _id: n, v: [n, 0, 0] }));
    const now = vi.spyOn(performance, 'now');
    now.mockImplementation(() => now.mock.calls.length);
    const order: string[] = [];
    const search = async (name: string) => {
      let rows: unknown;
      await submit(() => {
        rows = found(collection, [500, 0, 0], 1, undefined);
      }, false);
      order.push(name);
      return rows;
    };
    const searches = [search('search'), search('second search')];
    for (const name of ['ping', 'later ping']) {
      await submit(() => undefined, false);
      order.push(name);
      // The searches share one slice of 20 ms.
      if (name === 'ping') expect(now.mock.calls.length).toBeLessThan(40);
    }
    await submit(() => collection.insert(...stored({ _id: 'x', v: [500, 0, 0] })));
    order.push('write');
    await expect(Promise.all(searches)).resolves.toEqual([[{ row: 201, score: 1 }], [{ row: 201, score: 1 }]]);
    now.mockRestore();
    expect(order).toEqual(['ping', 'later ping', 'write', 'search', 'second search']);
  });

  it('is taken to the end in a later batch of a cursor, which could not be drawn twice', async () => {
    const collection = engine.catalog.create('d', 'c');
    engine.catalog.addSearchIndex(collection, 'v', DEFINITION);
    for (let n = 0; n < 200; n++) collection.insert(...stored({ _id: n, v: [n, 0, 0] }));
    let drawn = 0;
    const answers = {
      next: () => {
        if (++drawn === 3) found(collection, [1, 0, 0], 1, undefined);
        return drawn > 3 ? undefined : new Uint8Array(1);
      },
      pause: () => undefined,
    };
    const now = vi.spyOn(performance, 'now');
    now.mockImplementation(() => now.mock.calls.length);
    let first: Document = {};
    const errors = [
      await submit(() => (first = engine.cursors.first('d.c', answers, 1)), false),
      await submit(() => engine.cursors.next(Number((first['cursor'] as Document)['id']), 'd.c', 9), false),
    ];
    now.mockRestore();
    expect({ errors, drawn }).toEqual({ errors: [undefined, undefined], drawn: 4 });
  });

  it('ends all the same when the time of its command is over', async () => {
    const collection = engine.catalog.create('d', 'c');
    engine.catalog.addSearchIndex(collection, 'v', DEFINITION);
    for (let n = 0; n < 600; n++) collection.insert(...stored({ _id: n, v: [n, 0, 0] }));
    const now = vi.spyOn(performance, 'now');
    now.mockImplementation(() => now.mock.calls.length);
    const run = () => ({ ok: found(collection, [1, 0, 0], 1, undefined).length });
    const error = await new Promise<unknown>((resolve) => {
      engine.submit({ write: false, durable: false, maxTimeMS: 120, run, done: resolve, failed: resolve });
    });
    now.mockRestore();
    expect(error).toMatchObject({ code: 50 });
  });
});

const FIELD: VectorField = { path: 'v', parts: ['v'], dimensions: 4096, similarity: 'dotProduct' };

/** Fills a cache with `rows` rows of 16 KiB, as far as `tick` lets it. */
function open(
  caches: VectorCaches,
  id: number,
  rows: number,
  { loads = [] as number[], tick = (): void => undefined, mayPause = false } = {},
) {
  const bytes = serialize({ v: Binary.fromFloat32Array(new Float32Array(FIELD.dimensions).fill(id)) });
  const iterate = (_sql: string, last: unknown) => {
    loads.push(id);
    let row = Math.max(0, Number(last));
    return { next: () => (++row <= rows ? [row, bytes] : undefined), close: () => undefined };
  };
  const collection = { table: 'c', get: () => bytes };
  return caches.open({ iterate, tick, mayPause }, collection, { id, filters: [] }, FIELD);
}

describe('the memory that vectors may take', () => {
  it('is bounded: the index that was not used for longest makes place', () => {
    const caches = new VectorCaches(40 * 64 * 1024);
    const loads: number[] = [];
    open(caches, 1, 50, { loads });
    open(caches, 2, 50, { loads });
    open(caches, 1, 50, { loads });
    open(caches, 3, 50, { loads });
    expect(caches.bytes).toBeLessThanOrEqual(40 * 64 * 1024);
    expect(loads).toEqual([1, 2, 3]);
    open(caches, 1, 50, { loads });
    expect(loads).toEqual([1, 2, 3]);
    open(caches, 2, 50, { loads });
    expect(loads).toEqual([1, 2, 3, 2]);
  });

  it('is refused to an index that is larger than all of it', () => {
    const caches = new VectorCaches(40 * 64 * 1024);
    expect(() => open(caches, 1, 1000)).toThrow(expect.objectContaining({ code: 146 }));
    expect(caches.bytes).toBe(0);
    expect(open(caches, 2, 50).size).toBe(50);
  });

  it('is kept when a search runs out of time: the next one reads on from there', () => {
    const caches = new VectorCaches();
    let ticks = 0;
    const tick = (): void => {
      if (++ticks === 20) throw new Error('operation exceeded time limit');
    };
    expect(() => open(caches, 1, 50, { tick })).toThrow('time limit');
    expect(open(caches, 1, 50, { tick }).size).toBe(50);
    expect(ticks).toBe(50);
  });

  it('is taken to the end by a load that puts out another, so that two never put out each other in turn', () => {
    const caches = new VectorCaches(40 * 64 * 1024);
    const now = vi.spyOn(performance, 'now');
    const rows = 120;
    // Every row is a slice of its own.
    now.mockImplementation(() => now.mock.calls.length * 100);
    const finished = new Set<number>();
    for (let turn = 0; turn < 200 && finished.size < 2; turn++) {
      for (const id of [1, 2]) {
        try {
          if (open(caches, id, rows, { mayPause: true }).size === rows) finished.add(id);
        } catch (error) {
          expect(error).toBeInstanceOf(CommandYielded);
        }
      }
      caches.settle(true);
    }
    now.mockRestore();
    expect(finished.size).toBe(2);
  });

  it('is given back after a quarter of an hour without use, and with the index', () => {
    const caches = new VectorCaches();
    open(caches, 1, 10);
    caches.dropIdle(Date.now() + 14 * 60_000);
    expect(caches.bytes).toBeGreaterThan(0);
    caches.dropIdle(Date.now() + 15 * 60_000);
    expect(caches.bytes).toBe(0);
    open(caches, 1, 10);
    caches.drop(2);
    expect(caches.bytes).toBeGreaterThan(0);
    caches.drop(1);
    expect(caches.bytes).toBe(0);
  });
});

describe('the kernel', () => {
  it.for([1, 2, 5, 96])('with rows of %i times 16 floats sums what a loop sums', (lanes) => {
    const stride = lanes * LANE_FLOATS * 4;
    const kernel = compileKernel()();
    kernel.memory.grow(Math.ceil((stride * 40) / PAGE));
    const { buffer } = kernel.memory;
    const row = (slot: number) => new Float32Array(buffer, PAGE + slot * stride, stride / 4);
    const query = new Float32Array(buffer, 0, stride / 4).map((_, at) => Math.sin(at));
    new Float32Array(buffer, 0, stride / 4).set(query);
    for (let slot = 0; slot < 40; slot++) row(slot).set(query.map((_, at) => Math.cos(at * (slot + 1))));
    const slots = [39, 0, 7, 7, 20];
    new Uint32Array(buffer, SLOTS_AT, BATCH).set(slots);
    const values = new Float32Array(buffer, VALUES_AT, BATCH);
    const sums = (term: (a: number, b: number) => number) =>
      slots.map((slot) =>
        expect.closeTo(
          query.reduce((sum, one, at) => sum + term(one, row(slot)[at] ?? NaN), 0),
          3,
        ),
      );
    kernel.dot(0, stride, slots.length * 4);
    expect([...values.subarray(0, slots.length + 1)]).toEqual([...sums((a, b) => a * b), 0]);
    kernel.distance(0, stride, slots.length * 4);
    expect([...values.subarray(0, slots.length + 1)]).toEqual([...sums((a, b) => (a - b) ** 2), 0]);
  });
});
