import { Binary, BSONSymbol, Decimal128, Double, Long, MaxKey, MinKey, ObjectId, Timestamp } from 'bson';
import fc from 'fast-check';

/** Values of every type that meet each other often: few, and near one another. */
export const scalar: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: -3, max: 3 }) },
  { weight: 3, arbitrary: fc.constantFrom(null, true, false, '', 'a', 'b', 'ab', 'a\0b', '😀', '\u{ffee}') },
  fc.constantFrom(0.5, -0.5, 0.1, NaN, Infinity, -Infinity, new Double(1), new Double(-0), 9007199254740992),
  fc.constantFrom(
    ...['2', '9007199254740993', '-9007199254740993', '9223372036854775807'].map((text) => Long.fromString(text)),
  ),
  fc.constantFrom(
    ...['1', '1.0', '0.1', '-0.5', '1E-400', '1E+400', '-1E+6000', 'NaN', '-Infinity', '9007199254740992.5'].map(
      (text) => Decimal128.fromString(text),
    ),
  ),
  fc.constantFrom(
    new Date(0),
    new Date(-1),
    new Timestamp({ t: 1, i: 1 }),
    new ObjectId('0'.repeat(24)),
    new MinKey(),
    new MaxKey(),
  ),
  fc.constantFrom(new Binary(Buffer.from('a')), new Binary(Buffer.from('a'), 5), new BSONSymbol('a')),
);

/** Names that JavaScript would put in another order, and one of its own. */
const name = fc.constantFrom('x', 'y', '10', '2', '__proto__');
const object = (inner: fc.Arbitrary<unknown>): fc.Arbitrary<Map<string, unknown>> =>
  fc.array(fc.tuple(name, inner), { maxLength: 3 }).map((fields) => new Map(fields));

export const value: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 6, arbitrary: scalar },
  { weight: 2, arbitrary: fc.array(scalar, { maxLength: 3 }) },
  { weight: 2, arbitrary: object(scalar) },
  { weight: 1, arbitrary: fc.array(fc.oneof(object(scalar), fc.array(scalar, { maxLength: 2 })), { maxLength: 2 }) },
  { weight: 1, arbitrary: object(fc.oneof(object(scalar), fc.array(object(scalar), { maxLength: 2 }))) },
);
