import { ObjectId } from 'bson';
import type { Document } from '../bson/value.ts';
import { isObject } from '../bson/value.ts';
import { MongoFault } from '../fault.ts';
import type { Filter } from '../query/filter.ts';
import { setAt, valueAt } from './place.ts';
import { applyUpdate, type Update } from './update.ts';

/** The document an upsert inserts: what the filter demands by equality, then the update, `_id` first. */
export function upsertDocument(filter: Filter, update: Update): Document {
  const seed: Document = {};
  if ('replacement' in update) {
    const id = equalities(filter).find(([path]) => path === '_id')?.[1];
    if (id !== undefined) seed['_id'] = id;
  } else {
    for (const [path, value] of equalities(filter)) {
      const parts = path.split('.');
      if (valueAt(seed, parts) !== undefined)
        throw new MongoFault(54, `cannot infer query fields to set, path '${path}' is matched twice`);
      setAt(seed, parts, value);
    }
  }
  const { _id: id = new ObjectId(), ...rest } = applyUpdate(update, seed, true);
  return { _id: id, ...rest };
}

function equalities(filter: Filter): [string, unknown][] {
  if (filter.op === 'and' || (filter.op === 'or' && filter.filters.length === 1))
    return filter.filters.flatMap(equalities);
  if (filter.op !== 'field') return [];
  const { path, predicate } = filter;
  if (predicate.op === 'eq') return [[path, predicate.value]];
  if (predicate.op === 'in' && predicate.values.length === 1 && predicate.patterns.length === 0)
    return [[path, predicate.values[0]]];
  if (predicate.op === 'all' && predicate.items.length === 1 && predicate.items[0]?.op === 'eq')
    return [[path, predicate.items[0].value]];
  return [];
}

export function checkId(doc: Document): void {
  const id = doc['_id'];
  if (Array.isArray(id) || id === undefined) throw new MongoFault(53, "The '_id' value cannot be of type array");
  if (isObject(id) && Object.keys(id).some((name) => name.startsWith('$'))) {
    throw new MongoFault(52, "_id fields may not contain '$'-prefixed fields");
  }
}
