import type { Db, Document } from 'mongodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addIndex, type Anything, replyOf, startTestEngine, type TestEngine } from '../engine.ts';

let engine: TestEngine;
let db: Db;
const SEED = Array.from({ length: 6 }, (_, n) => ({ _id: n, n, k: n % 2 ? 'odd' : 'even', tags: [n, 'x'] }));
beforeAll(async () => {
  engine = await startTestEngine();
  db = engine.client.db('reads');
  await db.collection<Anything>('c').insertMany(SEED);
  await addIndex(db.collection<Anything>('c'), { n: 1 });
});
afterAll(() => engine[Symbol.asyncDispose]());

type Case = [title: string, command: Document, reply: Document];
const check = async ([, command, reply]: Case): Promise<void> => {
  expect(await replyOf(db, command)).toMatchObject(reply);
};
const failed = (code: number, codeName?: string) => ({ ok: 0, code, ...(codeName ? { codeName } : {}) });
const ids = (...wanted: number[]) => ({ cursor: { firstBatch: wanted.map((_id) => ({ _id })) } });

describe('find', () => {
  const find = (rest: Document) => ({ find: 'c', projection: { _id: 1 }, ...rest });
  it.each<Case>([
    [
      'gives a cursor that is exhausted',
      find({}),
      { ok: 1, cursor: { ns: 'reads.c', firstBatch: SEED.map(({ _id }) => ({ _id })) } },
    ],
    ['of nothing where nothing is', { find: 'none' }, { ok: 1, cursor: { ns: 'reads.none', firstBatch: [] } }],
    ['filters, sorts, skips, limits', find({ filter: { k: 'even' }, sort: { n: -1 }, skip: 1, limit: 1 }), ids(2)],
    ['takes null for what is left out', find({ filter: null, sort: null, skip: null, limit: 2 }), ids(0, 1)],
    ['cuts off what stands behind the point', find({ limit: 2.9 }), ids(0, 1)],
    ['takes the natural order backwards as a sort', find({ sort: { $natural: -1 }, limit: 1 }), ids(5)],
    ['takes the natural order as a hint', find({ hint: { $natural: -1 }, limit: 1 }), ids(5)],
    [
      'takes allowDiskUse and allowPartialResults',
      find({ allowDiskUse: true, allowPartialResults: true, limit: 1 }),
      ids(0),
    ],
    [
      'takes options that ask for nothing',
      find({ min: {}, max: {}, returnKey: false, showRecordId: false, tailable: false, limit: 1 }),
      ids(0),
    ],
    [
      'takes any comment and a read preference',
      find({ comment: { a: 1 }, $readPreference: { mode: 'nearest' }, limit: 1 }),
      ids(0),
    ],
    ['takes read concerns of one member', find({ readConcern: { level: 'linearizable' }, limit: 1 }), ids(0)],
    ['takes the simple and the empty collation', find({ collation: {}, limit: 1 }), ids(0)],
    ['refuses snapshot reads', find({ readConcern: { level: 'snapshot' } }), failed(238)],
    ['refuses a read concern there is not', find({ readConcern: { level: 'frob' } }), failed(9, 'FailedToParse')],
    ['refuses a filter that is no document', find({ filter: 1 }), failed(14, 'TypeMismatch')],
    ['refuses a sort that is no document', find({ sort: 'n' }), failed(14)],
    ['refuses a negative skip', find({ skip: -1 }), failed(51024)],
    ['refuses a negative limit', find({ limit: -1 }), failed(51024)],
    ['refuses a negative batch size', find({ batchSize: -1 }), failed(51024)],
    ['refuses a hint that is neither name nor keys', find({ hint: 1 }), failed(9)],
    ['refuses a hint that names no index', find({ hint: 'nope' }), failed(2, 'BadValue')],
    [
      'refuses a collation there is no equivalent for',
      find({ collation: { locale: 'en', strength: 4 } }),
      failed(238, 'NotImplemented'),
    ],
    ['refuses min', find({ min: { n: 1 }, hint: { n: 1 } }), failed(238)],
    ['refuses returnKey', find({ returnKey: true }), failed(238)],
    ['refuses showRecordId', find({ showRecordId: true }), failed(238)],
    ['refuses a tailable cursor', find({ tailable: true }), failed(2)],
    ['refuses $natural beside another sort', find({ sort: { $natural: 1, n: 1 } }), failed(2)],
    ['refuses an unknown field', find({ frob: 1 }), failed(40415)],
    ['refuses an undefined variable', find({ filter: { $expr: '$$nope' } }), failed(17276)],
    ['refuses a name with a dollar', { find: 1 }, failed(73)],
  ])('%s', (...given) => check(given));
});

describe('a cursor', () => {
  const open = () => db.command({ find: 'c', batchSize: 2, sort: { _id: 1 } });

  it('goes on where it was, and has the id 0 at its end', async () => {
    const { cursor } = await open();
    const second = await db.command({ getMore: cursor.id, collection: 'c', batchSize: 3 });
    expect(second['cursor'].nextBatch.map((doc: Document) => doc['_id'])).toEqual([2, 3, 4]);
    const last = await db.command({ getMore: cursor.id, collection: 'c' });
    expect(last).toMatchObject({ cursor: { nextBatch: [{ _id: 5 }], ns: 'reads.c' }, ok: 1 });
    expect(Number(last['cursor'].id)).toBe(0);
    expect(await replyOf(db, { getMore: cursor.id, collection: 'c' })).toMatchObject(failed(43, 'CursorNotFound'));
  });

  it.each<[string, Document, Document]>([
    ['of another collection is not given', { collection: 'd' }, failed(13, 'Unauthorized')],
    ['is not read in batches of 0', { collection: 'c', batchSize: 0 }, failed(2)],
    ['is not read in negative batches', { collection: 'c', batchSize: -1 }, failed(51024)],
    ['needs its collection', {}, failed(40414)],
    ['takes no time limit of its own', { collection: 'c', maxTimeMS: 5 }, failed(2)],
    ['takes no unknown field', { collection: 'c', frob: 1 }, failed(40415)],
  ])('%s', async (_title, rest, reply) => {
    const { cursor } = await open();
    expect(await replyOf(db, { getMore: cursor.id, ...rest })).toMatchObject(reply);
    await db.command({ killCursors: 'c', cursors: [cursor.id] });
  });

  it('is killed by its id, once', async () => {
    const { cursor } = await open();
    const kill = () => db.command({ killCursors: 'c', cursors: [cursor.id] });
    expect(await kill()).toMatchObject({ cursorsKilled: [cursor.id], cursorsNotFound: [], cursorsAlive: [], ok: 1 });
    expect(await kill()).toMatchObject({ cursorsKilled: [], cursorsNotFound: [cursor.id], ok: 1 });
    expect(await replyOf(db, { killCursors: 'c' })).toMatchObject(failed(40414));
  });
});

describe('count', () => {
  it.each<Case>([
    ['counts all', { count: 'c' }, { n: 6, ok: 1 }],
    ['counts what matches', { count: 'c', query: { k: 'odd' } }, { n: 3 }],
    ['counts nothing where nothing is', { count: 'none', query: { a: 1 } }, { n: 0, ok: 1 }],
    ['skips and limits', { count: 'c', skip: 1, limit: 9 }, { n: 5 }],
    ['takes a negative limit as its positive', { count: 'c', limit: -2 }, { n: 2 }],
    ['skips beyond the end', { count: 'c', query: { k: 'odd' }, skip: 9 }, { n: 0 }],
    ['takes fields, which mean nothing', { count: 'c', fields: { a: 1 } }, { n: 6 }],
    ['takes a hint', { count: 'c', query: { n: 1 }, hint: 'n_1' }, { n: 1 }],
    ['refuses a hint that names no index', { count: 'c', query: { n: 1 }, hint: 'nope' }, failed(2)],
    ['refuses a negative skip', { count: 'c', skip: -1 }, failed(51024)],
    ['refuses a limit that is no number', { count: 'c', limit: 'all' }, failed(14)],
    ['refuses such a collation', { count: 'c', collation: { locale: 'de', strength: 4 } }, failed(238)],
  ])('%s', (...given) => check(given));
});

describe('distinct', () => {
  it.each<Case>([
    ['gives the values in order', { distinct: 'c', key: 'k' }, { values: ['even', 'odd'], ok: 1 }],
    ['looks into arrays', { distinct: 'c', key: 'tags', query: { n: { $lt: 2 } } }, { values: [0, 1, 'x'] }],
    ['gives nothing for a field nobody has', { distinct: 'c', key: 'z' }, { values: [] }],
    ['gives nothing where nothing is', { distinct: 'none', key: 'k' }, { values: [] }],
    ['filters', { distinct: 'c', key: 'n', query: { k: 'odd' } }, { values: [1, 3, 5] }],
    ['needs a key', { distinct: 'c' }, failed(40414)],
    ['refuses a key that is no text', { distinct: 'c', key: 1 }, failed(14)],
    ['refuses a hint that names no index', { distinct: 'c', key: 'n', hint: 'nope' }, failed(2)],
    ['refuses such a collation', { distinct: 'c', key: 'n', collation: { locale: 'de', strength: 4 } }, failed(238)],
    ['refuses an unknown field', { distinct: 'c', key: 'n', frob: 1 }, failed(40415)],
  ])('%s', (...given) => check(given));
});

describe('aggregate', () => {
  const aggregate = (pipeline: unknown, rest: Document = {}) => ({ aggregate: 'c', pipeline, cursor: {}, ...rest });
  it.each<Case>([
    ['gives a cursor', aggregate([{ $match: { n: 1 } }, { $project: { _id: 1 } }]), { ok: 1, ...ids(1) }],
    ['of nothing where nothing is', { aggregate: 'none', pipeline: [], cursor: {} }, { cursor: { firstBatch: [] } }],
    [
      'leaves the cursor open at its batch size',
      aggregate([], { cursor: { batchSize: 0 } }),
      { cursor: { firstBatch: [] } },
    ],
    [
      'shares variables of let',
      aggregate([{ $match: { $expr: { $eq: ['$n', '$$x'] } } }, { $project: { _id: 1 } }], { let: { x: 3 } }),
      ids(3),
    ],
    ['needs a cursor', { aggregate: 'c', pipeline: [] }, failed(9, 'FailedToParse')],
    ['needs a pipeline', { aggregate: 'c', cursor: {} }, failed(40414)],
    ['refuses a pipeline that is no array', aggregate({}), failed(14)],
    ['refuses an unknown stage', aggregate([{ $frob: {} }]), failed(40324)],
    ['refuses a change stream', aggregate([{ $changeStream: {} }]), failed(40324)],
    ['refuses a stage without a collection', { aggregate: 1, pipeline: [{ $match: {} }], cursor: {} }, failed(73)],
    ['refuses to explain by itself', aggregate([], { explain: true }), failed(238)],
    ['refuses such a collation', aggregate([], { collation: { locale: 'de', strength: 4 } }), failed(238)],
    ['refuses an unknown field of its cursor', aggregate([], { cursor: { frob: 1 } }), failed(40415)],
  ])('%s', (...given) => check(given));
});

describe('explain', () => {
  const explain = (command: Document, verbosity?: string) => ({
    explain: command,
    ...(verbosity ? { verbosity } : {}),
  });
  const ixscan = {
    queryPlanner: { winningPlan: { stage: 'FETCH', inputStage: { stage: 'IXSCAN', indexName: 'n_1' } } },
  };
  const stats = (nReturned: number, totalDocsExamined: number) => ({
    executionStats: { executionSuccess: true, nReturned, totalDocsExamined },
  });
  it.each<Case>([
    ['names the index', explain({ find: 'c', filter: { n: 1 } }, 'queryPlanner'), ixscan],
    [
      'says that it scans',
      explain({ find: 'c', filter: { k: 1 } }, 'queryPlanner'),
      { queryPlanner: { namespace: 'reads.c', winningPlan: { stage: 'COLLSCAN' } } },
    ],
    [
      'says that nothing is there',
      explain({ find: 'none' }),
      { queryPlanner: { winningPlan: { stage: 'EOF' } }, ...stats(0, 0) },
    ],
    ['runs a scan and counts', explain({ find: 'c', filter: { k: 'odd' } }, 'executionStats'), stats(3, 6)],
    [
      'runs an index and counts',
      explain({ find: 'c', filter: { n: { $gte: 4 } } }, 'executionStats'),
      { ...ixscan, executionStats: { nReturned: 2, totalKeysExamined: 2, totalDocsExamined: 2 } },
    ],
    ['runs unless told not to', explain({ find: 'c', limit: 2 }), stats(2, 2)],
    ['runs all there is of plans', explain({ find: 'c' }, 'allPlansExecution'), stats(6, 6)],
    [
      'knows count',
      explain({ count: 'c', query: { n: 1 } }),
      { executionStats: { executionStages: { stage: 'COUNT', nCounted: 1 } } },
    ],
    ['knows distinct', explain({ distinct: 'c', key: 'k', query: { n: 1 } }), ixscan],
    [
      'knows aggregate',
      explain({ aggregate: 'c', pipeline: [{ $match: { n: 1 } }, { $unwind: '$tags' }], cursor: {} }),
      { ...ixscan, ...stats(2, 1) },
    ],
    [
      'knows update, and changes nothing',
      explain({ update: 'c', updates: [{ q: { n: 1 }, u: { $set: { n: 9 } } }] }),
      { executionStats: { nReturned: 0, executionStages: { stage: 'UPDATE', nMatched: 1 } } },
    ],
    [
      'knows delete, and removes nothing',
      explain({ delete: 'c', deletes: [{ q: { n: { $lt: 3 } }, limit: 0 }] }),
      { executionStats: { executionStages: { stage: 'DELETE', nWouldDelete: 3 } } },
    ],
    [
      'knows findAndModify',
      explain({ findAndModify: 'c', query: { n: 1 }, remove: true }),
      { executionStats: { executionStages: { stage: 'DELETE', nWouldDelete: 1 } } },
    ],
    ['writes nothing of $out', explain({ aggregate: 'c', pipeline: [{ $out: 'written' }], cursor: {} }), stats(6, 6)],
    ['refuses what it does not know', explain({ frob: 1 }), failed(59, 'CommandNotFound')],
    ['refuses what cannot be explained', explain({ insert: 'c', documents: [] }), failed(59)],
    [
      'refuses several statements',
      explain({
        delete: 'c',
        deletes: [
          { q: {}, limit: 0 },
          { q: {}, limit: 0 },
        ],
      }),
      failed(72),
    ],
    ['refuses an unknown verbosity', explain({ find: 'c' }, 'loud'), failed(2)],
    ['refuses an unknown field of the command', explain({ find: 'c', frob: 1 }), failed(40415)],
    [
      'refuses what the command would refuse',
      explain({ find: 'c', collation: { locale: 'de', strength: 4 } }),
      failed(238),
    ],
  ])('%s', (...given) => check(given));

  it('leaves everything as it was', async () => {
    expect(await db.collection('c').find().toArray()).toEqual(SEED);
    expect(await db.listCollections({}, { nameOnly: true }).toArray()).toEqual([{ name: 'c', type: 'collection' }]);
  });
});
