import fc from 'fast-check';
import { Decimal128, type Document, Double, Long } from 'mongodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Anything, startTestEngine, type TestEngine } from '../engine.ts';

let engine: TestEngine;
beforeAll(async () => {
  engine = await startTestEngine();
});
afterAll(() => engine[Symbol.asyncDispose]());

/** By the count command, which the driver calls deprecated. */
const countBy = async (
  from: ReturnType<TestEngine['fresh']>,
  filter: Document,
  options: Document = {},
): Promise<unknown> => (await engine.db.command({ count: from.collectionName, query: filter, ...options }))['n'];

const scalar = fc.oneof(
  fc.integer({ min: -2, max: 3 }),
  fc.constantFrom(
    0.5,
    NaN,
    -Infinity,
    null,
    true,
    false,
    '',
    'a',
    'ab',
    'abc',
    'b',
    'a\0b',
    '😀',
    new Date(0),
    new Date(-1),
  ),
  fc.constantFrom(Long.fromNumber(2), Long.fromString('9007199254740993'), new Double(9007199254740992)),
  fc.constantFrom(...['0.5', '1', '0.1', 'NaN', '9007199254740993'].map((text) => Decimal128.fromString(text))),
);
const value: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 8, arbitrary: scalar },
  { weight: 2, arbitrary: fc.array(scalar, { maxLength: 3 }) },
  { weight: 1, arbitrary: fc.record({ x: scalar, y: scalar }, { requiredKeys: [] }) },
  { weight: 1, arbitrary: fc.array(fc.record({ x: scalar, y: scalar }, { requiredKeys: [] }), { maxLength: 2 }) },
  { weight: 1, arbitrary: fc.array(fc.array(scalar, { maxLength: 2 }), { maxLength: 2 }) },
);
const doc = fc.record({ a: value, b: scalar, c: scalar, d: fc.integer({ min: 0, max: 2 }) }, { requiredKeys: [] });

const operand = fc.oneof(
  { weight: 4, arbitrary: scalar },
  fc.record({ x: scalar }),
  fc.array(scalar, { maxLength: 2 }),
);
const condition: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 3, arbitrary: operand },
  {
    weight: 3,
    arbitrary: fc
      .record({ $gt: scalar, $gte: scalar, $lt: scalar, $lte: scalar }, { requiredKeys: [] })
      .filter((one) => Object.keys(one).length > 0),
  },
  {
    weight: 3,
    arbitrary: fc.record({ $in: fc.array(fc.oneof(scalar, fc.constantFrom(/^a/, /^ab/, /b/)), { maxLength: 4 }) }),
  },
  fc.record({ $nin: fc.array(scalar, { maxLength: 3 }) }),
  fc.record({ $ne: operand }),
  fc.record({ $exists: fc.boolean() }),
  fc.record({ $not: fc.record({ $gte: scalar }) }),
  fc
    .record({ $gte: scalar, $lt: scalar, $ne: scalar, $in: fc.array(scalar, { maxLength: 2 }) }, { requiredKeys: [] })
    .filter((one) => Object.keys(one).length > 0)
    .map((one) => ({ $elemMatch: one })),
  fc.record({ $type: fc.constantFrom('number', 'string', 'null', 'array') }),
  fc.constantFrom(/^a/, /^ab?/, /^a\0?b/, /^(a|b)/, /b$/, /^A/i),
);
const fields = fc.record(
  { a: condition, b: condition, c: condition, d: condition, 'a.x': condition, 'a.y': condition },
  { requiredKeys: [] },
);
const narrow = fc.record({ b: condition, c: condition, d: condition }, { requiredKeys: [] });
const filter: fc.Arbitrary<Document> = fc.oneof(
  fields,
  narrow,
  fc.record({ d: condition, $or: fc.array(fields, { minLength: 1, maxLength: 3 }) }),
  fc.record({ $and: fc.array(narrow, { minLength: 1, maxLength: 3 }) }),
  fc.record({ $or: fc.array(fc.record({ b: condition }), { minLength: 1, maxLength: 3 }), c: condition }),
  fc.record({ $nor: fc.array(narrow, { minLength: 1, maxLength: 2 }) }),
);
const way = fc.constantFrom<1 | -1>(1, -1);
const sort: fc.Arbitrary<Record<string, 1 | -1>> = fc.oneof(
  fc.constant({}),
  fc
    .shuffledSubarray(['b', 'c', 'd', '_id'], { minLength: 1 })
    .chain((paths) =>
      fc
        .tuple(...paths.map(() => way))
        .map((ways) => Object.fromEntries(paths.map((path, at) => [path, ways[at] as 1 | -1]))),
    ),
  way.map((a) => ({ a, _id: 1 as const })),
);
const query = fc.record({ filter, sort, limit: fc.constantFrom(0, 0, 1, 3), skip: fc.constantFrom(0, 0, 2) });

const keys = fc
  .shuffledSubarray(['a', 'b', 'c', 'd', 'a.x', 'a.y', '_id'], { minLength: 1, maxLength: 3 })
  .chain((paths) =>
    fc.tuple(...paths.map(() => way)).map((ways) => paths.map((path, at) => [path, ways[at]] as const)),
  );
const index = fc.record({
  key: keys,
  options: fc.constantFrom<Document>(
    {},
    {},
    {},
    { sparse: true },
    { partialFilterExpression: { d: { $gte: 1 } } },
    { partialFilterExpression: { b: { $exists: true } } },
    { partialFilterExpression: { c: { $type: 'string' } } },
  ),
});
type IndexCase = { key: (readonly [string, 1 | -1 | undefined])[]; options: Document };

/** Parallel arrays cannot be indexed: only `a` holds arrays, and of its paths only one way through may be in an index. */
function specsOf(indexes: IndexCase[]) {
  return indexes
    .filter(({ key }) => !(key.some(([path]) => path === 'a') && key.some(([path]) => path.startsWith('a.'))))
    .filter(({ key }) => JSON.stringify(key) !== '[["_id",1]]')
    .map(({ key, options }, at) => ({
      key: Object.fromEntries(key) as Record<string, 1 | -1>,
      name: `i${at}`,
      ...options,
    }));
}

async function load(docs: Document[], indexes: IndexCase[], round: number) {
  const plain = engine.db.collection<Anything>(`plain${round}`);
  const indexed = engine.db.collection<Anything>(`indexed${round}`);
  const specs = specsOf(indexes);
  const made: string[] = [];
  for (const spec of specs) {
    const name = await indexed.createIndexes([spec]).catch(() => []);
    made.push(...name);
  }
  const stored = docs.map((one, _id) => ({ _id, ...one }));
  await plain.insertMany(stored);
  await indexed.insertMany(stored);
  // A hint to a sparse or partial index does not find documents outside of it.
  const whole = new Set(
    specs.filter((spec) => !('sparse' in spec) && !('partialFilterExpression' in spec)).map((spec) => spec.name),
  );
  return { plain, indexed, hints: ['_id_', ...made.filter((name) => whole.has(name))] };
}

const sorted = (ids: unknown[]): unknown[] => ids.toSorted((a, b) => Number(a) - Number(b));

describe('whatever the plan', () => {
  it('a query finds what a scan finds, in its order, counts it and knows its distinct values', async () => {
    let round = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(doc, { minLength: 1, maxLength: 30 }),
        fc.array(index, { minLength: 1, maxLength: 5 }),
        fc.array(query, { minLength: 8, maxLength: 8 }),
        async (docs, indexes, queries) => {
          const { plain, indexed, hints } = await load(docs, indexes, ++round);
          for (const { filter: wanted, sort: order, limit, skip } of queries) {
            const all = await plain.find(wanted).toArray();
            const ids = sorted(all.map((one) => one._id));
            const inOrder = await plain.find(wanted, { sort: order, limit, skip }).toArray();
            const values = await plain.distinct('b', wanted);
            for (const hint of [undefined, { $natural: -1 }, ...hints] as (string | undefined)[]) {
              const hinted = hint === undefined ? {} : { hint };
              const found = await indexed.find(wanted, { ...hinted, batchSize: 4 }).toArray();
              expect(sorted(found.map((one) => one._id)), JSON.stringify(hint)).toEqual(ids);
              expect(await countBy(indexed, wanted, hinted), JSON.stringify(hint)).toBe(ids.length);
              expect(await countBy(indexed, wanted, { ...hinted, skip, limit })).toBe(
                Math.max(0, Math.min(ids.length - skip, limit || Infinity)),
              );
              const walked = await indexed
                .find(wanted, { ...hinted, sort: order, limit, skip, batchSize: 4 })
                .toArray();
              const shown = (many: Anything[]) =>
                many.map((one) => Object.keys(order).map((path) => one[path] ?? null));
              expect(walked).toHaveLength(inOrder.length);
              // Sorted by a, equal keys may be of unequal arrays.
              if (!('a' in order))
                expect(shown(walked).map(String), JSON.stringify(hint)).toEqual(shown(inOrder).map(String));
              if ('_id' in order) expect(walked.map((one) => one._id)).toEqual(inOrder.map((one) => one._id));
            }
            expect((await indexed.distinct('b', wanted)).map(String)).toEqual(values.map(String));
          }
          await plain.drop();
          await indexed.drop();
        },
      ),
      { numRuns: 40 },
    );
  });

  it('updates and deletes meet what a scan meets', async () => {
    let round = 1000;
    await fc.assert(
      fc.asyncProperty(
        fc.array(doc, { minLength: 1, maxLength: 20 }),
        fc.array(index, { minLength: 1, maxLength: 4 }),
        fc.array(filter, { minLength: 4, maxLength: 4 }),
        async (docs, indexes, filters) => {
          const { plain, indexed } = await load(docs, indexes, ++round);
          for (const [at, wanted] of filters.entries()) {
            for (const things of [plain, indexed]) {
              if (at % 2 === 0) await things.updateMany(wanted, { $set: { b: at, d: 1 } });
              else await things.deleteMany(wanted);
            }
            const read = (things: typeof plain) => things.find({}, { hint: { $natural: 1 } }).toArray();
            expect((await read(indexed)).map((one) => one._id)).toEqual((await read(plain)).map((one) => one._id));
          }
          await plain.drop();
          await indexed.drop();
        },
      ),
      { numRuns: 40 },
    );
  });
});
