import type { Document } from 'mongodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addIndex, type Anything, replyOf, startTestEngine, type TestEngine } from '../engine.ts';

let engine: TestEngine;
let made = 0;
beforeAll(async () => {
  engine = await startTestEngine();
});
afterAll(() => engine[Symbol.asyncDispose]());

/** A command on `c`, what the reply holds, and what is in the collection afterwards. */
type Case = [title: string, command: Document, reply: Document, after?: Document[]];

const SEED: Anything[] = [
  { _id: 1, n: 1, u: 'a' },
  { _id: 2, n: 2, u: 'b' },
  { _id: 3, n: 3 },
];
const dup = (u: string) => ({
  code: 11000,
  keyPattern: { u: 1 },
  keyValue: { u },
  errmsg: expect.stringMatching(/^E11000 duplicate key error collection: w\d+\.c index: u_1 dup key: \{ u: "/),
});
const dupId = (_id: number) => ({ code: 11000, keyPattern: { _id: 1 }, keyValue: { _id } });
const failed = (code: number, codeName?: string) => ({ ok: 0, code, ...(codeName ? { codeName } : {}) });

/** On a database of its own with three documents and a unique, sparse index on `u`. */
async function check([, command, reply, after]: Case): Promise<void> {
  const db = engine.client.db(`w${++made}`);
  await db.collection<Anything>('c').insertMany(SEED);
  await addIndex(db.collection<Anything>('c'), { u: 1 }, { unique: true, sparse: true });
  expect(await replyOf(db, command)).toMatchObject(reply);
  if (after) expect(await db.collection('c').find().sort({ _id: 1 }).toArray()).toEqual(after);
}

const [one, two, three] = SEED as [Anything, Anything, Anything];

describe('insert', () => {
  it.each<Case>([
    [
      'gives the count',
      { insert: 'c', documents: [{ _id: 4 }, { _id: 5 }] },
      { ok: 1, n: 2 },
      [...SEED, { _id: 4 }, { _id: 5 }],
    ],
    ['gives an _id to a document without', { insert: 'c', documents: [{ a: 1 }] }, { ok: 1, n: 1 }],
    ['takes an _id of null', { insert: 'c', documents: [{ _id: null }] }, { n: 1 }, [{ _id: null }, ...SEED]],
    [
      'names index, pattern and value of a duplicate key',
      { insert: 'c', documents: [{ _id: 4, u: 'a' }] },
      { ok: 1, n: 0, writeErrors: [{ index: 0, ...dup('a') }] },
      SEED,
    ],
    [
      'stops at the first error when ordered',
      { insert: 'c', documents: [{ _id: 4 }, { _id: 1 }, { _id: 5 }] },
      { n: 1, writeErrors: [{ index: 1, ...dupId(1) }] },
      [...SEED, { _id: 4 }],
    ],
    [
      'goes on when unordered',
      { insert: 'c', documents: [{ _id: 1 }, { _id: 4 }, { _id: 2 }, { _id: 5 }], ordered: false },
      {
        n: 2,
        writeErrors: [
          { index: 0, ...dupId(1) },
          { index: 2, ...dupId(2) },
        ],
      },
      [...SEED, { _id: 4 }, { _id: 5 }],
    ],
    [
      'meets duplicates within its own documents',
      {
        insert: 'c',
        documents: [
          { _id: 7, u: 'z' },
          { _id: 8, u: 'z' },
        ],
      },
      { n: 1, writeErrors: [{ index: 1, ...dup('z') }] },
    ],
    ['makes the collection', { insert: 'fresh', documents: [{ _id: 1 }] }, { ok: 1, n: 1 }],
    ['refuses an empty batch', { insert: 'c', documents: [] }, failed(16, 'InvalidLength')],
    ['needs documents', { insert: 'c' }, failed(40414)],
    ['refuses documents that are none', { insert: 'c', documents: [1] }, failed(14, 'TypeMismatch')],
    [
      'refuses an array as _id',
      { insert: 'c', documents: [{ _id: [1] }] },
      { n: 0, writeErrors: [{ index: 0, code: 53 }] },
    ],
    [
      'refuses a regular expression as _id',
      { insert: 'c', documents: [{ _id: /a/ }] },
      { writeErrors: [{ code: 53 }] },
    ],
    [
      'refuses an _id with a dollar field',
      { insert: 'c', documents: [{ _id: { $a: 1 } }] },
      { writeErrors: [{ code: 52 }] },
    ],
    ['takes an _id with a dotted field', { insert: 'c', documents: [{ _id: { 'a.b': 1 } }] }, { n: 1 }],
    ['takes fields with dots and dollars', { insert: 'c', documents: [{ _id: 4, $a: 1, 'b.c': 2 }] }, { n: 1 }],
    ['refuses an unknown field', { insert: 'c', documents: [{}], frob: 1 }, failed(40415)],
    ['refuses ordered as text', { insert: 'c', documents: [{}], ordered: 'yes' }, failed(14)],
    ['takes 0 for ordered: false', { insert: 'c', documents: [{ _id: 1 }, { _id: 4 }], ordered: 0 }, { n: 1 }],
    [
      'takes bypassDocumentValidation',
      { insert: 'c', documents: [{ _id: 4 }], bypassDocumentValidation: true },
      { n: 1 },
    ],
    ['refuses a system collection', { insert: 'system.users', documents: [{}] }, failed(73, 'InvalidNamespace')],
    ['refuses a zero byte in the name', { insert: 'a\0b', documents: [{}] }, failed(73)],
    ['refuses a name that is no string', { insert: 1, documents: [{}] }, failed(73, 'InvalidNamespace')],
    ['refuses an empty name', { insert: '', documents: [{}] }, failed(73)],
    [
      'refuses a transaction number without a session',
      { insert: 'c', documents: [{}], startTransaction: true },
      failed(263),
    ],
  ])('%s', (...given) => check(given));
});

describe('update', () => {
  const update = (...updates: Document[]) => ({ update: 'c', updates });
  it.each<Case>([
    ['changes the first match', update({ q: { n: { $gt: 1 } }, u: { $set: { n: 9 } } }), { ok: 1, n: 1, nModified: 1 }],
    ['changes all with multi', update({ q: {}, u: { $inc: { n: 1 } }, multi: true }), { n: 3, nModified: 3 }],
    [
      'counts a match that changes nothing',
      update({ q: { _id: 1 }, u: { $set: { n: 1 } } }),
      { n: 1, nModified: 0 },
      SEED,
    ],
    ['changes nothing without a match', update({ q: { _id: 9 }, u: { $set: { n: 1 } } }), { n: 0, nModified: 0 }, SEED],
    ['replaces', update({ q: { _id: 1 }, u: { z: 1 } }), { n: 1, nModified: 1 }, [{ _id: 1, z: 1 }, two, three]],
    [
      'upserts, with index and _id',
      update({ q: { _id: 1 }, u: { $set: { n: 5 } } }, { q: { _id: 9 }, u: { $set: { n: 5 } }, upsert: true }),
      { n: 2, nModified: 1, upserted: [{ index: 1, _id: 9 }] },
      [{ ...one, n: 5 }, two, three, { _id: 9, n: 5 }],
    ],
    [
      'orders by sort when it changes one',
      update({ q: {}, u: { $set: { first: true } }, sort: { n: -1 } }),
      { n: 1 },
      [one, two, { ...three, first: true }],
    ],
    [
      'upserts an _id of null',
      update({ q: { _id: null }, u: { $set: { n: 5 } }, upsert: true }),
      { n: 1, upserted: [{ index: 0, _id: null }] },
      [{ _id: null, n: 5 }, ...SEED],
    ],
    [
      'upserts a replacement with an _id of null',
      update({ q: { _id: null }, u: { n: 5 }, upsert: true }),
      { n: 1 },
      [{ _id: null, n: 5 }, ...SEED],
    ],
    [
      'takes constants of a pipeline',
      update({ q: { _id: 1 }, u: [{ $set: { n: '$$k' } }], c: { k: 7 } }),
      { n: 1 },
      [{ ...one, n: 7 }, two, three],
    ],
    [
      'takes array filters',
      update({ q: { _id: 1 }, u: { $set: { 'l.$[x]': 0 } }, arrayFilters: [{ x: 1 }] }),
      { writeErrors: [{ code: 2 }] },
    ],
    [
      'refuses sort with multi',
      update({ q: {}, u: { $set: { a: 1 } }, multi: true, sort: { n: 1 } }),
      { writeErrors: [{ code: 9 }] },
      SEED,
    ],
    [
      'refuses multi with a replacement',
      update({ q: {}, u: { a: 1 }, multi: true }),
      { writeErrors: [{ code: 9 }] },
      SEED,
    ],
    [
      'stops at the first error when ordered',
      update({ q: { _id: 1 }, u: { $set: { u: 'b' } } }, { q: { _id: 2 }, u: { $set: { n: 0 } } }),
      { n: 0, nModified: 0, writeErrors: [{ index: 0, ...dup('b') }] },
      SEED,
    ],
    [
      'goes on when unordered',
      {
        ...update({ q: { _id: 1 }, u: { $set: { u: 'b' } } }, { q: { _id: 2 }, u: { $set: { n: 0 } } }),
        ordered: false,
      },
      { n: 1, nModified: 1, writeErrors: [{ index: 0, ...dup('b') }] },
      [one, { ...two, n: 0 }, three],
    ],
    ['refuses a changed _id', update({ q: { _id: 1 }, u: { $set: { _id: 2 } } }), { writeErrors: [{ code: 66 }] }],
    ['refuses an unknown operator', update({ q: {}, u: { $frob: { a: 1 } } }), { writeErrors: [{ code: 9 }] }],
    [
      'refuses an unknown filter operator',
      update({ q: { $frob: 1 }, u: { $set: { a: 1 } } }),
      { writeErrors: [{ code: 2 }] },
    ],
    ['refuses an unknown hint', update({ q: {}, u: { $set: { a: 1 } }, hint: 'nope' }), { writeErrors: [{ code: 2 }] }],
    [
      'takes a hint by name and by keys',
      update(
        { q: { _id: 1 }, u: { $set: { a: 1 } }, hint: '_id_' },
        { q: { _id: 2 }, u: { $set: { a: 1 } }, hint: { _id: 1 } },
      ),
      { n: 2 },
    ],
    [
      'refuses an unknown field of a statement before any has run',
      update({ q: { _id: 1 }, u: { $set: { n: 5 } } }, { q: {}, u: {}, frob: 1 }),
      failed(40415),
      SEED,
    ],
    ['needs a filter', update({ u: { $set: { a: 1 } } }), failed(40414)],
    ['needs an update', update({ q: {} }), failed(40414)],
    [
      'refuses a collation there is no equivalent for',
      update({ q: {}, u: { $set: { a: 1 } }, collation: { locale: 'de', strength: 4 } }),
      failed(238, 'NotImplemented'),
    ],
    [
      'takes the simple collation',
      update({ q: { _id: 1 }, u: { $set: { a: 1 } }, collation: { locale: 'simple' } }),
      { n: 1 },
    ],
    [
      'shares variables of let',
      { ...update({ q: { $expr: { $eq: ['$n', '$$x'] } }, u: { $set: { hit: true } } }), let: { x: 2 } },
      { n: 1 },
      [one, { ...two, hit: true }, three],
    ],
    ['refuses upsert as text', update({ q: {}, u: { $set: { a: 1 } }, upsert: 'yes' }), failed(14)],
    ['refuses an empty batch', update(), failed(16)],
  ])('%s', (...given) => check(given));
});

describe('delete', () => {
  const remove = (...deletes: Document[]) => ({ delete: 'c', deletes });
  it.each<Case>([
    ['removes one', remove({ q: {}, limit: 1 }), { ok: 1, n: 1 }, [two, three]],
    ['removes all that match', remove({ q: { n: { $lt: 3 } }, limit: 0 }), { n: 2 }, [three]],
    ['removes nothing without a match', remove({ q: { _id: 9 }, limit: 0 }), { n: 0 }, SEED],
    ['removes nothing where nothing is', { delete: 'none', deletes: [{ q: {}, limit: 0 }] }, { ok: 1, n: 0 }],
    ['runs several statements', remove({ q: { _id: 1 }, limit: 1 }, { q: { _id: 3 }, limit: 1 }), { n: 2 }, [two]],
    ['needs a limit', remove({ q: {} }), failed(40414), SEED],
    [
      'refuses a limit of 2',
      remove({ q: { _id: 1 }, limit: 1 }, { q: {}, limit: 2 }),
      failed(9, 'FailedToParse'),
      SEED,
    ],
    [
      'refuses an unknown hint',
      remove({ q: {}, limit: 0, hint: { nope: 1 } }),
      { n: 0, writeErrors: [{ code: 2 }] },
      SEED,
    ],
    [
      'goes on when unordered',
      { ...remove({ q: { $frob: 1 }, limit: 0 }, { q: { _id: 1 }, limit: 1 }), ordered: false },
      { n: 1, writeErrors: [{ index: 0, code: 2 }] },
    ],
    [
      'refuses a collation there is no equivalent for',
      remove({ q: {}, limit: 0, collation: { locale: 'fr', backwards: true } }),
      failed(238),
      SEED,
    ],
    ['refuses a sort', remove({ q: {}, limit: 1, sort: { n: 1 } }), failed(40415), SEED],
  ])('%s', (...given) => check(given));
});

describe('findAndModify', () => {
  const modify = (rest: Document) => ({ findAndModify: 'c', ...rest });
  const set = { $set: { hit: true } };
  it.each<Case>([
    [
      'gives the document before',
      modify({ query: { _id: 1 }, update: set }),
      { value: one, lastErrorObject: { n: 1, updatedExisting: true } },
    ],
    [
      'gives the document after',
      modify({ query: { _id: 1 }, update: set, new: true }),
      { value: { ...one, hit: true } },
    ],
    [
      'gives null without a match',
      modify({ query: { _id: 9 }, update: set }),
      { value: null, lastErrorObject: { n: 0, updatedExisting: false } },
      SEED,
    ],
    [
      'upserts',
      modify({ query: { _id: 9 }, update: set, upsert: true }),
      { value: null, lastErrorObject: { n: 1, updatedExisting: false, upserted: 9 } },
    ],
    [
      'upserts and gives the new document',
      modify({ query: { _id: 9 }, update: set, upsert: true, new: true }),
      { value: { _id: 9, hit: true } },
    ],
    ['removes', modify({ query: { _id: 1 }, remove: true }), { value: one, lastErrorObject: { n: 1 } }, [two, three]],
    [
      'removes nothing without a match',
      modify({ query: { _id: 9 }, remove: true }),
      { value: null, lastErrorObject: { n: 0 } },
      SEED,
    ],
    ['takes the first by sort', modify({ sort: { n: -1 }, remove: true }), { value: three }, [one, two]],
    ['projects', modify({ query: { _id: 1 }, update: set, fields: { n: 1, _id: 0 } }), { value: { n: 1 } }],
    ['replaces', modify({ query: { _id: 1 }, update: { z: 1 }, new: true }), { value: { _id: 1, z: 1 } }],
    [
      'fails as a whole on a duplicate',
      modify({ query: { _id: 1 }, update: { $set: { u: 'b' } } }),
      { ok: 0, codeName: 'DuplicateKey', ...dup('b') },
      SEED,
    ],
    ['refuses update with remove', modify({ update: set, remove: true }), failed(9), SEED],
    ['needs update or remove', modify({}), failed(9)],
    ['refuses remove with new', modify({ remove: true, new: true }), failed(9), SEED],
    ['refuses remove with upsert', modify({ remove: true, upsert: true }), failed(9), SEED],
    ['refuses remove with arrayFilters', modify({ remove: true, arrayFilters: [{ x: 1 }] }), failed(9), SEED],
    ['refuses an unknown hint', modify({ update: set, hint: 'nope' }), failed(2), SEED],
    [
      'shares variables of let',
      modify({ query: { $expr: { $eq: ['$n', '$$x'] } }, update: set, let: { x: 3 } }),
      { value: three },
    ],
    ['is findandmodify, too', { findandmodify: 'c', query: { _id: 1 }, remove: true }, { value: one }],
    [
      'refuses a collation there is no equivalent for',
      modify({ update: set, collation: { locale: 'de', strength: 4 } }),
      failed(238),
    ],
    ['refuses an unknown field', modify({ update: set, frob: 1 }), failed(40415)],
  ])('%s', (...given) => check(given));
});

describe('a write concern', () => {
  const insert = (writeConcern: unknown) => ({ insert: 'c', documents: [{ _id: 4 }], writeConcern });
  const added = [...SEED, { _id: 4 }];
  it.each<Case>([
    ['of majority', insert({ w: 'majority', j: true, wtimeout: 100 }), { ok: 1, n: 1 }, added],
    ['of one member', insert({ w: 1, j: false }), { n: 1 }, added],
    ['that is empty', insert({}), { n: 1 }, added],
    [
      'of two members writes, and says that it was not met',
      insert({ w: 2 }),
      { n: 1, writeConcernError: { code: 100, codeName: 'UnsatisfiableWriteConcern' } },
      added,
    ],
    [
      'by a name nobody defined says so',
      insert({ w: 'most' }),
      { n: 1, writeConcernError: { code: 79, codeName: 'UnknownReplWriteConcern' } },
      added,
    ],
    ['of a negative number is refused', insert({ w: -1 }), failed(9), SEED],
    ['by tags is refused', insert({ w: { a: 1 } }), failed(238), SEED],
    ['with an unknown field is refused', insert({ w: 1, frob: 1 }), failed(40415), SEED],
    ['that is no document is refused', insert(1), failed(14), SEED],
    ['has no place in a read', { find: 'c', writeConcern: { w: 1 } }, failed(72, 'InvalidOptions')],
    [
      'has no place in an aggregation that does not write',
      { aggregate: 'c', pipeline: [], cursor: {}, writeConcern: { w: 1 } },
      failed(72),
    ],
    [
      'has its place in one that writes',
      { aggregate: 'c', pipeline: [{ $out: 'd' }], cursor: {}, writeConcern: { w: 2 } },
      { writeConcernError: { code: 100 } },
    ],
    [
      'has no place in explain',
      { explain: { delete: 'c', deletes: [{ q: {}, limit: 0 }], writeConcern: { w: 1 } } },
      failed(72),
      SEED,
    ],
  ])('%s', (...given) => check(given));
});

describe('an aggregation that writes', () => {
  const run = (...pipeline: Document[]) => ({ aggregate: 'c', pipeline, cursor: {} });
  it.each<Case>([
    ['gives an empty cursor', run({ $match: { _id: 1 } }, { $out: 'c' }), { ok: 1, cursor: { firstBatch: [] } }, [one]],
    ['merges', run({ $set: { n: 0 } }, { $merge: 'c' }), { ok: 1 }, SEED.map((doc) => ({ ...doc, n: 0 }))],
    [
      'names the document that was there',
      run({ $merge: { into: 'c', whenMatched: 'fail' } }),
      { ...failed(11000), ...dupId(1) },
      SEED,
    ],
    [
      'refuses a linearizable read',
      { ...run({ $out: 'd' }), readConcern: { level: 'linearizable' } },
      failed(72),
      SEED,
    ],
    ['writes only at its end', run({ $out: 'd' }, { $match: {} }), failed(40601), SEED],
  ])('%s', (...given) => check(given));
});
