import { Int32, Long, Timestamp } from 'bson';
import { type Document, isObject } from '../bson/value.ts';
import { MongoFault } from '../fault.ts';
import { compare } from '../query/compare.ts';
import { addToSet, pop, pull, pullAll, push } from './arrays.ts';
import { combine, isNumber } from './numbers.ts';
import { setAt, unsetAt, valueAt } from './place.ts';

export type Operator = (doc: Document, parts: readonly string[], operand: unknown, path: string) => void;

export const OPERATORS: Readonly<Record<string, Operator>> = {
  $set: (doc, parts, operand) => setAt(doc, parts, operand),
  $setOnInsert: (doc, parts, operand) => setAt(doc, parts, operand),
  $unset: (doc, parts) => void unsetAt(doc, parts),
  $inc: arithmetic('$inc'),
  $mul: arithmetic('$mul'),
  $min: (doc, parts, operand) => keepExtreme(doc, parts, operand, -1),
  $max: (doc, parts, operand) => keepExtreme(doc, parts, operand, 1),
  $currentDate: (doc, parts, operand, path) => setAt(doc, parts, now(operand, path)),
  $push: push,
  $addToSet: addToSet,
  $pull: pull,
  $pullAll: pullAll,
  $pop: pop,
};

function arithmetic(op: '$inc' | '$mul'): Operator {
  return (doc, parts, operand, path) => {
    if (!isNumber(operand)) {
      throw new MongoFault(
        14,
        `Cannot ${op === '$inc' ? 'increment' : 'multiply'} with non-numeric argument: {${path}: ...}`,
      );
    }
    const current = valueAt(doc, parts);
    if (current === undefined)
      return setAt(doc, parts, op === '$inc' ? operand : combine('$mul', new Int32(0), operand));
    if (!isNumber(current)) {
      throw new MongoFault(
        14,
        `Cannot apply ${op} to a value of non-numeric type: the field '${path}' is not a number`,
      );
    }
    setAt(doc, parts, combine(op, current, operand));
  };
}

function keepExtreme(doc: Document, parts: readonly string[], operand: unknown, way: number): void {
  const current = valueAt(doc, parts);
  if (current === undefined || compare(operand, current) * way > 0) setAt(doc, parts, operand);
}

function now(operand: unknown, path: string): unknown {
  const type = isObject(operand) && Object.keys(operand).length === 1 ? operand['$type'] : undefined;
  if (operand === true || operand === false || type === 'date') return new Date();
  if (type === 'timestamp') {
    return new Timestamp(Long.fromBits(1, Math.floor(Date.now() / 1000), true));
  }
  throw new MongoFault(2, `The '${path}' field of $currentDate takes true, {$type: 'date'} or {$type: 'timestamp'}`);
}
