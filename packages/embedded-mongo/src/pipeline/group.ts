import { type Document, fieldsOf, isObject, setField } from '../bson/value.ts';
import { type Expression, parseExpression, type Scope } from '../expression/expression.ts';
import { valueKey } from '../expression/operator.ts';
import { CommandError } from '../errors.ts';
import { type Accumulator, ACCUMULATORS } from './accumulators.ts';
import { Memory, type StageParser } from './context.ts';

interface Group {
  id: unknown;
  values: Accumulator[];
}

interface Field {
  name: string;
  value: Expression;
  start: () => Accumulator;
}

export const group: StageParser = (spec, { scope }) => {
  if (!isObject(spec)) throw new CommandError(15947, "a group's fields must be specified in an object");
  if (!('_id' in spec)) throw new CommandError(15955, 'a group specification must include an _id');
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
          groups.set(key, (found = { id: value, values: fields.map(({ start }) => start()) }));
          memory.add(key.length + 64);
        }
      }
      for (const [at, field] of fields.entries()) found.values[at]?.add(field.value(item));
    }
    for (const { id: _id, values } of groups.values()) {
      const doc: Document = { _id };
      for (const [at, { name }] of fields.entries()) setField(doc, name, values[at]?.result());
      yield { doc };
    }
  };
};

function parseField(name: string, spec: unknown, scope: Scope): Field {
  if (name.includes('.')) throw new CommandError(40235, `The field name '${name}' cannot contain '.'`);
  if (name.startsWith('$')) throw new CommandError(40236, `The field name '${name}' cannot be an operator name`);
  const [entry, more] = isObject(spec) ? fieldsOf(spec) : [];
  if (!entry?.[0].startsWith('$')) throw new CommandError(40234, `The field '${name}' must be an accumulator object`);
  if (more) throw new CommandError(40238, `The field '${name}' must specify one accumulator`);
  const [operator, given] = entry;
  const start = Object.hasOwn(ACCUMULATORS, operator) ? ACCUMULATORS[operator] : undefined;
  if (!start) throw new CommandError(15952, `unknown group operator '${operator}'`);
  if (Array.isArray(given) && given.length !== 1)
    throw new CommandError(40237, `The ${operator} accumulator is a unary operator`);
  const operand: unknown = Array.isArray(given) ? given[0] : given;
  return { name, value: parseExpression(operand, scope), start };
}

/** `$count`, written as the stages it stands for. */
export function countStages(spec: unknown): Document[] {
  if (typeof spec !== 'string' || spec === '' || spec === '_id' || /^\$|[.\0]/.test(spec))
    throw new CommandError(40156, 'the count field must be a non-empty string without a leading $, dots or null bytes');
  return [{ $group: { _id: null, [spec]: { $sum: 1 } } }, { $project: { _id: false } }];
}
