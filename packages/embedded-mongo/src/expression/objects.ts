import { type Document, fieldOf, fieldsOf, isObject, setField } from '../bson/value.ts';
import { MongoFault } from '../fault.ts';
import { typeName } from '../query/type-names.ts';
import { arrayOf, argumentsOf, fold, nullish, type Operator, operands, strict } from './operator.ts';

export function mergeObjects(values: Iterable<unknown>, name: string): Document {
  const merged: Document = {};
  for (const value of values) {
    if (nullish(value)) continue;
    if (!isObject(value))
      throw new MongoFault(40400, `${name} requires object inputs, but input is of type ${typeName(value)}`);
    for (const [field, inner] of fieldsOf(value)) setField(merged, field, inner);
  }
  return merged;
}

/** Elements are `{ k, v }` documents or `[key, value]` pairs, all of one kind. */
function fromArray([given]: unknown[], name: string): unknown {
  const items = arrayOf(given, 40386, `${name}'s argument`);
  const asPairs = Array.isArray(items[0]);
  const doc: Document = {};
  for (const item of items) {
    if (Array.isArray(item) !== asPairs || (!asPairs && !isObject(item)))
      throw new MongoFault(40396, `${name} requires a consistent input format: all pairs, or all { k, v } objects`);
    const entry: unknown[] = Array.isArray(item) ? item : fieldsOf(item as Document);
    const [key, value] = Array.isArray(item)
      ? (item as unknown[])
      : ['k', 'v'].map((at) => fieldOf(item as Document, at));
    if (entry.length !== 2 || key === undefined || value === undefined)
      throw new MongoFault(asPairs ? 40397 : 40392, `${name} requires each element to hold a key and a value, no more`);
    if (typeof key !== 'string')
      throw new MongoFault(asPairs ? 40395 : 40394, `${name} requires string keys, found: ${typeName(key)}`);
    if (key.includes('\0')) throw new MongoFault(4940400, 'Key field cannot contain an embedded null byte');
    setField(doc, key, value);
  }
  return doc;
}

/** The field's name must be known while parsing; the input is the whole document unless it is given. */
function fieldOperator(
  fields: string,
  code: number,
  run: (from: unknown, field: string, value: unknown) => unknown,
): Operator {
  return (spec, parse, name) => {
    const short = name === '$getField' && !(isObject(spec) && 'field' in spec);
    const given: Document = short ? { field: spec } : argumentsOf(spec, fields, name);
    const field = parse(given['field']);
    const fixed = field.constant ? field({ doc: {} }) : undefined;
    if (typeof fixed !== 'string')
      throw new MongoFault(code, `${name} requires 'field' to evaluate to a constant String`);
    const [input, value] = [parse('input' in given ? given['input'] : '$$CURRENT'), parse(given['value'] ?? null)];
    return fold([input, value], (item) => run(input(item), fixed, value(item)));
  };
}

function withField(from: unknown, field: string, value: unknown): unknown {
  if (nullish(from)) return null;
  if (!isObject(from)) throw new MongoFault(4161105, "'input' must evaluate to type Object");
  const doc = mergeObjects([from], '');
  if (value === undefined) delete doc[field];
  else setField(doc, field, value);
  return doc;
}

export const OBJECTS: Readonly<Record<string, Operator>> = {
  $mergeObjects: operands(0, Infinity, mergeObjects),
  $objectToArray: strict(1, 1, ([value], name) => {
    if (!isObject(value)) throw new MongoFault(40390, `${name} requires a document input, found: ${typeName(value)}`);
    return fieldsOf(value).map(([k, v]) => ({ k, v }));
  }),
  $arrayToObject: strict(1, 1, fromArray),
  $getField: fieldOperator('field input?', 5654602, (from, field) =>
    isObject(from) ? fieldOf(from, field) : from === null ? null : undefined,
  ),
  $setField: fieldOperator('field input value', 4161107, withField),
};
