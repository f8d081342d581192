import { Double, Long } from 'bson';
import { isObject, Kind, kindOf, numeric } from '../bson/value.ts';
import { CommandError, notImplemented } from '../errors.ts';
import { isNumber } from '../expression/operator.ts';
import { compare, equal } from '../query/compare.ts';
import { isOperatorDocument, parseCondition, parseFilter } from '../query/filter.ts';
import { matches, matchesValue } from '../query/match.ts';
import { typeName } from '../query/type-names.ts';

/** Parses an operand once. The function it returns maps the present value to the next; `undefined` is a missing value. */
type Operator = (operand: unknown, path: string) => (current: unknown) => unknown;

/** All update operators. operators.json says which client needs each. */
export const OPERATORS: Readonly<Record<string, Operator>> = {
  $set: (operand) => () => operand,
  $setOnInsert: (operand) => () => operand,
  $unset: () => () => undefined,
  $inc: increment,
  $max: (operand) => (current) => (current === undefined || compare(operand, current) > 0 ? operand : current),
  $min: (operand) => (current) => (current === undefined || compare(operand, current) < 0 ? operand : current),
  $currentDate: (operand, path) => {
    const type = isObject(operand) && Object.keys(operand).length === 1 ? operand['$type'] : undefined;
    if (type === 'timestamp') throw notImplemented('$currentDate with a timestamp');
    if (typeof operand === 'boolean' || type === 'date') return () => new Date();
    throw new CommandError(2, `The '${path}' field of $currentDate takes true or {$type: 'date'}`);
  },
  $push: (operand, path) => {
    const modifier = isObject(operand)
      ? Object.keys(operand).find((name) => /^\$(?:each|slice|sort|position)$/.test(name))
      : undefined;
    if (modifier) throw notImplemented(`${modifier} in $push`);
    return (current) => {
      const array = arrayOf(current, `The field '${path}' must be an array but is of type ${typeName(current)}`) ?? [];
      return [...array, operand];
    };
  },
  $pull: (operand) => {
    const drops = pulled(operand);
    return (current) => arrayOf(current, 'Cannot apply $pull to a non-array value')?.filter((item) => !drops(item));
  },
};

/** Matches by value, by operators on each element, or, for embedded documents, by a filter. */
function pulled(operand: unknown): (item: unknown) => boolean {
  if (
    isObject(operand) &&
    (!isOperatorDocument(operand) || /^\$(?:and|or|nor|expr)$/.test(Object.keys(operand)[0] ?? ''))
  ) {
    const filter = parseFilter(operand, 'nested');
    return (item) => isObject(item) && matches(filter, item);
  }
  if (kindOf(operand) !== Kind.regex && !isObject(operand)) return (item) => equal(item, operand);
  const predicates = parseCondition(operand);
  return (item) => matchesValue(predicates, item);
}

function arrayOf(current: unknown, otherwise: string): unknown[] | undefined {
  if (current === undefined || Array.isArray(current)) return current;
  throw new CommandError(2, otherwise);
}

function increment(operand: unknown, path: string): (current: unknown) => unknown {
  if (!isNumber(operand)) throw new CommandError(14, `Cannot increment with non-numeric argument: {${path}: ...}`);
  return (current) => {
    if (current === undefined) return operand;
    if (isNumber(current)) return sum(current, operand);
    throw new CommandError(
      14,
      `Cannot apply $inc to a value of non-numeric type: the field '${path}' is of type ${typeName(current)}`,
    );
  };
}

/** Has the wider of the two types. An int grows into a long; a long refuses to overflow. */
function sum(current: unknown, operand: unknown): unknown {
  const kinds = new Set([kindOf(current), kindOf(operand)]);
  if (kinds.has(Kind.decimal)) throw notImplemented('$inc of Decimal128');
  const [a, b] = [numeric(current), numeric(operand)];
  if (kinds.has(Kind.double)) return new Double(Number(a) + Number(b));
  const result = BigInt(a) + BigInt(b);
  if (BigInt.asIntN(64, result) !== result)
    throw new CommandError(2, 'Failed to apply $inc operations to current value: it does not fit a 64-bit integer');
  return kinds.has(Kind.long) || BigInt.asIntN(32, result) !== result ? Long.fromBigInt(result) : Number(result);
}
