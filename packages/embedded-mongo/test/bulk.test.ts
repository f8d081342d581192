import type { AnyClientBulkWriteModel, Document } from 'mongodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Anything, failureOf, replyOf, startTestEngine, type TestEngine } from './engine.ts';

let engine: TestEngine;
let made = 0;
beforeAll(async () => {
  engine = await startTestEngine();
});
afterAll(() => engine[Symbol.asyncDispose]());

const SEED: Anything[] = [
  { _id: 1, n: 1 },
  { _id: 2, n: 2 },
];
type Case = [title: string, ops: Document[], reply: Document, after: Anything[], rest?: Document];

/** The command as it is sent, over `b<n>.a` (index 0, with two documents) and `b<n>.b` (index 1, empty). */
async function check([, ops, reply, after, rest = {}]: Case): Promise<void> {
  const db = engine.client.db(`b${++made}`);
  await db.collection<Anything>('a').insertMany(SEED);
  const nsInfo = ['a', 'b'].map((name) => ({ ns: `${db.databaseName}.${name}` }));
  const command = { bulkWrite: 1, ops, nsInfo, ...rest };
  expect(await replyOf(engine.client.db('admin'), command)).toMatchObject(reply);
  expect(await db.collection('a').find().sort({ _id: 1 }).toArray()).toEqual(after);
}

const shown = (...firstBatch: Document[]) => ({ cursor: { ns: 'admin.$cmd.bulkWrite', firstBatch } });
const insert = (_id: unknown, ns = 0) => ({ insert: ns, document: { _id } });
const failed = (code: number) => ({ ok: 0, code });

describe('bulkWrite', () => {
  it.each<Case>([
    [
      'counts and shows each operation',
      [insert(3), { update: 0, filter: { _id: 1 }, updateMods: { $inc: { n: 1 } } }, { delete: 0, filter: { _id: 2 } }],
      {
        ok: 1,
        nErrors: 0,
        nInserted: 1,
        nMatched: 1,
        nModified: 1,
        nUpserted: 0,
        nDeleted: 1,
        ...shown({ ok: 1, idx: 0, n: 1 }, { ok: 1, idx: 1, n: 1, nModified: 1 }, { ok: 1, idx: 2, n: 1 }),
      },
      [{ _id: 1, n: 2 }, { _id: 3 }],
    ],
    [
      'shows errors only when asked to',
      [insert(3), insert(1)],
      {
        nErrors: 1,
        nInserted: 1,
        ...shown({ ok: 0, idx: 1, n: 0, code: 11000, keyPattern: { _id: 1 }, keyValue: { _id: 1 } }),
      },
      [...SEED, { _id: 3 }],
      { errorsOnly: true },
    ],
    ['shows nothing when nothing failed', [insert(3)], shown(), [...SEED, { _id: 3 }], { errorsOnly: true }],
    [
      'stops at the first error',
      [insert(1), insert(3)],
      { nErrors: 1, nInserted: 0, ...shown({ ok: 0, idx: 0 }) },
      SEED,
    ],
    [
      'goes on when unordered, and shows in order',
      [insert(3), insert(1), insert(4)],
      { nErrors: 1, nInserted: 2, ...shown({ ok: 1, idx: 0 }, { ok: 0, idx: 1 }, { ok: 1, idx: 2 }) },
      [...SEED, { _id: 3 }, { _id: 4 }],
      { ordered: false },
    ],
    [
      'works on several collections',
      [
        insert(1, 1),
        { delete: 1, filter: {} },
        { update: 1, filter: { _id: 9 }, updateMods: { $set: { n: 1 } }, upsert: true },
      ],
      {
        nInserted: 1,
        nDeleted: 1,
        nUpserted: 1,
        ...shown({ idx: 0 }, { idx: 1 }, { idx: 2, n: 1, nModified: 0, upserted: { _id: 9 } }),
      },
      SEED,
    ],
    [
      'upserts an _id of null',
      [{ update: 0, filter: { _id: null }, updateMods: { $set: { n: 0 } }, upsert: true }],
      { nUpserted: 1, ...shown({ upserted: { _id: null } }) },
      [{ _id: null, n: 0 }, ...SEED],
    ],
    [
      'updates and removes many',
      [
        { update: 0, filter: {}, updateMods: { $inc: { n: 1 } }, multi: true },
        { delete: 0, filter: { n: { $gt: 2 } }, multi: true },
      ],
      { nMatched: 2, nModified: 2, nDeleted: 1 },
      [{ _id: 1, n: 2 }],
    ],
    [
      'replaces',
      [{ update: 0, filter: { _id: 1 }, updateMods: { z: 1 } }],
      { nModified: 1 },
      [{ _id: 1, z: 1 }, SEED[1] as Anything],
    ],
    [
      'updates by a pipeline with constants',
      [{ update: 0, filter: { _id: 1 }, updateMods: [{ $set: { n: '$$k' } }], constants: { k: 7 } }],
      { nModified: 1 },
      [{ _id: 1, n: 7 }, SEED[1] as Anything],
    ],
    [
      'takes the first by sort',
      [{ update: 0, filter: {}, updateMods: { $set: { n: 9 } }, sort: { n: -1 } }],
      { nModified: 1 },
      [SEED[0] as Anything, { _id: 2, n: 9 }],
    ],
    [
      'shares variables of let',
      [{ delete: 0, filter: { $expr: { $eq: ['$n', '$$x'] } } }],
      { nDeleted: 1 },
      [SEED[0] as Anything],
      { let: { x: 2 } },
    ],
    [
      'obeys a hint, and refuses one that names no index',
      [
        { delete: 0, filter: {}, hint: '_id_' },
        { delete: 0, filter: {}, hint: 'nope' },
      ],
      { nDeleted: 1, nErrors: 1, ...shown({ ok: 1 }, { ok: 0, code: 2 }) },
      [SEED[1] as Anything],
    ],
    [
      'shows results in batches',
      [insert(3), insert(4)],
      shown({ idx: 0 }),
      [...SEED, { _id: 3 }, { _id: 4 }],
      { cursor: { batchSize: 1 } },
    ],
    [
      'refuses a collation there is no equivalent for before anything has run',
      [insert(3), { delete: 0, filter: {}, collation: { locale: 'de', strength: 4 } }],
      failed(238),
      SEED,
    ],
    ['refuses an operation there is not', [insert(3), { frob: 0 }], failed(9), SEED],
    ['refuses a namespace that is not listed', [insert(3), insert(4, 7)], failed(2), SEED],
    ['refuses an unknown field', [insert(3), { delete: 0, filter: {}, frob: 1 }], failed(40415), SEED],
    ['needs a document to insert', [insert(3), { insert: 0 }], failed(40414), SEED],
    ['needs a filter', [insert(3), { delete: 0 }], failed(40414), SEED],
    ['needs an update', [insert(3), { update: 0, filter: {} }], failed(40414), SEED],
    ['refuses a namespace without a collection', [insert(3)], failed(73), SEED, { nsInfo: [{ ns: 'nodot' }] }],
    ['refuses no operations', [], failed(16), SEED],
  ])('%s', (...given) => check(given));

  it('stands on admin only', async () => {
    const command = { bulkWrite: 1, ops: [insert(1)], nsInfo: [{ ns: 'test.x' }] };
    expect(await replyOf(engine.db, command)).toMatchObject(failed(13));
  });

  it('gives the driver more results than one message holds', async () => {
    const many = Array.from({ length: 3000 }, (_, _id) => ({
      namespace: 'test.many',
      name: 'insertOne',
      document: { _id },
    }));
    const models = many as unknown as AnyClientBulkWriteModel<Document>[];
    const result = await engine.client.bulkWrite(models, { verboseResults: true });
    expect(result).toMatchObject({ insertedCount: 3000 });
    expect(result.insertResults?.size).toBe(3000);
    const again = await failureOf(engine.client.bulkWrite(models, { ordered: false }));
    expect((again.writeErrors as Map<number, unknown>).size).toBe(3000);
  });
});

describe('bulkWrite of a collection', () => {
  it('reports what was done before an ordered error, and where it was', async () => {
    const things = engine.fresh();
    const failure = await failureOf(
      things.bulkWrite([
        { insertOne: { document: { _id: 1 } } },
        { updateOne: { filter: { _id: 1 }, update: { $set: { a: 1 } } } },
        { insertOne: { document: { _id: 1 } } },
        { insertOne: { document: { _id: 2 } } },
      ]),
    );
    expect(failure).toMatchObject({ code: 11000, result: { insertedCount: 1, modifiedCount: 1 } });
    expect(failure.writeErrors).toMatchObject([{ index: 2, err: { op: { _id: 1 } } }]);
    expect(await things.find().toArray()).toEqual([{ _id: 1, a: 1 }]);
  });

  it('goes on over errors of each kind when unordered', async () => {
    const things = engine.fresh();
    await things.insertOne({ _id: 1, n: 'text' });
    const failure = await failureOf(
      things.bulkWrite(
        [
          { insertOne: { document: { _id: 1 } } },
          { updateOne: { filter: { _id: 1 }, update: { $inc: { n: 1 } } } },
          { deleteOne: { filter: { _id: 1 }, hint: 'nope' } },
          { insertOne: { document: { _id: 2 } } },
        ],
        { ordered: false },
      ),
    );
    expect((failure.writeErrors as { index: number; code: number }[]).map(({ index, code }) => [index, code])).toEqual([
      [0, 11000],
      [1, 14],
      [2, 2],
    ]);
    expect(await things.countDocuments()).toBe(2);
  });
});
