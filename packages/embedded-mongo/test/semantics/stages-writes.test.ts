import type { Document } from 'mongodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addIndex, type Anything, failureOf, startTestEngine, type TestEngine } from '../engine.ts';

let engine: TestEngine;
beforeAll(async () => {
  engine = await startTestEngine();
});
afterAll(() => engine[Symbol.asyncDispose]());

const SOURCE: Anything[] = [
  { _id: 1, k: 'a', n: 1 },
  { _id: 2, k: 'b', n: 2 },
  { _id: 3, k: 'c', n: 3 },
];

async function collections(held: Anything[] = []) {
  const [source, target] = [engine.fresh(), engine.fresh()];
  await source.insertMany(SOURCE.map((doc) => ({ ...doc })));
  if (held.length > 0) await target.insertMany(held);
  const all = () => target.find().sort({ _id: 1 }).toArray();
  return { source, target, all, into: target.collectionName };
}

describe('$out', () => {
  it('replaces what a collection held, keeps its indexes and answers nothing', async () => {
    const { source, target, all, into } = await collections([{ _id: 9, k: 'old' }]);
    await addIndex(target, { k: 1 });
    expect(
      await source.aggregate([{ $match: { n: { $gt: 1 } } }, { $sort: { n: -1 } }, { $out: into }]).toArray(),
    ).toEqual([]);
    expect(await all()).toEqual([SOURCE[1], SOURCE[2]]);
    expect((await target.indexes()).map((index) => index.name)).toEqual(['_id_', 'k_1']);
  });

  it('makes the collection, in another database too, and empty when nothing comes', async () => {
    const { source } = await collections();
    await source.aggregate([{ $out: { db: 'elsewhere', coll: 'made' } }], { batchSize: 0 }).toArray();
    expect(await engine.client.db('elsewhere').collection('made').countDocuments()).toBe(3);
    await source.aggregate([{ $match: { n: 99 } }, { $out: 'empty' }]).toArray();
    expect(await engine.db.listCollections({ name: 'empty' }).toArray()).toHaveLength(1);
  });

  it('reads to the end before it writes where it reads', async () => {
    const { source } = await collections();
    await source.aggregate([{ $set: { n: '$_id', read: true } }, { $out: source.collectionName }]).toArray();
    expect(await source.countDocuments({ read: true })).toBe(3);
    expect(await source.distinct('n')).toEqual([1, 2, 3]);
  });

  it('leaves everything as it was when a document is refused', async () => {
    const { source, target, all, into } = await collections([{ _id: 9, k: 'old' }]);
    await addIndex(target, { u: 1 }, { unique: true });
    const failure = await failureOf(source.aggregate([{ $set: { u: 1 } }, { $out: into }]).toArray());
    expect(failure).toMatchObject({ code: 11000 });
    expect(await all()).toEqual([{ _id: 9, k: 'old' }]);
  });

  it.each<[string, Document, number]>([
    ['a system collection', { $out: 'system.users' }, 73],
    ['a wrong specification', { $out: 5 }, 9],
    ['an unknown field', { $out: { db: 'x', coll: 'y', timeseries: {} } }, 40415],
  ])('refuses %s', async (_name, stage, code) => {
    const { source } = await collections();
    expect(await failureOf(source.aggregate([stage]).toArray())).toMatchObject({ code });
  });

  it('refuses a linearizable read', async () => {
    const { source } = await collections();
    const failure = await failureOf(
      source.aggregate([{ $out: 'x' }], { readConcern: { level: 'linearizable' } }).toArray(),
    );
    expect(failure).toMatchObject({ code: 72 });
  });
});

const HELD: Anything[] = [
  { _id: 2, k: 'b', old: true },
  { _id: 7, k: 'z' },
];

describe('$merge', () => {
  it.each<[string, Document, object[]]>([
    [
      'merges and inserts by default',
      {},
      [SOURCE[0] as object, { _id: 2, k: 'b', old: true, n: 2 }, SOURCE[2] as object, HELD[1] as object],
    ],
    ['replaces', { whenMatched: 'replace' }, [...SOURCE, HELD[1] as object]],
    [
      'keeps what is there',
      { whenMatched: 'keepExisting' },
      [SOURCE[0] as object, HELD[0] as object, SOURCE[2] as object, HELD[1] as object],
    ],
    ['discards what is new', { whenNotMatched: 'discard' }, [{ _id: 2, k: 'b', old: true, n: 2 }, HELD[1] as object]],
  ])('%s', async (_name, how, expected) => {
    const { source, all, into } = await collections(HELD.map((doc) => ({ ...doc })));
    expect(await source.aggregate([{ $merge: { into, ...how } }]).toArray()).toEqual([]);
    expect(await all()).toEqual(expected);
  });

  it.each<[string, Document, number]>([
    ['a match, when told to', { whenMatched: 'fail' }, 11000],
    ['what is new, when told to', { whenNotMatched: 'fail' }, 13113],
    ['a pipeline', { whenMatched: [{ $set: { n: '$$new.n' } }] }, 238],
    ['to join on other fields', { on: 'k' }, 238],
    ['an unknown way', { whenMatched: 'frob' }, 2],
    ['an unknown way for what is new', { whenNotMatched: 'frob' }, 2],
    ['an unknown field', { frob: 1 }, 40415],
    ['variables of its own', { whenMatched: [], let: { x: 1 } }, 238],
  ])('refuses %s, and changes nothing', async (_name, how, code) => {
    const { source, all, into } = await collections(HELD.map((doc) => ({ ...doc })));
    expect(await failureOf(source.aggregate([{ $merge: { into, ...how } }]).toArray())).toMatchObject({ code });
    expect(await all()).toEqual(HELD);
  });

  it('survives as an acknowledged write, seen by every later read', async () => {
    const { source, target, into } = await collections();
    await Promise.all([source.aggregate([{ $merge: into }]).toArray(), source.updateMany({}, { $inc: { n: 100 } })]);
    // Commands that are sent at once arrive in any order: this one comes after the acknowledgement of both.
    await source.aggregate([{ $merge: into }]).toArray();
    expect(await target.distinct('n')).toEqual([101, 102, 103]);
  });
});
