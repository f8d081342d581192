import { timestamp } from '../bson/raw.ts';
import { fieldsOf, isObject, Kind, kindOf, numeric } from '../bson/value.ts';
import { MongoFault } from '../fault.ts';
import { compare } from '../query/compare.ts';
import { typeName } from '../query/type-names.ts';
import { addToSet, type Operator, pop, pull, pullAll, push } from './arrays.ts';
import { combine, isNumber, whole } from './numbers.ts';

export const OPERATORS: Readonly<Record<string, Operator>> = {
  $set: (operand) => () => operand,
  $setOnInsert: (operand) => () => operand,
  $unset: () => () => undefined,
  $inc: (operand, path) => arithmetic('$inc', operand, path),
  $mul: (operand, path) => arithmetic('$mul', operand, path),
  $min: (operand) => (current) => (current === undefined || compare(operand, current) < 0 ? operand : current),
  $max: (operand) => (current) => (current === undefined || compare(operand, current) > 0 ? operand : current),
  $bit: bit,
  $currentDate: currentDate,
  $push: push,
  $addToSet: addToSet,
  $pull: pull,
  $pullAll: pullAll,
  $pop: pop,
};

function arithmetic(op: '$inc' | '$mul', operand: unknown, path: string): (current: unknown) => unknown {
  const verb = op === '$inc' ? 'increment' : 'multiply';
  if (!isNumber(operand)) throw new MongoFault(14, `Cannot ${verb} with non-numeric argument: {${path}: ...}`);
  return (current) => {
    if (current === undefined) return op === '$inc' ? operand : combine('$mul', 0, operand);
    if (!isNumber(current))
      throw new MongoFault(
        14,
        `Cannot apply ${op} to a value of non-numeric type: the field '${path}' is of type ${typeName(current)}`,
      );
    return combine(op, current, operand);
  };
}

const BITWISE: Readonly<Record<string, (a: bigint, b: bigint) => bigint>> = {
  and: (a, b) => a & b,
  or: (a, b) => a | b,
  xor: (a, b) => a ^ b,
};

function bit(operand: unknown, path: string): (current: unknown) => unknown {
  const isWhole = (value: unknown): boolean => kindOf(value) === Kind.int || kindOf(value) === Kind.long;
  if (!isObject(operand))
    throw new MongoFault(2, `The $bit modifier is not compatible with a ${typeName(operand)}: ${path}`);
  const steps = fieldsOf(operand).map(([name, value]) => {
    const run = Object.hasOwn(BITWISE, name) ? BITWISE[name] : undefined;
    if (!run) throw new MongoFault(2, `The $bit modifier only supports 'and', 'or', and 'xor', not '${name}'`);
    if (!isWhole(value)) throw new MongoFault(2, 'The $bit modifier field must be an Integer(32/64 bit)');
    return { run, value };
  });
  if (steps.length === 0) throw new MongoFault(2, 'You must pass in at least one bitwise operation.');
  return (current = 0) => {
    if (!isWhole(current))
      throw new MongoFault(2, `Cannot apply $bit to a value of non-integral type: ${path} is ${typeName(current)}`);
    const long = [current, ...steps.map(({ value }) => value)].some((value) => kindOf(value) === Kind.long);
    return whole(
      steps.reduce((bits, { run, value }) => run(bits, BigInt(numeric(value))), BigInt(numeric(current))),
      long,
    );
  };
}

function currentDate(operand: unknown, path: string): () => unknown {
  const type = isObject(operand) && fieldsOf(operand).length === 1 ? operand['$type'] : undefined;
  if (typeof operand === 'boolean' || type === 'date') return () => new Date();
  if (type === 'timestamp') return timestamp;
  throw new MongoFault(2, `The '${path}' field of $currentDate takes true, {$type: 'date'} or {$type: 'timestamp'}`);
}
