import { Decimal128, serialize } from 'bson';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { decode } from '../../src/bson/decode.ts';
import { encode } from '../../src/bson/encode.ts';
import { documentOf, elements } from '../../src/bson/raw.ts';
import { CommandError } from '../../src/errors.ts';
import { compare } from '../../src/query/compare.ts';
import { compareKeys, parseSort, sortKey } from '../../src/query/sort.ts';
import { KeyWriter } from '../../src/storage/key.ts';
import { startTestEngine, type TestEngine } from '../engine.ts';
import { scalar, value } from './values.ts';

let engine: TestEngine;
beforeAll(async () => {
  engine = await startTestEngine();
});
afterAll(() => engine[Symbol.asyncDispose]());

const parse = (one: unknown): unknown => decode(serialize(new Map([['v', one]])))['v'];

describe('values', () => {
  it('are encoded again as the bytes they came from', () => {
    fc.assert(
      fc.property(value, value, (a, b) => {
        const bytes = serialize(
          new Map([
            ['7', a],
            ['v', b],
            ['3', a],
          ]),
        );
        expect(Buffer.compare(encode(decode(bytes)), bytes)).toBe(0);
      }),
      { numRuns: 1000 },
    );
  });

  it('damaged on their way are refused, or are other values: never an accident', () => {
    const damage = fc.record({
      at: fc.nat(),
      byte: fc.integer({ min: 0, max: 255 }),
      cut: fc.constantFrom(0, 0, 1, 4),
    });
    fc.assert(
      fc.property(value, damage, (one, { at, byte, cut }) => {
        const bytes = Buffer.from(
          serialize(
            new Map([
              ['a', one],
              ['b', 1],
            ]),
          ),
        );
        bytes[at % bytes.length] = byte;
        for (const read of [decode, (given: Uint8Array) => [...elements(given)]]) {
          try {
            read(bytes.subarray(0, bytes.length - cut));
          } catch (error) {
            expect(error).toBeInstanceOf(CommandError);
          }
        }
      }),
      { numRuns: 1500 },
    );
  });

  it.each([
    ['a date that JavaScript has not', [9, 97, 0, 1, 0, 0, 0, 0, 0, 0, 127], 238],
    ['undefined', [6, 97, 0], 238],
    ['an unknown type', [99, 97, 0], 22],
    ['a name without an end', [10, 97], 22],
  ])('of %s are refused', (_name, element, code) => {
    const bytes = documentOf([Uint8Array.from(element)]);
    expect(() => decode(bytes)).toThrow(expect.objectContaining({ code }));
  });

  it('nested deeper than can be stored are refused', () => {
    const nested = (depth: number): Uint8Array =>
      depth === 0 ? documentOf([]) : documentOf([Uint8Array.from([3, 97, 0]), nested(depth - 1)]);
    expect(decode(nested(150))).toHaveProperty('a.a.a');
    expect(() => decode(nested(2000))).toThrow(expect.objectContaining({ code: 15 }));
  });

  it('have a total order', () => {
    fc.assert(
      fc.property(value, value, value, (...given) => {
        const [a, b, c] = given.map(parse);
        expect(compare(a, a)).toBe(0);
        expect(Math.sign(compare(a, b))).toBe(-Math.sign(compare(b, a)) + 0);
        if (compare(a, b) <= 0 && compare(b, c) <= 0) expect(compare(a, c)).toBeLessThanOrEqual(0);
      }),
      { numRuns: 2500 },
    );
  });

  it('order as their index keys do, ascending and descending', () => {
    const key = (one: unknown, descending: boolean): Buffer => new KeyWriter().add(one, descending).add(1).finish();
    fc.assert(
      fc.property(value, value, (...given) => {
        const [a, b] = given.map(parse);
        const order = Math.sign(compare(a, b));
        expect(Math.sign(Buffer.compare(key(a, false), key(b, false)))).toBe(order);
        expect(Math.sign(Buffer.compare(key(a, true), key(b, true)))).toBe(order === 0 ? 0 : -order);
      }),
      { numRuns: 2500 },
    );
  });

  it('of decimals order exactly beside the other numbers', () => {
    const decimal = fc
      .tuple(fc.bigInt({ min: -(10n ** 20n), max: 10n ** 20n }), fc.integer({ min: -25, max: 5 }))
      .map(([digits, exponent]) => ({ $numberDecimal: `${digits}E${exponent}` }));
    const number = fc.oneof(fc.double(), fc.maxSafeInteger(), scalar);
    const key = (one: unknown): Buffer => new KeyWriter().add(one).finish();
    fc.assert(
      fc.property(decimal, decimal, number, (left, right, other) => {
        const values = [left, right].map(({ $numberDecimal: text }) => parse(Decimal128.fromString(text)));
        for (const a of [...values, parse(other)]) {
          for (const b of values) expect(Math.sign(Buffer.compare(key(a), key(b)))).toBe(Math.sign(compare(a, b)));
        }
      }),
      { numRuns: 1000 },
    );
  });
});

describe('a sort over the wire', () => {
  it('is the order of values, and keeps the order of insertion among equals', async () => {
    const way = fc.constantFrom<1 | -1>(1, -1);
    const row = fc.record({ a: value, b: scalar }, { requiredKeys: [] });
    await fc.assert(
      fc.asyncProperty(fc.array(row, { minLength: 1, maxLength: 20 }), way, way, async (rows, a, b) => {
        const things = engine.fresh();
        const docs = rows.map((one, _id) => ({ _id, b: one.b ?? null, a: one.a ?? null }));
        await things.insertMany(docs);
        const fields = parseSort({ a, b });
        const keyed = docs.map((doc) => ({ _id: doc._id, key: sortKey(decode(serialize(doc)), fields) }));
        const expected = keyed.toSorted((x, y) => compareKeys(x.key, y.key, fields)).map(({ _id }) => _id);
        const found = await things.find({}, { sort: { a, b }, projection: { _id: 1 } }).toArray();
        expect(found.map(({ _id }) => _id)).toEqual(expected);
        const best = await things.find({}, { sort: { a, b }, skip: 1, limit: 3, projection: { _id: 1 } }).toArray();
        expect(best.map(({ _id }) => _id)).toEqual(expected.slice(1, 4));
        await things.drop();
      }),
      { numRuns: 60 },
    );
  });
});
