import type { Db, Document } from 'mongodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addIndex, type Anything, replyOf, startTestEngine, type TestEngine } from '../engine.ts';

let engine: TestEngine;
let made = 0;
beforeAll(async () => {
  engine = await startTestEngine();
});
afterAll(() => engine[Symbol.asyncDispose]());

type Case = [title: string, command: Document, reply: Document, indexes?: string[]];
const failed = (code: number, codeName?: string) => ({ ok: 0, code, ...(codeName ? { codeName } : {}) });

/** On a database of its own with the collections `a` and `b`; `a` has three documents and the indexes `n_1` and `u`. */
async function seeded(): Promise<Db> {
  const db = engine.client.db(`m${++made}`);
  await db.collection<Anything>('a').insertMany([{ _id: 1, n: 1 }, { _id: 2, n: 1 }, { _id: 3 }]);
  await db.collection('a').createIndexes([
    { key: { n: 1 }, name: 'n_1' },
    { key: { u: 1 }, name: 'u', unique: true, sparse: true, expireAfterSeconds: 60 },
  ]);
  await db.createCollection('b');
  return db;
}

async function check([, command, reply, indexes]: Case): Promise<void> {
  const db = await seeded();
  expect(await replyOf(db, command)).toMatchObject(reply);
  if (indexes) expect((await db.collection('a').indexes()).map((index) => index['name'])).toEqual(indexes);
}

describe('create', () => {
  it.each<Case>([
    ['makes a collection', { create: 'c' }, { ok: 1 }],
    ['is content with one that is there in the same shape', { create: 'a' }, { ok: 1 }],
    ['takes options that ask for nothing', { create: 'c', capped: false, collation: { locale: 'simple' } }, { ok: 1 }],
    ['refuses a capped collection', { create: 'c', capped: true, size: 1000 }, failed(238, 'NotImplemented')],
    ['refuses a view', { create: 'c', viewOn: 'a', pipeline: [] }, failed(238)],
    ['refuses a validator', { create: 'c', validator: { n: 1 } }, failed(238)],
    ['refuses a time series', { create: 'c', timeseries: { timeField: 't' } }, failed(238)],
    ['refuses a clustered index', { create: 'c', clusteredIndex: { key: { _id: 1 }, unique: true } }, failed(238)],
    ['refuses images before changes', { create: 'c', changeStreamPreAndPostImages: { enabled: true } }, failed(238)],
    ['refuses encrypted fields', { create: 'c', encryptedFields: { fields: [] } }, failed(238)],
    ['refuses another collation', { create: 'c', collation: { locale: 'de' } }, failed(238)],
    ['refuses an unknown field', { create: 'c', frob: 1 }, failed(40415)],
    ['refuses an empty name', { create: '' }, failed(73, 'InvalidNamespace')],
    ['refuses a dollar in the name', { create: 'a$b' }, failed(73)],
    ['refuses a leading dot', { create: '.a' }, failed(73)],
    ['refuses a name that is no text', { create: 1 }, failed(73)],
  ])('%s', (...given) => check(given));
});

describe('drop', () => {
  it.each<Case>([
    ['says how many indexes went with it', { drop: 'a' }, { ok: 1, nIndexesWas: 3, ns: expect.stringMatching(/\.a$/) }],
    ['is content with nothing', { drop: 'none' }, { ok: 1 }],
    ['of the database', { dropDatabase: 1 }, { ok: 1, dropped: expect.stringMatching(/^m\d+$/) }],
    ['of the database wants the number 1', { dropDatabase: 2 }, failed(5255100)],
  ])('%s', (...given) => check(given));
});

describe('listCollections', () => {
  const list = (rest: Document) => ({ listCollections: 1, ...rest });
  const found = (...names: string[]) => ({ ok: 1, cursor: { firstBatch: names.map((name) => ({ name })) } });
  it.each<Case>([
    [
      'describes each',
      list({}),
      {
        cursor: {
          firstBatch: [
            {
              name: 'a',
              type: 'collection',
              options: {},
              info: { readOnly: false },
              idIndex: { v: 2, key: { _id: 1 }, name: '_id_' },
            },
            { name: 'b' },
          ],
        },
      },
    ],
    ['gives names only', list({ nameOnly: true }), found('a', 'b')],
    ['filters by name', list({ filter: { name: 'b' } }), found('b')],
    ['filters by type', list({ filter: { type: 'view' } }), found()],
    [
      'filters by what names only leave out',
      list({ filter: { 'info.readOnly': false }, nameOnly: true }),
      found('a', 'b'),
    ],
    ['filters with operators', list({ filter: { name: { $in: ['a', 'z'] } } }), found('a')],
    ['gives batches', list({ cursor: { batchSize: 1 } }), found('a')],
    ['gives nothing of a database that is not there', list({ $db: 'nowhere' }), { ok: 1 }],
    ['refuses a filter that is no document', list({ filter: 1 }), failed(14)],
    ['refuses an unknown field', list({ frob: 1 }), failed(40415)],
  ])('%s', (...given) => check(given));

  it('has a cursor that goes on', async () => {
    const db = await seeded();
    expect(
      await db
        .listCollections({}, { batchSize: 1 })
        .map(({ name }) => name)
        .toArray(),
    ).toEqual(['a', 'b']);
  });
});

describe('listDatabases', () => {
  const list = async (command: Document, name = 'admin') => {
    const db = await seeded();
    return { own: db.databaseName, reply: await replyOf(engine.client.db(name), { listDatabases: 1, ...command }) };
  };

  it('says what is in each', async () => {
    const { own, reply } = await list({});
    expect(reply).toMatchObject({ ok: 1, totalSize: expect.any(Number) });
    const mine = reply['databases'].find(({ name }: Document) => name === own);
    expect(mine).toEqual({ name: own, sizeOnDisk: expect.any(Number), empty: false });
    expect(mine.sizeOnDisk).toBeGreaterThan(0);
  });

  it('gives names only, and filters', async () => {
    const { own, reply } = await list({ nameOnly: true });
    expect(reply['databases']).toContainEqual({ name: own });
    const filtered = (await list({ nameOnly: true, filter: { name: /^m1$/ } })).reply;
    expect(filtered['databases']).toEqual([{ name: 'm1' }]);
  });

  it('stands on admin only', async () => {
    expect((await list({}, 'other')).reply).toMatchObject(failed(13, 'Unauthorized'));
  });
});

describe('createIndexes', () => {
  const make = (...indexes: Document[]) => ({ createIndexes: 'a', indexes });
  const KEPT = ['_id_', 'n_1', 'u'];
  it.each<Case>([
    [
      'counts before and after',
      make({ key: { z: 1 }, name: 'z' }),
      { ok: 1, numIndexesBefore: 3, numIndexesAfter: 4, createdCollectionAutomatically: false },
      [...KEPT, 'z'],
    ],
    [
      'makes the collection',
      { createIndexes: 'new', indexes: [{ key: { z: 1 }, name: 'z' }] },
      { numIndexesBefore: 1, numIndexesAfter: 2, createdCollectionAutomatically: true },
    ],
    [
      'notes what is there already',
      make({ key: { n: 1 }, name: 'n_1' }),
      { ok: 1, note: 'all indexes already exist', numIndexesAfter: 3 },
      KEPT,
    ],
    [
      'takes the same key with another number type',
      make({ key: { n: 1.0 }, name: 'n_1', background: true }),
      { note: 'all indexes already exist' },
    ],
    [
      'knows the index on _id by any name',
      make({ key: { _id: 1 }, name: 'mine' }),
      { note: 'all indexes already exist' },
    ],
    [
      'lets the same keys stand beside each other when one is unique',
      make({ key: { z: 1, n: 1 }, name: 'x' }, { key: { z: 1, n: 1 }, name: 'y', sparse: true }),
      { numIndexesAfter: 5 },
    ],
    [
      'refuses the same index under another name',
      make({ key: { n: 1 }, name: 'other' }),
      failed(85, 'IndexOptionsConflict'),
      KEPT,
    ],
    [
      'refuses other keys under the same name',
      make({ key: { z: 1 }, name: 'n_1' }),
      failed(86, 'IndexKeySpecsConflict'),
      KEPT,
    ],
    [
      'refuses another uniqueness under the same name',
      make({ key: { n: 1 }, name: 'n_1', unique: true }),
      failed(86),
      KEPT,
    ],
    [
      'refuses another time to live',
      make({ key: { u: 1 }, name: 'u', unique: true, sparse: true, expireAfterSeconds: 5 }),
      failed(85),
      KEPT,
    ],
    [
      'refuses a unique index over duplicates, and makes none of the others',
      make({ key: { z: 1 }, name: 'z' }, { key: { n: 1 }, name: 'uniq', unique: true }),
      { ...failed(11000), keyPattern: { n: 1 }, keyValue: { n: 1 } },
      KEPT,
    ],
    ['refuses no indexes', make(), failed(2, 'BadValue')],
    ['needs a key', make({ name: 'z' }), failed(9)],
    ['needs a name', make({ key: { z: 1 } }), failed(9)],
    ['refuses an empty key', make({ key: {}, name: 'z' }), failed(67, 'CannotCreateIndex')],
    ['refuses a direction of 0', make({ key: { z: 0 }, name: 'z' }), failed(67)],
    ['refuses a direction that is no number', make({ key: { z: true }, name: 'z' }), failed(67)],
    ['refuses a kind nobody knows', make({ key: { z: 'frob' }, name: 'z' }), failed(67)],
    ['refuses a text index', make({ key: { z: 'text' }, name: 'z' }), failed(238)],
    ['refuses a hashed index', make({ key: { z: 'hashed' }, name: 'z' }), failed(238)],
    ['refuses a wildcard index', make({ key: { '$**': 1 }, name: 'z' }), failed(238)],
    ['refuses a hidden index', make({ key: { z: 1 }, name: 'z', hidden: true }), failed(238)],
    ['refuses an empty part of a path', make({ key: { 'z..y': 1 }, name: 'z' }), failed(67)],
    ['refuses the name *', make({ key: { z: 1 }, name: '*' }), failed(2)],
    ['refuses an empty name', make({ key: { z: 1 }, name: '' }), failed(67)],
    ['refuses the name of the _id index', make({ key: { z: 1 }, name: '_id_' }), failed(2), KEPT],
    [
      'refuses an option nobody knows',
      make({ key: { z: 1 }, name: 'z', frob: 1 }),
      failed(197, 'InvalidIndexSpecificationOption'),
    ],
    ['refuses options on the _id index', make({ key: { _id: 1 }, name: '_id_', sparse: true }), failed(197)],
    ['refuses a TTL over two fields', make({ key: { z: 1, y: 1 }, name: 'z', expireAfterSeconds: 1 }), failed(67)],
    ['refuses a negative TTL', make({ key: { z: 1 }, name: 'z', expireAfterSeconds: -1 }), failed(67)],
    ['refuses a TTL that is no number', make({ key: { z: 1 }, name: 'z', expireAfterSeconds: 'x' }), failed(67)],
    [
      'refuses sparse with a partial filter',
      make({ key: { z: 1 }, name: 'z', sparse: true, partialFilterExpression: { y: 1 } }),
      failed(67),
    ],
    [
      'refuses what a partial filter may not ask',
      make({ key: { z: 1 }, name: 'z', partialFilterExpression: { y: { $ne: 1 } } }),
      failed(67),
    ],
    ['refuses another collation', make({ key: { z: 1 }, name: 'z', collation: { locale: 'de' } }), failed(238)],
    [
      'refuses 33 fields',
      make({ key: Object.fromEntries(Array.from({ length: 33 }, (_, n) => [`f${n}`, 1])), name: 'z' }),
      failed(13103),
    ],
  ])('%s', (...given) => check(given));
});

describe('listIndexes', () => {
  it('gives every index with its options, in batches too', async () => {
    const db = await seeded();
    const expected = [
      { v: 2, key: { _id: 1 }, name: '_id_' },
      { v: 2, key: { n: 1 }, name: 'n_1' },
      { v: 2, key: { u: 1 }, name: 'u', unique: true, sparse: true, expireAfterSeconds: 60 },
    ];
    expect(await db.collection('a').listIndexes().toArray()).toEqual(expected);
    expect(await db.collection('a').listIndexes({ batchSize: 1 }).toArray()).toEqual(expected);
  });

  it('refuses a collection that is not there', () =>
    check(['', { listIndexes: 'none' }, failed(26, 'NamespaceNotFound')]));
});

describe('dropIndexes', () => {
  const drop = (index: unknown) => ({ dropIndexes: 'a', index });
  it.each<Case>([
    ['drops by name', drop('n_1'), { ok: 1, nIndexesWas: 3 }, ['_id_', 'u']],
    ['drops by keys', drop({ n: 1 }), { ok: 1, nIndexesWas: 3 }, ['_id_', 'u']],
    ['drops by names', drop(['n_1', 'u']), { nIndexesWas: 3 }, ['_id_']],
    [
      'drops all but that on _id',
      drop('*'),
      { nIndexesWas: 3, msg: 'non-_id indexes dropped for collection' },
      ['_id_'],
    ],
    ['drops none where one is not there', drop(['n_1', 'nope']), failed(27, 'IndexNotFound'), ['_id_', 'n_1', 'u']],
    ['refuses keys nobody has', drop({ n: -1 }), failed(27)],
    ['refuses the index on _id by name', drop('_id_'), failed(72, 'InvalidOptions')],
    ['refuses the index on _id by keys', drop({ _id: 1 }), failed(72)],
    ['refuses a number', drop(1), failed(14)],
    ['needs an index', { dropIndexes: 'a' }, failed(40414)],
    ['refuses a collection that is not there', { dropIndexes: 'none', index: '*' }, failed(26)],
  ])('%s', (...given) => check(given));

  it('does not guess between two indexes of the same keys', async () => {
    const db = await seeded();
    await addIndex(db.collection<Anything>('a'), { n: 1 }, { name: 'second', sparse: true });
    expect(await replyOf(db, drop({ n: 1 }))).toMatchObject(failed(181, 'AmbiguousIndexKeyPattern'));
  });
});

describe('what any command may carry', () => {
  const ping = (rest: Document) => ({ count: 'a', ...rest });
  it.each<Case>([
    ['API version 1', ping({ apiVersion: '1', apiStrict: true, apiDeprecationErrors: true }), { ok: 1 }],
    ['no other version', ping({ apiVersion: '2' }), failed(322)],
    ['no strictness without a version', ping({ apiStrict: true }), failed(72)],
    [
      'nothing strict beyond the version',
      { distinct: 'a', key: 'n', apiVersion: '1', apiStrict: true },
      failed(323, 'APIStrictError'),
    ],
    [
      'nothing strict with stages beyond the version',
      { aggregate: 1, pipeline: [{ $listLocalSessions: {} }], cursor: {}, apiVersion: '1', apiStrict: true },
      failed(323),
    ],
    ['a comment', ping({ comment: 'why' }), { ok: 1 }],
    ['a time limit', ping({ maxTimeMS: 1000 }), { ok: 1 }],
    ['no negative time limit', ping({ maxTimeMS: -1 }), failed(2)],
    ['no time limit that is no number', ping({ maxTimeMS: 'x' }), failed(14)],
    ['no transaction', ping({ startTransaction: true, autocommit: false }), failed(263)],
    ['no end of one', { commitTransaction: 1 }, failed(59)],
    ['no fail point', { configureFailPoint: 'failCommand', mode: 'off' }, failed(59, 'CommandNotFound')],
    ['no property of objects as a command', { constructor: 1 }, failed(59)],
  ])('%s', (...given) => check(given));
});
