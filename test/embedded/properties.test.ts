import { serialize } from 'bson';
import fc from 'fast-check';
import { type Document, Long } from 'mongodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { decode } from '#embedded/bson/decode.ts';
import { compare } from '#embedded/query/compare.ts';
import { parseFilter } from '#embedded/query/filter.ts';
import { matches } from '#embedded/query/match.ts';
import { KeyWriter } from '#embedded/storage/key.ts';
import { addIndex, type Anything, startTestEngine, type TestEngine } from './engine.ts';

let engine: TestEngine;
beforeAll(async () => {
  engine = await startTestEngine();
});
afterAll(() => engine[Symbol.asyncDispose]());

const scalar = fc.oneof(
  fc.integer({ min: -3, max: 3 }),
  fc.constantFrom(0.5, -0.5, NaN, null, true, false, '', 'a', 'b', 'a\0b', '😀', '\u{ffee}', new Date(0), new Date(-1)),
  fc.constantFrom(Long.fromNumber(2), Long.fromString('9007199254740993'), Long.fromString('-9007199254740993')),
);
const value = fc.oneof(
  { weight: 6, arbitrary: scalar },
  { weight: 2, arbitrary: fc.array(scalar, { maxLength: 3 }) },
  { weight: 1, arbitrary: fc.record({ x: scalar, y: scalar }, { requiredKeys: [] }) },
  { weight: 1, arbitrary: fc.array(fc.record({ x: scalar, y: scalar }, { requiredKeys: [] }), { maxLength: 2 }) },
);
const doc = fc.record({ a: value, b: scalar, c: scalar }, { requiredKeys: [] });
const operand = fc.oneof(scalar, fc.record({ x: scalar }), fc.array(scalar, { maxLength: 2 }));
const condition = fc.oneof(
  operand,
  fc
    .record({ $gt: scalar, $gte: scalar, $lt: scalar, $lte: scalar }, { requiredKeys: [] })
    .filter((one) => Object.keys(one).length > 0),
  fc.record({ $in: fc.array(scalar, { maxLength: 3 }) }),
  fc.record({ $nin: fc.array(scalar, { maxLength: 3 }) }),
  fc.record({ $ne: operand }),
  fc.record({ $exists: fc.boolean() }),
  fc.record({ $not: fc.record({ $gte: scalar }) }),
);
const fields = fc.record(
  { a: condition, b: condition, c: condition, 'a.x': condition, 'a.y': condition },
  { requiredKeys: [] },
);
const filter: fc.Arbitrary<Document> = fc.oneof(
  fields,
  fc.record({ a: condition, $or: fc.array(fields, { minLength: 1, maxLength: 3 }) }),
  fc.record({ $and: fc.array(fields, { minLength: 1, maxLength: 2 }) }),
);
const way = fc.constantFrom<1 | -1>(1, -1);
const sort = fc.oneof(
  fc.constant({}),
  fc.tuple(way, way).map(([b, c]) => ({ b, c })),
  way.map((c) => ({ c })),
);

const INDEXES: Record<string, 1 | -1>[] = [
  { a: 1 },
  { b: 1, c: -1 },
  { c: 1, b: 1 },
  { 'a.x': 1, 'a.y': -1 },
  { b: -1, a: 1 },
  { c: -1, 'a.x': 1 },
];

describe('properties', () => {
  it('an index plan, a scan and the matcher find the same documents, in the same order when sorted', async () => {
    let round = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(doc, { minLength: 1, maxLength: 25 }),
        fc.array(fc.tuple(filter, sort), { minLength: 8, maxLength: 8 }),
        async (docs, queries) => {
          const plain = engine.db.collection<Anything>(`plain${++round}`);
          const indexed = engine.db.collection<Anything>(`indexed${round}`);
          const stored = docs.map((one, _id) => ({ _id, ...one }));
          await plain.insertMany(stored);
          await indexed.createIndexes(INDEXES.map((key) => ({ key })));
          await addIndex(indexed, { b: 1 }, { sparse: true });
          await addIndex(indexed, { a: 1, b: 1 }, { partialFilterExpression: { c: { $gte: 0 } } });
          await indexed.insertMany(stored);
          for (const [query, order] of queries) {
            const read = async (from: typeof plain) => from.find(query, { sort: order, batchSize: 3 }).toArray();
            const [scanned, walked] = await Promise.all([read(plain), read(indexed)]);
            const parsed = parseFilter(decode(serialize(query)));
            const expected = stored.filter((one) => matches(parsed, decode(serialize(one)))).map((one) => one._id);
            const ids = (found: Anything[]) => found.map((one) => one._id as number).toSorted((x, y) => x - y);
            expect(ids(scanned)).toEqual(expected);
            expect(ids(walked)).toEqual(expected);
            const keys = (found: Anything[]) =>
              found.map((one) => Object.keys(order).map((field) => one[field] ?? null));
            expect(keys(walked)).toEqual(keys(scanned));
          }
          await plain.drop();
          await indexed.drop();
        },
      ),
      { numRuns: 60 },
    );
  });

  it('index keys order as the values do, ascending and descending', () => {
    const parse = (one: unknown) => decode(serialize({ v: one }))['v'];
    const key = (one: unknown, descending: boolean) => new KeyWriter().add(one, descending).add(1).finish();
    fc.assert(
      fc.property(value, value, (left, right) => {
        const [a, b] = [parse(left), parse(right)];
        const order = Math.sign(compare(a, b));
        expect(Math.sign(Buffer.compare(key(a, false), key(b, false)))).toBe(order);
        expect(Math.sign(Buffer.compare(key(a, true), key(b, true)))).toBe(order === 0 ? 0 : -order);
      }),
      { numRuns: 2000 },
    );
  });

  it('the order of values is total', () => {
    fc.assert(
      fc.property(value, value, value, (a, b, c) => {
        expect(Math.sign(compare(a, b))).toBe(-Math.sign(compare(b, a)) + 0);
        if (compare(a, b) <= 0 && compare(b, c) <= 0) expect(compare(a, c)).toBeLessThanOrEqual(0);
      }),
      { numRuns: 2000 },
    );
  });
});
