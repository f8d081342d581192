import { calculateObjectSize } from 'bson';
import { type Document, fieldsOf, isObject, setField } from '../bson/value.ts';
import { type Accumulator, ACCUMULATORS, KEEPING } from '../expression/accumulators.ts';
import { type Expression, parseExpression, type Scope } from '../expression/expression.ts';
import { rowOf, valueKey } from '../expression/operator.ts';
import { MongoFault } from '../fault.ts';
import { Memory, type StageParser } from './context.ts';

interface Group {
  id: unknown;
  states: Accumulator[];
}

interface Field {
  name: string;
  value: Expression;
  start: () => Accumulator;
  keeps: boolean;
}

export const group: StageParser = (spec, { scope }) => {
  if (!isObject(spec)) throw new MongoFault(15947, "a group's fields must be specified in an object");
  if (!('_id' in spec)) throw new MongoFault(15955, 'a group specification must include an _id');
  const id = parseExpression(spec['_id'], scope);
  const given = fieldsOf(spec).filter(([name]) => name !== '_id');
  const fields = given.map(([name, one]) => parseField(name, one, scope));
  return function* (items) {
    const groups = new Map<string, Group>();
    const memory = new Memory('$group');
    let found: Group | undefined;
    for (const item of items) {
      const value = id(item) ?? null;
      // Neighbours are often of one group.
      if (!found || value !== found.id) {
        const key = valueKey(value);
        found = groups.get(key);
        if (!found) {
          groups.set(key, (found = { id: value, states: fields.map((field) => field.start()) }));
          memory.add(key.length + 64);
        }
      }
      for (const [at, field] of fields.entries()) {
        const operand = field.value(item);
        if (field.keeps) memory.add(sizeOf(operand));
        found.states[at]?.add(operand);
      }
    }
    for (const { id: _id, states } of groups.values()) {
      const doc: Document = { _id };
      for (const [at, { name }] of fields.entries()) setField(doc, name, states[at]?.result());
      yield { doc };
    }
  };
};

function parseField(name: string, spec: unknown, scope: Scope): Field {
  if (name.includes('.')) throw new MongoFault(40235, `The field name '${name}' cannot contain '.'`);
  if (name.startsWith('$')) throw new MongoFault(40236, `The field name '${name}' cannot be an operator name`);
  const [entry, more] = isObject(spec) ? fieldsOf(spec) : [];
  if (!entry?.[0].startsWith('$')) throw new MongoFault(40234, `The field '${name}' must be an accumulator object`);
  if (more) throw new MongoFault(40238, `The field '${name}' must specify one accumulator`);
  const [operator, given] = entry;
  const start = rowOf(ACCUMULATORS, operator);
  if (!start) throw new MongoFault(15952, `unknown group operator '${operator}'`);
  if (operator === '$count' && !(isObject(given) && Object.keys(given).length === 0))
    throw new MongoFault(9, '$count takes no arguments, i.e. $count:{}');
  if (Array.isArray(given) && given.length !== 1)
    throw new MongoFault(40237, `The ${operator} accumulator is a unary operator`);
  const operand: unknown = Array.isArray(given) ? given[0] : given;
  return { name, value: parseExpression(operand, scope), start, keeps: Object.hasOwn(KEEPING, operator) };
}

function sizeOf(value: unknown): number {
  if (typeof value === 'string') return value.length;
  return Array.isArray(value) || isObject(value) ? calculateObjectSize(value as Document) : 16;
}

/** Stages that are a way to write others. */
export const SHORTHANDS: Readonly<Record<string, (spec: unknown) => Document[]>> = {
  $count: (spec) => {
    if (typeof spec !== 'string' || spec === '' || spec === '_id' || /^\$|[.\0]/.test(spec))
      throw new MongoFault(40156, 'the count field must be a non-empty string without a leading $, dots or null bytes');
    return [{ $group: { _id: null, [spec]: { $sum: 1 } } }, { $project: { _id: false } }];
  },
  $sortByCount: (spec) => {
    const isExpression = isObject(spec) && Object.keys(spec)[0]?.startsWith('$');
    if (!isExpression && !(typeof spec === 'string' && spec.startsWith('$')))
      throw new MongoFault(40147, 'the sortByCount field must be defined as a $-prefixed path or an expression object');
    return [{ $group: { _id: spec, count: { $sum: 1 } } }, { $sort: { count: -1 } }];
  },
};
