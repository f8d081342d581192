import { type Document, fieldOf, fieldsOf, isObject } from '../bson/value.ts';
import { type Item, parseExpression } from '../expression/expression.ts';
import { variables } from '../expression/operator.ts';
import { CommandError, notImplemented } from '../errors.ts';
import { compare, equal } from '../query/compare.ts';
import { typeName } from '../query/type-names.ts';
import type { Filter, Predicate } from '../query/filter.ts';
import { type StageParser, stageFields, stageObject, withValue } from './context.ts';

const FOREIGN_LIMIT = 16 * 1024 * 1024;

/** `$lookup` by equal fields, by a pipeline with variables of the local document, or by both. */
export const lookup: StageParser = (spec, context) => {
  const given = stageFields('$lookup', spec, 'from localField? foreignField? let? pipeline? as');
  const { from, localField, foreignField, as, pipeline = [] } = given;
  if (isObject(from)) throw notImplemented('$lookup from another database');
  for (const [field, value] of Object.entries({ from, localField, foreignField, as }))
    if (value !== undefined && typeof value !== 'string')
      throw new CommandError(9, `$lookup argument '${field}' must be a string, found: ${typeName(value)}`);
  const isJoin = localField !== undefined && foreignField !== undefined;
  if (!isJoin && (!('pipeline' in given) || localField !== undefined || foreignField !== undefined))
    throw new CommandError(9, "$lookup requires either 'pipeline' or both 'localField' and 'foreignField'");
  const bound = variables(
    fieldsOf(stageObject('$lookup.let', given['let'] ?? {})).map(([name, value]) => [
      name,
      parseExpression(value, context.scope),
    ]),
  );
  const scope = new Map([...context.scope, ...bound.scope]);
  const foreign = context.parse(pipeline, { ...context, scope, inLookup: true });
  const target = (as as string).split('.');
  return (items) =>
    Iterator.from(items).map((item) => {
      bound.set(item);
      const first = isJoin ? equals(item, localField as string, foreignField as string) : undefined;
      const found: Document[] = [];
      let bytes = 0;
      for (const other of foreign.open(from as string, first)) {
        found.push(other.doc);
        bytes += other.bytes?.length ?? 0;
        if (bytes > FOREIGN_LIMIT)
          throw new CommandError(4568, `Total size of documents matching $lookup exceeds ${FOREIGN_LIMIT} bytes`);
      }
      return { doc: withValue(item.doc, target, found), meta: item.meta };
    });
};

/** An array matches by any of its elements; nothing there matches null and missing. */
function equals(item: Item, local: string, foreign: string): Filter {
  const sorted = leaves(item.doc, local.split('.'), 0).toSorted(compare);
  const values = sorted.filter((value, at) => at === 0 || !equal(value, sorted[at - 1]));
  const [value = null, more] = values;
  const predicate: Predicate = more === undefined ? { op: 'eq', value } : { op: 'in', values, patterns: [] };
  return { op: 'field', path: foreign, parts: foreign.split('.'), predicate };
}

function leaves(value: unknown, parts: readonly string[], at: number): unknown[] {
  const part = parts[at];
  if (part === undefined) return value === undefined ? [] : Array.isArray(value) ? value : [value];
  if (Array.isArray(value)) return value.filter(isObject).flatMap((inner) => leaves(inner, parts, at));
  return isObject(value) ? leaves(fieldOf(value, part), parts, at + 1) : [];
}
