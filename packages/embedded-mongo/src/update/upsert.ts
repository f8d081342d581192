import { ObjectId } from 'bson';
import { encode } from '../bson/encode.ts';
import { type Document, isObject, Kind, kindOf, namesOf } from '../bson/value.ts';
import { CommandError } from '../errors.ts';
import type { Filter } from '../query/filter.ts';
import { setAt } from './place.ts';
import { applyUpdate, type Update, updatedBytes, withId } from './update.ts';

/** Document that an upsert inserts: the filter's equalities, then the update; `_id` comes first. */
export function upsertBytes(filter: Filter, update: Update): Uint8Array {
  const demanded = equalities(filter);
  if (update.kind === 'replacement') {
    // An `_id` of null is one, too.
    const [, id = update.doc['_id']] = demanded.find(([path]) => path === '_id') ?? [];
    return updatedBytes(update, encode({ _id: id === undefined ? new ObjectId() : id }));
  }
  const seed: Document = {};
  for (const [at, [path, value]] of demanded.entries()) {
    const other = demanded
      .slice(0, at)
      .find(([held]) => `${path}.`.startsWith(`${held}.`) || held.startsWith(`${path}.`));
    if (other)
      throw new CommandError(
        54,
        `cannot infer query fields to set, both paths '${other[0]}' and '${path}' are matched`,
      );
    setAt(seed, path.split('.'), value);
  }
  const doc = applyUpdate(update, seed, true);
  return encode(withId(doc['_id'] === undefined ? new ObjectId() : doc['_id'], doc));
}

function equalities(filter: Filter): [string, unknown][] {
  if (filter.op === 'expr') throw new CommandError(224, '$expr is not allowed in the query predicate for an upsert');
  if (filter.op === 'and' || (filter.op === 'or' && filter.filters.length === 1))
    return filter.filters.flatMap(equalities);
  if (filter.op !== 'field') return [];
  const { path, predicate } = filter;
  if (predicate.op === 'eq') return [[path, predicate.value]];
  if (predicate.op === 'in' && predicate.values.length === 1 && predicate.patterns.length === 0)
    return [[path, predicate.values[0]]];
  return [];
}

export function checkId({ _id: id }: Document): void {
  const kind = kindOf(id);
  if (kind === Kind.array || kind === Kind.regex || kind === Kind.missing)
    throw new CommandError(53, `The '_id' value cannot be of type ${kind === Kind.regex ? 'regex' : 'array'}`);
  const dollar = isObject(id) ? namesOf(id).find((name) => name.startsWith('$')) : undefined;
  if (dollar)
    throw new CommandError(52, `The dollar ($) prefixed field '${dollar}' in '_id' is not valid for storage.`);
}
