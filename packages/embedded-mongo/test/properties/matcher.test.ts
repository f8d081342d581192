import { serialize } from 'bson';
import fc from 'fast-check';
import { type Document } from 'mongodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { decode } from '../../src/bson/decode.ts';
import { parseFilter } from '../../src/query/filter.ts';
import { matches } from '../../src/query/match.ts';
import { compareKeys, parseSort, sortKey } from '../../src/query/sort.ts';
import { addIndex, type Anything, startTestEngine, type TestEngine } from '../engine.ts';
import { scalar, value } from './values.ts';

let engine: TestEngine;
beforeAll(async () => {
  engine = await startTestEngine();
});
afterAll(() => engine[Symbol.asyncDispose]());

const doc = fc.record({ a: value, b: scalar, c: scalar }, { requiredKeys: [] });
const orders = fc
  .record({ $gt: scalar, $gte: scalar, $lt: scalar, $lte: scalar }, { requiredKeys: [] })
  .filter((one) => Object.keys(one).length > 0);
const operand = fc.oneof(scalar, fc.record({ x: scalar }), fc.array(scalar, { maxLength: 2 }));

/** Conditions of every operator, the negation and the quantifiers over others. */
const { condition } = fc.letrec<{ condition: unknown; operators: Document }>((tie) => ({
  operators: fc.oneof(
    { maxDepth: 2 },
    orders,
    fc.record({ $in: fc.array(fc.oneof(operand, fc.constantFrom(/^a/, /b$/)), { maxLength: 3 }) }),
    fc.record({ $nin: fc.array(operand, { maxLength: 3 }) }),
    fc.record({ $eq: operand }),
    fc.record({ $ne: operand }),
    fc.record({ $exists: fc.boolean() }),
    fc.record({ $type: fc.constantFrom('number', 'decimal', 'string', 'null', 'array', 'object', 'double') }),
    fc.record({ $regex: fc.constantFrom('^a', 'b$', '(?i)A', '^.$') }),
    fc.record({ $not: tie('operators') }),
  ),
  condition: fc.oneof({ maxDepth: 2 }, operand, tie('operators')),
}));

const PATHS = ['a', 'b', 'c', 'a.x', 'a.10', 'a.0', 'a.0.x', 'a.x.y'];
const fields = fc
  .array(fc.tuple(fc.constantFrom(...PATHS), condition), { minLength: 1, maxLength: 2 })
  .map((entries): Document => Object.fromEntries(entries));
const filter: fc.Arbitrary<Document> = fc.oneof(
  { weight: 4, arbitrary: fields },
  fc.record({ $or: fc.array(fields, { minLength: 1, maxLength: 3 }) }),
  fc.record({ $nor: fc.array(fields, { minLength: 1, maxLength: 2 }) }),
  fc.record({ a: condition, $or: fc.array(fields, { minLength: 1, maxLength: 3 }) }),
  fc.record({ $and: fc.array(fields, { minLength: 1, maxLength: 2 }), c: condition }),
  fc.record({ $expr: fc.record({ $eq: fc.tuple(fc.constantFrom('$a', '$b', '$a.x'), scalar) }) }),
);

const INDEXES: Record<string, 1 | -1>[] = [
  { a: 1 },
  { b: 1, c: -1 },
  { c: 1, b: 1 },
  { 'a.x': 1 },
  { b: -1, a: 1 },
  { c: -1, 'a.x': 1 },
];

describe('find over the wire', () => {
  it('gives what the matcher passes of all documents, with indexes and without, and in the order asked for', async () => {
    let round = 0;
    const sort = fc.constantFrom<Record<string, 1 | -1>>({}, { c: 1 }, { b: 1, c: -1 }, { b: -1, c: 1 });
    await fc.assert(
      fc.asyncProperty(
        fc.array(doc, { minLength: 1, maxLength: 25 }),
        fc.array(fc.tuple(filter, sort), { minLength: 10, maxLength: 10 }),
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
            const parsed = parseFilter(decode(serialize(query)));
            const expected = stored.filter((one) => matches(parsed, decode(serialize(one)))).map((one) => one._id);
            const read = async (from: typeof plain): Promise<Buffer[]> =>
              (await from.find(query, { sort: order, batchSize: 3, raw: true }).toArray()) as unknown as Buffer[];
            const [scanned, walked] = await Promise.all([read(plain), read(indexed)]);
            const ids = (found: Buffer[]): number[] => found.map((bytes) => Number(decode(bytes)['_id']));
            expect(ids(scanned).toSorted((x, y) => x - y)).toEqual(expected);
            expect(ids(walked).toSorted((x, y) => x - y)).toEqual(expected);
            expect(await indexed.countDocuments(query)).toBe(expected.length);
            const by = parseSort(order);
            for (const found of [scanned, walked]) {
              const keys = found.map((bytes) => sortKey(decode(bytes), by));
              for (const [at, key] of keys.entries())
                expect(compareKeys(keys[at - 1] ?? key, key, by)).toBeLessThanOrEqual(0);
            }
          }
          await plain.drop();
          await indexed.drop();
        },
      ),
      { numRuns: 40 },
    );
  });

  it('divides the documents in those that a condition finds and those that its negation finds', async () => {
    const things = engine.db.collection<Anything>('negation');
    await fc.assert(
      fc.asyncProperty(fc.array(doc, { minLength: 1, maxLength: 15 }), fields, async (docs, query) => {
        await things.deleteMany({});
        await things.insertMany(docs.map((one, _id) => ({ _id, ...one })));
        const [found, rest] = [await things.countDocuments(query), await things.countDocuments({ $nor: [query] })];
        expect(found + rest).toBe(docs.length);
      }),
      { numRuns: 100 },
    );
  });
});
