import { calculateObjectSize } from 'bson';
import { type Document, fieldsOf, isObject, setField } from '../bson/value.ts';
import { type Accumulation, ACCUMULATORS } from '../expression/accumulators.ts';
import { parseExpression, type Scope } from '../expression/expression.ts';
import { valueKey } from '../expression/value-key.ts';
import { MongoFault } from '../fault.ts';
import { compare } from '../query/compare.ts';
import { Memory, type StageParser, stageFields } from './context.ts';

interface Group {
  id: unknown;
  states: ReturnType<Accumulation['start']>[];
}

export const group: StageParser = (spec, { scope }) => {
  if (!isObject(spec)) throw new MongoFault(15947, "a group's fields must be specified in an object");
  if (!('_id' in spec)) throw new MongoFault(15955, 'a group specification must include an _id');
  const id = parseExpression(spec['_id'], scope);
  const fields = fieldsOf(spec)
    .filter(([name]) => name !== '_id')
    .map(([name, given]) => ({ name, ...parseAccumulator(name, given, scope) }));
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

function parseAccumulator(name: string, spec: unknown, scope: Scope): Accumulation {
  if (name.includes('.')) throw new MongoFault(40235, `The field name '${name}' cannot contain '.'`);
  if (name.startsWith('$')) throw new MongoFault(40236, `The field name '${name}' cannot be an operator name`);
  const [entry, more] = isObject(spec) ? fieldsOf(spec) : [];
  if (!entry || !entry[0].startsWith('$'))
    throw new MongoFault(40234, `The field '${name}' must be an accumulator object`);
  if (more) throw new MongoFault(40238, `The field '${name}' must specify one accumulator`);
  const [operator, operand] = entry;
  const parse = Object.hasOwn(ACCUMULATORS, operator) ? ACCUMULATORS[operator] : undefined;
  if (!parse) throw new MongoFault(15952, `unknown group operator '${operator}'`);
  return parse(
    operand,
    (inner, locals) => parseExpression(inner, locals ? new Map([...scope, ...locals]) : scope),
    operator,
  );
}

function sizeOf(value: unknown): number {
  if (typeof value === 'string') return value.length;
  return typeof value === 'object' && value !== null && (Array.isArray(value) || isObject(value))
    ? calculateObjectSize(value as Document)
    : 16;
}

const constant = ($literal: unknown): Document => ({ $literal });

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
  $bucket: (spec) => {
    const {
      groupBy,
      boundaries,
      output = { count: { $sum: 1 } },
      ...rest
    } = stageFields('$bucket', spec, 'groupBy boundaries default? output?');
    if (!Array.isArray(boundaries) || boundaries.length < 2)
      throw new MongoFault(40192, "The $bucket 'boundaries' field must be an array of at least two values");
    if (boundaries.some((bound, at) => at > 0 && compare(boundaries[at - 1], bound) >= 0))
      throw new MongoFault(40194, "The 'boundaries' of $bucket must be in ascending order, without repeats");
    if (!isObject(output)) throw new MongoFault(40196, "The $bucket 'output' field must be an object");
    const branches = boundaries.slice(0, -1).map((low: unknown, at) => ({
      case: { $and: [{ $gte: [groupBy, constant(low)] }, { $lt: [groupBy, constant(boundaries[at + 1])] }] },
      // oxlint-disable-next-line unicorn/no-thenable -- the name that `$switch` has for a branch's value
      then: constant(low),
    }));
    const otherwise = 'default' in rest ? { default: constant(rest['default']) } : {};
    return [{ $group: { _id: { $switch: { branches, ...otherwise } }, ...output } }, { $sort: { _id: 1 } }];
  },
};
