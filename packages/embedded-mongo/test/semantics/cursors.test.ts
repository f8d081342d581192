import type { Document } from 'mongodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addIndex, type Anything, failureOf, startTestEngine, type TestEngine } from '../engine.ts';

let engine: TestEngine;
let things: ReturnType<TestEngine['fresh']>;
beforeAll(async () => {
  engine = await startTestEngine();
  things = engine.fresh();
  await things.insertMany(Array.from({ length: 250 }, (_, n) => ({ _id: n, n })));
});
afterAll(() => engine[Symbol.asyncDispose]());

const command = (spec: Document): Promise<Document> => engine.db.command(spec);
const more = (reply: Document, extra: Document = {}): Promise<Document> =>
  command({ getMore: reply['cursor'].id, collection: String(reply['cursor'].ns).split('.')[1], ...extra });

/** The sizes of a cursor's batches to its end. */
async function batches(spec: Document, next: Document = {}): Promise<number[]> {
  let reply = await command(spec);
  const sizes = [reply['cursor'].firstBatch.length];
  while (Number(reply['cursor'].id) !== 0) {
    reply = await more(reply, next);
    sizes.push(reply['cursor'].nextBatch.length);
  }
  return sizes;
}

describe('batches', () => {
  it.each<[string, Document, Document, number[]]>([
    ['101 first, then as many as fit', {}, {}, [101, 149]],
    ['as many as are asked for', { batchSize: 100 }, { batchSize: 100 }, [100, 100, 50]],
    ['batchSize counts for its own batch only', { batchSize: 2 }, {}, [2, 248]],
    ['batchSize 0 opens the cursor and reads nothing', { batchSize: 0 }, { batchSize: 200 }, [0, 200, 50]],
    ['a limit above the batch', { batchSize: 3, limit: 5 }, { batchSize: 3 }, [3, 2]],
    ['a limit at the batch ends at once', { batchSize: 5, limit: 5 }, {}, [5]],
    ['a limit below the batch', { batchSize: 5, limit: 3 }, {}, [3]],
    ['a limit beyond what is there', { filter: { n: { $lt: 4 } }, limit: 9, batchSize: 4 }, {}, [4]],
    ['limit 0 is none', { limit: 0, batchSize: 200 }, {}, [200, 50]],
    ['skip beyond the end', { skip: 300 }, {}, [0]],
    ['skip and limit', { skip: 248, limit: 9 }, {}, [2]],
    ['singleBatch leaves nothing open', { singleBatch: true, batchSize: 5 }, {}, [5]],
    ['singleBatch with a limit above the batch', { singleBatch: true, batchSize: 2, limit: 5 }, {}, [2]],
  ])('%s', async (_title, spec, next, sizes) => {
    expect(await batches({ find: things.collectionName, ...spec }, next)).toEqual(sizes);
  });

  it('end at 16 MB, and a document that did not fit comes first in the next', async () => {
    const large = engine.fresh();
    await large.insertMany(Array.from({ length: 20 }, (_, n) => ({ _id: n, body: 'x'.repeat(2_000_000) })));
    expect(await batches({ find: large.collectionName })).toEqual([8, 8, 4]);
    expect((await large.find({}).toArray()).map((doc) => doc._id)).toEqual(Array.from({ length: 20 }, (_, n) => n));
  });

  it.each<[string, Document, number]>([
    ['a negative limit', { limit: -1 }, 51024],
    ['a negative batchSize', { batchSize: -1 }, 51024],
    ['a negative skip', { skip: -1 }, 51024],
    ['a limit that is no number', { limit: 'x' }, 14],
    ['a tailable cursor', { tailable: true }, 2],
    ['awaitData', { awaitData: true }, 2],
    ['min', { min: { n: 1 }, hint: { _id: 1 } }, 238],
    ['max', { max: { n: 1 }, hint: { _id: 1 } }, 238],
    ['returnKey', { returnKey: true }, 238],
    ['showRecordId', { showRecordId: true }, 238],
    ['a collation there is no equivalent for', { collation: { locale: 'de', strength: 4 } }, 238],
    ['an option nobody knows', { nonsense: 1 }, 40415],
    ['a hint of another type', { hint: 3 }, 9],
    ['maxTimeMS below 0', { maxTimeMS: -1 }, 2],
    ['maxTimeMS beyond an int', { maxTimeMS: 2 ** 31 }, 2],
    ['maxTimeMS that is no number', { maxTimeMS: 'x' }, 14],
  ])('find refuses %s', async (_title, spec, code) => {
    expect(await failureOf(command({ find: things.collectionName, ...spec }))).toMatchObject({ code });
  });

  it('options that change nothing are accepted', async () => {
    const options = {
      returnKey: false,
      showRecordId: false,
      allowPartialResults: true,
      allowDiskUse: true,
      oplogReplay: false,
    };
    expect(
      await batches({ find: things.collectionName, limit: 1, collation: { locale: 'simple' }, ...options }),
    ).toEqual([1]);
  });
});

describe('getMore', () => {
  const open = (extra: Document = {}) => command({ find: things.collectionName, batchSize: 2, ...extra });

  it('refuses an unknown cursor, another collection, a time limit and a negative batch', async () => {
    const reply = await open();
    const { id } = reply['cursor'];
    expect(await failureOf(command({ getMore: 12345n, collection: things.collectionName }))).toMatchObject({
      code: 43,
    });
    expect(await failureOf(command({ getMore: id, collection: 'other' }))).toMatchObject({ code: 13 });
    expect(await failureOf(more(reply, { maxTimeMS: 5 }))).toMatchObject({ code: 2 });
    expect(await failureOf(more(reply, { batchSize: -1 }))).toMatchObject({ code: 51024 });
    expect((await more(reply, { batchSize: 1 }))['cursor'].nextBatch).toEqual([{ _id: 2, n: 2 }]);
  });

  it('does not find a killed cursor, nor one that has ended', async () => {
    const reply = await open();
    const { id } = reply['cursor'];
    const kill = { killCursors: things.collectionName, cursors: [id, 99n] };
    expect(await command(kill)).toMatchObject({ cursorsKilled: [id], cursorsNotFound: [99], cursorsAlive: [] });
    expect(await failureOf(more(reply))).toMatchObject({ code: 43 });
    const other = await open();
    await more(other);
    expect(await failureOf(more(other))).toMatchObject({ code: 43 });
  });

  it('finds nothing in a collection that was dropped, also when it was made again', async () => {
    const doomed = engine.fresh();
    await doomed.insertMany(Array.from({ length: 9 }, (_, n) => ({ _id: n })));
    const reply = await command({ find: doomed.collectionName, batchSize: 2 });
    const joined = await command({
      aggregate: doomed.collectionName,
      pipeline: [{ $match: {} }],
      cursor: { batchSize: 2 },
    });
    await doomed.drop();
    await doomed.insertMany(Array.from({ length: 9 }, (_, n) => ({ _id: n })));
    for (const cursor of [reply, joined]) expect([43, 175]).toContain((await failureOf(more(cursor))).code);
    const database = engine.client.db('doomed');
    await database.collection<Anything>('c').insertMany([{ _id: 1 }, { _id: 2 }, { _id: 3 }]);
    const last = await database.command({ find: 'c', batchSize: 1 });
    await database.dropDatabase();
    const next = database.command({ getMore: last['cursor'].id, collection: 'c' });
    expect([43, 175]).toContain((await failureOf(next)).code);
  });

  it('fails when its index was dropped; cursors on other indexes go on', async () => {
    const indexed = engine.fresh();
    await addIndex(indexed, { n: 1 });
    await addIndex(indexed, { m: 1 });
    await indexed.insertMany(Array.from({ length: 9 }, (_, n) => ({ _id: n, n, m: n })));
    const by = (field: string) =>
      command({ find: indexed.collectionName, filter: { [field]: { $gte: 0 } }, batchSize: 2 });
    const [one, two] = [await by('n'), await by('m')];
    await indexed.dropIndex('n_1');
    // The id of the dropped index may be given again.
    await addIndex(indexed, { n: -1 });
    expect(await failureOf(more(one))).toMatchObject({ code: 175 });
    expect((await more(two))['cursor'].nextBatch).toHaveLength(7);
  });

  it('goes on after a failed index build, which reads the catalog again', async () => {
    const indexed = engine.fresh();
    await addIndex(indexed, { n: 1 });
    await indexed.insertMany(Array.from({ length: 9 }, (_, n) => ({ _id: n, n, twice: 1 })));
    const reply = await command({ find: indexed.collectionName, filter: { n: { $gte: 0 } }, batchSize: 2 });
    expect(await failureOf(addIndex(indexed, { twice: 1 }, { unique: true }))).toMatchObject({ code: 11000 });
    expect((await more(reply))['cursor'].nextBatch).toHaveLength(7);
  });

  it.each<[string, Document, Record<string, 1 | -1>]>([
    ['a collection scan', {}, {}],
    ['an index scan', { n: { $gte: 0 } }, {}],
    ['an index scan backward', { n: { $gte: 0 } }, { n: -1 }],
    ['a sort in memory', {}, { other: 1, _id: 1 }],
    ['an array index', { tags: { $in: ['a', 'b'] } }, {}],
    ['a union', { $or: [{ n: { $gte: 0 } }, { tags: 'a' }] }, {}],
  ])('gives every unchanged document once while others come and go: %s', async (_title, filter, sort) => {
    const busy = engine.fresh();
    await addIndex(busy, { n: 1 });
    await addIndex(busy, { tags: 1 });
    await busy.insertMany(Array.from({ length: 60 }, (_, n) => ({ _id: n, n, other: n % 3, tags: ['a', 'b'] })));
    const seen: number[] = [];
    let round = 100;
    for await (const doc of busy.find(filter, { sort, batchSize: 7 })) {
      seen.push(Number(doc._id));
      if (seen.length % 7 !== 0) continue;
      await busy.insertOne({ _id: ++round, n: round % 60, other: 1, tags: ['a'] });
      await busy.deleteOne({ _id: { $gte: 50, $lt: 60 } });
      await busy.updateOne({ _id: 49 - (round % 10) }, { $inc: { n: 10 } });
    }
    const kept = Array.from({ length: 40 }, (_, n) => n);
    expect(seen.filter((id) => id < 40).toSorted((a, b) => a - b)).toEqual(kept);
  });

  it('keeps a thousand cursors and lets the one unused for longest go', async () => {
    const [first, second] = [await open(), await open()];
    await more(first, { batchSize: 1 });
    for (let at = 0; at < 999; at++) await open();
    expect(await failureOf(more(second))).toMatchObject({ code: 43 });
    expect((await more(first, { batchSize: 1 }))['cursor'].nextBatch).toEqual([{ _id: 3, n: 3 }]);
  });
});

describe('count', () => {
  it.each<[Document, number]>([
    [{}, 250],
    [{ query: { n: { $gte: 200 } } }, 50],
    [{ query: { n: { $gte: 200 } }, limit: 20 }, 20],
    [{ query: { n: { $gte: 200 } }, limit: -20 }, 20],
    [{ query: { n: { $gte: 200 } }, skip: 45 }, 5],
    [{ query: { n: { $gte: 200 } }, skip: 45, limit: 3 }, 3],
    [{ query: { n: { $gte: 200 } }, skip: 60 }, 0],
    [{ query: { _id: { $in: [1, 2, 'x'] } } }, 2],
    [{ query: { _id: { $gte: 240 } }, skip: 8, limit: 5 }, 2],
    [{ skip: 240 }, 10],
    [{ limit: 7 }, 7],
  ])('%j is %i', async (spec, n) => {
    expect(await command({ count: things.collectionName, ...spec })).toMatchObject({ n, ok: 1 });
  });

  it('refuses a negative skip', async () => {
    expect(await failureOf(command({ count: things.collectionName, skip: -1 }))).toMatchObject({ code: 51024 });
  });

  it('of a collection that is not there is 0', async () => {
    expect(await command({ count: 'nowhere', query: { a: 1 } })).toMatchObject({ n: 0 });
  });
});

describe('maxTimeMS', () => {
  it('ends what takes longer, and leaves nothing of a write', async () => {
    const many = engine.fresh();
    for (let at = 0; at < 10; at++)
      await many.insertMany(Array.from({ length: 3000 }, (_, n) => ({ _id: at * 3000 + n, n, text: `x${n}` })));
    const { collectionName: name } = many;
    const [filter, maxTimeMS] = [{ text: /y$/ }, 2];
    const commands: Document[] = [
      { find: name, filter },
      { find: name, sort: { text: 1 } },
      { count: name, query: filter },
      { distinct: name, key: 'text' },
      { aggregate: name, pipeline: [{ $match: filter }], cursor: {} },
      { update: name, updates: [{ q: {}, u: { $inc: { n: 1 } }, multi: true }] },
      { delete: name, deletes: [{ q: {}, limit: 0 }] },
      { findAndModify: name, query: filter, update: { $set: { a: 1 } } },
      { createIndexes: name, indexes: [{ key: { text: 1 }, name: 'text' }] },
    ];
    for (const spec of commands) {
      const outcome = await command({ ...spec, maxTimeMS }).catch((error: unknown) => error);
      expect(outcome, JSON.stringify(spec)).toMatchObject({
        code: 50,
        codeName: 'MaxTimeMSExpired',
        message: expect.stringContaining('operation exceeded time limit'),
      });
    }
    expect(await many.countDocuments({})).toBe(30_000);
    expect(await many.findOne({ _id: 0 })).toMatchObject({ n: 0 });
    expect(await many.indexes()).toHaveLength(1);
    expect(await many.countDocuments(filter, { maxTimeMS: 60_000 })).toBe(0);
  });
});
