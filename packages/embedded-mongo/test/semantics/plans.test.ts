import { type Document, Double } from 'mongodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Anything, failureOf, startTestEngine, type TestEngine } from '../engine.ts';

let engine: TestEngine;
let things: ReturnType<TestEngine['fresh']>;
let numbers: ReturnType<TestEngine['fresh']>;

beforeAll(async () => {
  engine = await startTestEngine();
  things = engine.fresh();
  await things.createIndexes([
    { key: { org: 1, project: 1, at: -1 }, name: 'byProject' },
    { key: { org: 1, at: -1, _id: -1 }, name: 'byTime' },
    { key: { email: 1 }, name: 'byEmail', unique: true, sparse: true },
    { key: { tags: 1, at: 1 }, name: 'byTag' },
    { key: { state: 1 }, name: 'open', partialFilterExpression: { state: { $in: ['open', 'held'] } } },
    { key: { title: 1 }, name: 'typed', partialFilterExpression: { title: { $type: 'string' } } },
    { key: { whole: 1 }, name: 'ints', partialFilterExpression: { whole: { $type: 'int' } } },
    { key: { real: 1 }, name: 'numbers', partialFilterExpression: { real: { $type: 'number' } } },
    { key: { size: 1 }, name: 'large', partialFilterExpression: { size: { $gt: 100 } } },
  ]);
  await things.insertMany(
    Array.from({ length: 300 }, (_, n) => ({
      _id: n,
      org: `o${n % 2}`,
      project: `p${n % 5}`,
      at: n,
      email: `user${n}@example.org`,
      tags: [`t${n % 3}`, 'all'],
      state: ['open', 'held', 'done'][n % 3],
      title: n % 2 ? `title ${n}` : n,
      size: n,
      free: n % 7,
      whole: n % 3 ? n : new Double(n),
      real: n % 3 ? n : new Double(n),
    })),
  );
  numbers = engine.fresh();
  await numbers.createIndexes([{ key: { n: 1 } }, { key: { text: 1 } }]);
  await numbers.insertMany([NaN, -1, 0, 0.5, 1, 1, 2, null, 'a'].map((n, _id) => ({ _id, n })));
  await numbers.insertOne({ _id: 9 });
  const texts = ['ab', 'abc', 'abcd', 'ABC', 'a.c', 'b', 'ab\nabc', 'a\\b', 'é1', '😀x', /^abc/, 7];
  await numbers.insertMany(texts.map((text, at) => ({ _id: 100 + at, text })));
});
afterAll(() => engine[Symbol.asyncDispose]());

/** By the count command, which the driver calls deprecated. */
const countBy = async (
  from: ReturnType<TestEngine['fresh']>,
  filter: Document,
  options: Document = {},
): Promise<unknown> => (await engine.db.command({ count: from.collectionName, query: filter, ...options }))['n'];

/** The stages from the top down to the one that reads. */
function stagesOf(explained: Document): string[] {
  const names: string[] = [];
  let stage = explained['queryPlanner']['winningPlan'];
  for (; stage; stage = stage.inputStage ?? stage.inputStages?.[0]) {
    names.push(stage.indexName ? `${stage.stage} ${stage.indexName}` : stage.stage);
  }
  return names.filter((name) => name !== 'FETCH');
}

type Case = [title: string, filter: Document, order: Record<string, 1 | -1>, limit: number, plan: string[]];

const PLANS: Case[] = [
  ['one _id', { _id: 5 }, {}, 0, ['IDHACK _id_']],
  ['several _ids', { _id: { $in: [5, 6] } }, {}, 0, ['IXSCAN _id_']],
  ['a range of _ids', { _id: { $gt: 5, $lt: 9 } }, {}, 0, ['IXSCAN _id_']],
  ['a unique field', { email: 'x' }, {}, 0, ['IXSCAN byEmail']],
  ['null is not in a sparse index', { email: null }, {}, 0, ['COLLSCAN']],
  ['absence is not in a sparse index', { email: { $exists: false } }, {}, 0, ['COLLSCAN']],
  ['an order by a sparse index would lose documents', {}, { email: 1 }, 0, ['SORT', 'COLLSCAN']],
  ['a prefix of an index', { org: 'o1', project: 'p1' }, {}, 0, ['IXSCAN byProject']],
  ['a prefix with a range behind it', { org: 'o1', project: 'p1', at: { $gt: 5 } }, {}, 0, ['IXSCAN byProject']],
  ['the second field alone is no prefix', { project: 'p1' }, {}, 0, ['COLLSCAN']],
  ['filter and order in one index', { org: 'o1' }, { at: -1, _id: -1 }, 9, ['IXSCAN byTime']],
  ['the same order backward', { org: 'o1' }, { at: 1, _id: 1 }, 9, ['IXSCAN byTime']],
  ['mixed directions need a sort', { org: 'o1' }, { at: 1, _id: -1 }, 9, ['SORT', 'IXSCAN byProject']],
  ['a range on the sorted field', { org: 'o1', at: { $lt: 50 } }, { at: -1, _id: -1 }, 9, ['IXSCAN byTime']],
  ['a fixed field in the order is passed over', { org: 'o1' }, { org: 1, at: -1 }, 9, ['IXSCAN byTime']],
  [
    'several values and an order are merged',
    { org: { $in: ['o0', 'o1'] } },
    { at: -1, _id: -1 },
    9,
    ['SORT_MERGE', 'IXSCAN byTime'],
  ],
  [
    'values in two fields are merged, too',
    { org: { $in: ['o0', 'o1'] }, project: { $in: ['p1', 'p2'] } },
    { at: 1 },
    9,
    ['SORT_MERGE', 'IXSCAN byProject'],
  ],
  [
    'an order by one of two fields of several values is neither',
    { org: { $in: ['o0', 'o1'] }, project: { $in: ['p1', 'p2'] } },
    { project: 1, at: -1 },
    9,
    ['SORT', 'IXSCAN byProject'],
  ],
  [
    'several values sorted by their own field',
    { org: { $in: ['o1', 'o0'] } },
    { org: 1, at: -1, _id: -1 },
    0,
    ['IXSCAN byTime'],
  ],
  [
    'a fixed prefix and several values',
    { org: 'o1', project: { $in: ['p3', 'p1'] } },
    { at: -1 },
    9,
    ['SORT_MERGE', 'IXSCAN byProject'],
  ],
  ['an array field', { tags: 't1' }, {}, 0, ['IXSCAN byTag']],
  ['an order behind one value of an array', { tags: 't1' }, { at: 1 }, 9, ['IXSCAN byTag']],
  ['an order by an array field is no index order', {}, { tags: 1 }, 0, ['SORT', 'COLLSCAN']],
  ['two array values merged', { tags: { $in: ['t1', 'all'] } }, { at: 1 }, 9, ['SORT_MERGE', 'IXSCAN byTag']],
  ['a value that a partial index holds', { state: 'open' }, {}, 0, ['IXSCAN open']],
  ['a value that it does not hold', { state: 'done' }, {}, 0, ['COLLSCAN']],
  ['a wider set than it holds', { state: { $in: ['open', 'done'] } }, {}, 0, ['COLLSCAN']],
  ['a narrower set', { state: { $in: ['held', 'open'] } }, {}, 0, ['IXSCAN open']],
  ['a text in an index of texts', { title: 'title 7' }, {}, 0, ['IXSCAN typed']],
  ['a number in an index of texts', { title: 8 }, {}, 0, ['COLLSCAN']],
  ['a pattern in an index of texts', { title: /^title 7/ }, {}, 0, ['COLLSCAN']],
  ['an int is also met by doubles, which an index of ints lacks', { whole: 6 }, {}, 0, ['COLLSCAN']],
  ['an index of numbers has them all', { real: 6 }, {}, 0, ['IXSCAN numbers']],
  ['a range within a partial range', { size: { $gt: 150 } }, {}, 0, ['IXSCAN large']],
  ['a range beyond it', { size: { $gt: 50 } }, {}, 0, ['COLLSCAN']],
  ['its own bound, inclusive, is beyond it', { size: { $gte: 100 } }, {}, 0, ['COLLSCAN']],
  ['alternatives with an index each', { $or: [{ _id: 3 }, { email: 'x' }] }, {}, 0, ['OR', 'IXSCAN _id_']],
  ['alternatives of which one has none', { $or: [{ _id: 3 }, { free: 1 }] }, {}, 0, ['COLLSCAN']],
  [
    'alternatives beside another condition',
    { free: 1, $or: [{ _id: 3 }, { email: 'x' }] },
    {},
    0,
    ['OR', 'IXSCAN _id_'],
  ],
  [
    'alternatives that are all narrower than an index of the whole',
    { org: 'o1', $or: [{ _id: 3 }, { email: 'user7@example.org' }] },
    {},
    0,
    ['OR', 'IXSCAN _id_'],
  ],
  [
    'alternatives of which one is as wide',
    { org: 'o1', $or: [{ _id: 3 }, { tags: 't1' }] },
    {},
    0,
    ['IXSCAN byProject'],
  ],
  ['alternatives of one field', { $or: [{ _id: 3 }, { _id: { $gt: 290 } }] }, {}, 0, ['IXSCAN _id_']],
  [
    'alternatives with an order are sorted',
    { $or: [{ _id: 3 }, { email: 'user7@example.org' }] },
    { at: 1 },
    0,
    ['SORT', 'OR', 'IXSCAN _id_'],
  ],
  ['a pattern that starts with plain text', { email: /^user1/ }, {}, 0, ['IXSCAN byEmail']],
  ['a pattern that starts anywhere', { email: /user1/ }, {}, 0, ['COLLSCAN']],
  ['a pattern without regard to case', { email: /^user1/i }, {}, 0, ['COLLSCAN']],
  ['a pattern among values', { email: { $in: [/^user1/, 'x'] } }, {}, 0, ['IXSCAN byEmail']],
  ['a denial', { email: { $ne: 'x' } }, {}, 0, ['COLLSCAN']],
  ['no index at all', { free: 1 }, { free: 1 }, 0, ['SORT', 'COLLSCAN']],
];

describe('the planner', () => {
  it.each(PLANS)('%s', async (...[, filter, sort, limit, plan]) => {
    expect(stagesOf(await things.find(filter, { sort, limit }).explain('queryPlanner'))).toEqual(plan);
    const scanned = await things.find(filter, { sort, hint: { $natural: 1 } }).toArray();
    const found = await things.find(filter, { sort, limit, batchSize: 3 }).toArray();
    const sortKeys = (docs: Anything[]) => docs.map((doc) => Object.keys(sort).map((field) => doc[field]));
    expect(sortKeys(found)).toEqual(sortKeys(limit > 0 ? scanned.slice(0, limit) : scanned));
    const ids = (docs: Anything[]) => docs.map((doc) => Number(doc._id)).toSorted((a, b) => a - b);
    if (limit === 0) expect(ids(found)).toEqual(ids(scanned));
    expect(await things.countDocuments(filter)).toBe(scanned.length);
  });

  it.each<[Document, number]>([
    [{ n: { $lt: 1 } }, 3],
    [{ n: { $lte: 1 } }, 5],
    [{ n: { $gt: 0 } }, 4],
    [{ n: { $gte: -1 } }, 6],
    [{ n: NaN }, 1],
    [{ n: { $lte: NaN } }, 1],
    [{ n: 1 }, 2],
    [{ n: { $in: [1, 2, 'a'] } }, 4],
    [{ n: { $gte: 0, $lt: 2 } }, 4],
    [{ n: { $gt: 'A' } }, 1],
    [{ n: { $type: 'number' } }, 7],
    [{ $or: [{ n: { $lt: 0 } }, { n: 2 }] }, 2],
    [{ $and: [{ n: { $gt: 0 } }, { n: { $lt: 2 } }] }, 3],
    [{ n: { $gt: null } }, 0],
    [{ _id: { $lt: 100 }, n: null }, 2],
    [{ _id: { $lt: 100 }, n: { $ne: 1 } }, 8],
  ])('counts %j by the index as by a scan: %i', async (filter, count) => {
    expect(await numbers.countDocuments(filter)).toBe(count);
    expect(await countBy(numbers, filter)).toBe(count);
    expect(await countBy(numbers, filter, { hint: 'n_1' })).toBe(count);
    expect(await countBy(numbers, filter, { hint: { $natural: 1 } })).toBe(count);
    expect(await numbers.find(filter).toArray()).toHaveLength(count);
  });

  it.each<[RegExp, number]>([
    [/^ab/, 4],
    [/^abc/, 3],
    [/^abc$/, 1],
    [/^abc/m, 3],
    [/^abc?/, 4],
    [/^abc*d/, 1],
    [/^ab{1}c/, 2],
    [/^a\.c/, 1],
    [/^a\\b/, 1],
    [/^a.c/, 3],
    [/^(abc|b)/, 3],
    [/^abc|b$/, 5],
    [/^é/, 1],
    [/^😀/, 1],
    [/^b?/, 10],
    [/^/, 10],
  ])('finds %s by the index as by a scan', async (pattern, count) => {
    const ids = async (hint: Document) =>
      (await numbers.find({ text: pattern }, { hint }).toArray()).map((doc) => Number(doc._id));
    const scanned = await ids({ $natural: 1 });
    expect(scanned).toHaveLength(count);
    expect((await ids({ text: 1 })).toSorted((a, b) => a - b)).toEqual(scanned);
    expect((await numbers.find({ text: pattern }).toArray()).length).toBe(count);
  });

  it.each<[string, string, Document, unknown[]]>([
    ['the first field of an index', 'org', {}, ['o0', 'o1']],
    ['a field behind a fixed one', 'project', { org: 'o1' }, ['p0', 'p1', 'p2', 'p3', 'p4']],
    ['a field behind a fixed one, in a range', 'at', { org: 'o1', project: 'p1', at: { $lt: 25 } }, [1, 11, 21]],
    ['a field with a condition of its own', 'org', { org: { $gt: 'o0' } }, ['o1']],
    ['a field with a condition elsewhere', 'org', { free: 3, _id: { $lt: 4 } }, ['o1']],
    ['an array field', 'tags', {}, ['all', 't0', 't1', 't2']],
    ['a field without an index', 'free', {}, [0, 1, 2, 3, 4, 5, 6]],
    ['a partially indexed field', 'state', {}, ['done', 'held', 'open']],
    ['a field nobody has', 'none', {}, []],
  ])('finds the distinct values of %s', async (_title, key, filter, values) => {
    expect(await things.distinct(key, filter)).toEqual(values);
  });

  it('tells null from missing, and 1 from no other 1, among distinct values', async () => {
    expect(await numbers.distinct('n')).toEqual([null, NaN, -1, 0, 0.5, 1, 2, 'a']);
    expect(await numbers.distinct('n', { _id: { $gt: 7 } })).toEqual(['a']);
    const sparse = engine.fresh();
    await sparse.createIndexes([{ key: { n: 1 } }]);
    await sparse.insertMany(Array.from({ length: 30 }, (_, _id) => ({ _id })));
    expect(await sparse.distinct('n')).toEqual([]);
    await sparse.insertMany([{ n: null }, { n: 5 }]);
    expect(await sparse.distinct('n')).toEqual([null, 5]);
  });

  it('finds what many values in two fields at once leave, also where their ranges would be too many', async () => {
    const many = engine.fresh();
    await many.createIndexes([{ key: { a: 1, b: 1, c: 1 } }]);
    await many.insertMany(Array.from({ length: 1600 }, (_, n) => ({ _id: n, a: n % 40, b: Math.floor(n / 40), c: n })));
    const values = Array.from({ length: 30 }, (_, n) => n);
    const filter = { a: { $in: values }, b: { $in: values.map((n) => n + 5) } };
    expect(await countBy(many, filter)).toBe(900);
    expect(await many.find(filter, { sort: { c: 1 } }).toArray()).toHaveLength(900);
    expect(await countBy(many, { ...filter, c: { $gte: 400, $lt: 440 } })).toBe(30);
  });

  it('meets a value that comes right behind the bound of a range', async () => {
    const flags = engine.fresh();
    await flags.createIndexes([{ key: { on: 1 } }]);
    await flags.insertMany([{ on: true }, { on: false }, { on: 1 }]);
    for (const on of [
      { $gt: false, $eq: true },
      { $eq: true, $gt: false },
    ]) {
      expect(await flags.find({ on }).toArray()).toMatchObject([{ on: true }]);
      expect(await countBy(flags, { on })).toBe(1);
    }
  });

  it('keeps the best of many without holding them all', async () => {
    const many = engine.fresh();
    await many.insertMany(Array.from({ length: 4000 }, (_, n) => ({ _id: n, rank: (n * 2654435761) % 4001 })));
    const ranks = (await many.find({}, { hint: { $natural: 1 } }).toArray()).map((doc) => Number(doc['rank']));
    const best = await many.find({}, { sort: { rank: -1 }, skip: 3, limit: 40 }).toArray();
    expect(best.map((doc) => doc['rank'])).toEqual(ranks.toSorted((a, b) => b - a).slice(3, 43));
  });

  it('does not give what no longer matches when its turn in a sorted answer comes', async () => {
    const queued = engine.fresh();
    await queued.insertMany(Array.from({ length: 20 }, (_, n) => ({ _id: n, rank: -n, state: 'open' })));
    const cursor = queued.find({ state: 'open' }, { sort: { rank: 1 }, batchSize: 5 });
    for (let n = 0; n < 5; n++) await cursor.next();
    await queued.updateMany({ _id: { $lt: 8 } }, { $set: { state: 'done' } });
    expect((await cursor.toArray()).map((doc) => doc._id)).toEqual([14, 13, 12, 11, 10, 9, 8]);
  });

  it('keeps the order of a merge over pages, whatever is written between them', async () => {
    const cursor = things.find({ org: { $in: ['o0', 'o1'] } }, { sort: { at: -1, _id: -1 }, batchSize: 10 });
    const seen: number[] = [];
    for await (const doc of cursor) {
      seen.push(doc['at'] as number);
      if (seen.length === 15) await things.insertOne({ _id: 1000, org: 'o1', at: 999 });
      if (seen.length === 25) await things.updateOne({ at: 100 }, { $set: { at: 100.5 } });
      if (seen.length === 30) await things.deleteOne({ _id: 1000 });
    }
    await things.updateOne({ at: 100.5 }, { $set: { at: 100 } });
    const expected = Array.from({ length: 300 }, (_, n) => (n === 199 ? 100.5 : 299 - n));
    expect(seen).toEqual(expected);
  });

  it('obeys a hint by name, by keys and by $natural, also for writes and counts, and refuses others', async () => {
    const plan = async (hint: never) => stagesOf(await things.find({ _id: 3 }, { hint }).explain('queryPlanner'));
    expect(await plan('byTime' as never)).toEqual(['IXSCAN byTime']);
    expect(await plan({ org: 1, at: -1, _id: -1 } as never)).toEqual(['IXSCAN byTime']);
    expect(await plan({ $natural: -1 } as never)).toEqual(['COLLSCAN']);
    expect(await plan({} as never)).toEqual(['IDHACK _id_']);
    expect(await failureOf(plan('none' as never))).toMatchObject({ code: 2 });
    expect(await failureOf(plan({ org: 1 } as never))).toMatchObject({ code: 2 });
    expect(await failureOf(plan(7 as never))).toMatchObject({ code: 9 });
    const set = { $set: { seen: true } };
    expect(await things.updateMany({ free: 1 }, set, { hint: { $natural: 1 } })).toMatchObject({ matchedCount: 43 });
    expect(await things.updateMany({ free: 1 }, set, { hint: 'byTime' })).toMatchObject({ matchedCount: 43 });
    expect(await failureOf(things.deleteMany({ free: 1 }, { hint: 'none' }))).toMatchObject({ code: 2 });
    expect(await failureOf(countBy(things, {}, { hint: 'none' }))).toMatchObject({ code: 2 });
    // As on MongoDB, a hint to an index that does not hold everything asks for what it holds.
    expect(await countBy(things, {}, { hint: 'large' })).toBe(199);
    expect(await things.find({}, { hint: 'large' }).toArray()).toHaveLength(199);
  });

  it('reads the collection in its own order, forward and backward', async () => {
    const ids = async (options: object) =>
      (await numbers.find({ n: { $gte: 0 } }, options).toArray()).map((doc) => doc._id);
    expect(await ids({ sort: { $natural: 1 } })).toEqual([2, 3, 4, 5, 6]);
    expect(await ids({ sort: { $natural: -1 } })).toEqual([6, 5, 4, 3, 2]);
    expect(await ids({ hint: { $natural: -1 } })).toEqual([6, 5, 4, 3, 2]);
    expect(await ids({ hint: { $natural: 1 }, sort: { n: -1, _id: 1 } })).toEqual([6, 4, 5, 3, 2]);
    expect(await failureOf(ids({ sort: { $natural: 1, n: 1 } }))).toMatchObject({ code: 2 });
  });

  it('sorts more in memory than it may hold of whole documents, and pages through what was sorted', async () => {
    const large = engine.fresh();
    const body = 'x'.repeat(400_000);
    for (let at = 0; at < 10; at++)
      await large.insertMany(
        Array.from({ length: 30 }, (_, n) => ({ _id: at * 30 + n, order: (n * 7919) % 300, body })),
      );
    const cursor = large.find({}, { sort: { order: 1, _id: 1 }, projection: { order: 1 }, batchSize: 50 });
    const seen: unknown[] = [];
    for await (const doc of cursor) {
      seen.push(doc['order']);
      if (seen.length === 50) await large.deleteMany({ order: { $gt: 100 }, _id: { $gte: 60 } });
    }
    expect(seen).toEqual(seen.toSorted((a, b) => Number(a) - Number(b)));
    expect(seen).toHaveLength(
      300 - ((await large.countDocuments({})) < 300 ? 300 - (await large.countDocuments({})) : 0),
    );
  });
});
