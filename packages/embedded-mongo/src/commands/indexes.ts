import { deserialize } from 'bson';
import { encode } from '../bson/encode.ts';
import { type Document, isNumeric, isObject, kindOf, numeric } from '../bson/value.ts';
import { CommandError, notImplemented } from '../errors.ts';
import { resultsOf } from '../plan/cursors.ts';
import { type Filter, parseFilter } from '../query/filter.ts';
import { isArrayIndex } from '../query/path.ts';
import type { Collection } from '../storage/collection.ts';
import type { Index, IndexSpec } from '../storage/index.ts';
import * as field from './fields.ts';
import { collectionName, collectionOf, command, existing } from './request.ts';

const SPEC = {
  key: field.object,
  v: field.number,
  partialFilterExpression: field.object,
  collation: field.simpleCollation,
  ...field.all(field.text, 'name', 'ns'),
  ...field.all(field.flag, 'unique', 'sparse'),
  ...field.all(field.anything, 'expireAfterSeconds', 'background'),
  ...field.without('hidden', 'prepareUnique', 'clustered', 'storageEngine', 'wildcardProjection'),
  ...field.without('weights', 'default_language', 'language_override', 'textIndexVersion', 'columnstoreProjection'),
  ...field.without('2dsphereIndexVersion', 'bits', 'min', 'max'),
};
const [MAX_INDEXES, MAX_FIELDS, MAX_TTL] = [64, 32, 2 ** 31 - 1];

export const createIndexes = command({
  write: true,
  fields: { indexes: field.needed(field.array), commitQuorum: field.anything },
  run: (request, { indexes }) => {
    const { engine, db } = request;
    if (indexes.length === 0) throw new CommandError(2, 'Must specify at least one index to create');
    const specs = indexes.map(parseSpec);
    const createdCollectionAutomatically = collectionOf(request) === undefined;
    const collection = engine.catalog.ensure(db, collectionName(request));
    const numIndexesBefore = collection.indexes.length;
    for (const spec of specs) {
      if (exists(collection, spec)) continue;
      if (collection.indexes.length >= MAX_INDEXES)
        throw refused(`add index fails, too many indexes for ${collection.namespace}`);
      engine.catalog.addIndex(collection, spec);
    }
    const numIndexesAfter = collection.indexes.length;
    const reply: Document = { numIndexesBefore, numIndexesAfter, createdCollectionAutomatically };
    if (numIndexesBefore === numIndexesAfter) reply['note'] = 'all indexes already exist';
    return { ...reply, ok: 1 };
  },
});

function parseSpec(spec: unknown): IndexSpec {
  if (!isObject(spec)) throw new CommandError(14, 'The elements of the indexes array must be objects');
  const unknown = Object.keys(spec).find((option) => !Object.hasOwn(SPEC, option));
  if (unknown) throw new CommandError(197, `The field '${unknown}' is not valid for an index specification`);
  const { key, name, v = 2, ...options } = field.given(spec, SPEC, 'createIndexes.indexes');
  if (!key || name === undefined)
    throw new CommandError(9, "The 'key' and 'name' fields are required properties of an index specification");
  const { unique, sparse, partialFilterExpression, expireAfterSeconds } = options;
  const fields = Object.entries(key);
  if (fields.length === 0) throw refused('Index keys cannot be an empty object.');
  if (fields.length > MAX_FIELDS) throw new CommandError(13103, 'too many compound keys');
  for (const [path, way] of fields) checkField(path, way);
  if (name === '*') throw new CommandError(2, "The index name '*' is not valid.");
  if (name === '') throw refused('The index name cannot be empty');
  if (v !== 1 && v !== 2) throw refused(`Invalid index version ${v}`);
  if (partialFilterExpression && sparse) throw refused('cannot mix "partialFilterExpression" and "sparse" options');
  if (partialFilterExpression) checkPartial(parseFilter(partialFilterExpression));
  if (expireAfterSeconds !== undefined) checkTtl(expireAfterSeconds, fields.length);
  const kept = {
    ...(unique && { unique }),
    ...(sparse && { sparse }),
    ...(partialFilterExpression && { partialFilterExpression }),
    ...(expireAfterSeconds !== undefined && { expireAfterSeconds }),
  };
  const [extra] = Object.keys(kept);
  if (isIdKey(key) && extra)
    throw new CommandError(197, `The field '${extra}' is not valid for an _id index specification`);
  if (name === '_id_' && !isIdKey(key))
    throw new CommandError(2, "The index name '_id_' is reserved for the index with the key pattern {_id: 1}");
  return deserialize(encode({ v: 2, key, name, ...kept }), { bsonRegExp: true }) as IndexSpec;
}

function isIdKey(key: Document): boolean {
  const [first, ...more] = Object.entries(key);
  return more.length === 0 && first?.[0] === '_id' && Number(first[1]) === 1;
}

function checkTtl(ttl: unknown, fields: number): void {
  const seconds = isNumeric(kindOf(ttl)) ? Number(numeric(ttl)) : NaN;
  if (!(seconds >= 0 && seconds <= MAX_TTL))
    throw refused(`TTL index 'expireAfterSeconds' option must be a number within an acceptable range, 0 to ${MAX_TTL}`);
  if (fields > 1) throw refused('TTL indexes are single-field indexes, compound indexes do not support TTL');
}

function refused(why: string): CommandError {
  return new CommandError(67, why);
}

const KINDS = new Set(['text', 'hashed', '2d', '2dsphere', 'columnstore']);

function checkField(path: string, way: unknown): void {
  if (typeof way === 'string') {
    if (KINDS.has(way)) throw notImplemented(`An index of type '${way}'`);
    throw refused(`Unknown index plugin '${way}'`);
  }
  if (!isNumeric(kindOf(way)) || !(Math.abs(Number(numeric(way))) > 0))
    throw refused('Values in the index key pattern must be numbers other than 0, or the name of a kind of index');
  const parts = path.split('.');
  if (parts.includes('$**')) throw notImplemented(`A wildcard index ('${path}')`);
  if (parts.some((part) => part === '' || part.startsWith('$')))
    throw refused(`Index key '${path}' is not a valid field path`);
  if (parts.some((part) => isArrayIndex(part))) throw notImplemented(`An index on a position in an array ('${path}')`);
}

const PARTIAL = new Set(['eq', 'gt', 'gte', 'lt', 'lte', 'in', 'exists', 'type']);

/** Refuses a partial index filter that negates or that depends on more than the document. */
function checkPartial(filter: Filter): void {
  if (filter.op === 'and' || filter.op === 'or') return filter.filters.forEach(checkPartial);
  if (filter.op === 'field' && PARTIAL.has(filter.predicate.op)) return;
  const name = filter.op === 'field' ? `${filter.path}: $${filter.predicate.op}` : `$${filter.op}`;
  throw refused(`Expression not supported in partial index: ${name}`);
}

/**
 * The same index again is no change. Keys, uniqueness, sparseness and partial filter are what tells two indexes apart:
 * those may differ under two names, the other options may not.
 */
function exists(collection: Collection, spec: IndexSpec): boolean {
  if (isIdKey(spec.key)) return true;
  for (const { spec: held } of collection.indexes) {
    const shown = `Requested index: ${JSON.stringify(spec)}, existing index: ${JSON.stringify(held)}`;
    const same = sameBytes(signature(held), signature(spec));
    if (held.name !== spec.name) {
      if (same) throw new CommandError(85, `Index already exists with a different name: ${held.name}. ${shown}`);
      continue;
    }
    if (!same) throw new CommandError(86, `An existing index has the same name as the requested index. ${shown}`);
    if (held['expireAfterSeconds'] !== spec['expireAfterSeconds']) {
      throw new CommandError(
        85,
        `An equivalent index already exists with the same name but different options. ${shown}`,
      );
    }
    return true;
  }
  return false;
}

function signature({ key, unique = false, sparse = false, partialFilterExpression = null }: IndexSpec): Document {
  return { key, unique, sparse, partialFilterExpression };
}

function sameBytes(a: Document, b: Document): boolean {
  return Buffer.compare(encode(a), encode(b)) === 0;
}

export const listIndexes = command({
  fields: { cursor: field.cursor },
  run: (request, { cursor: { batchSize = Infinity } = {} }) => {
    const { namespace, indexes } = existing(request);
    const results = resultsOf(indexes.map((index) => encode(index.spec)));
    return request.engine.cursors.first(namespace, results, batchSize);
  },
});

export const dropIndexes = command({
  write: true,
  fields: { index: field.needed(field.anything) },
  run: (request, { index: wanted }) => {
    const collection = existing(request);
    const nIndexesWas = collection.indexes.length;
    for (const index of chosen(collection, wanted)) request.engine.catalog.dropIndex(collection, index);
    const msg = wanted === '*' ? { msg: 'non-_id indexes dropped for collection' } : {};
    return { nIndexesWas, ...msg, ok: 1 };
  },
});

function chosen({ indexes }: Collection, wanted: unknown): Index[] {
  if (wanted === '*') return indexes.filter((index) => !index.isId);
  const names = Array.isArray(wanted) ? wanted : [isObject(wanted) ? nameOf(indexes, wanted) : wanted];
  return [...new Set(names)].map((name) => {
    if (typeof name !== 'string')
      throw new CommandError(14, "BSON field 'dropIndexes.index' must be a name, a key pattern or an array of names");
    const found = indexes.find((index) => index.name === name);
    if (!found) throw new CommandError(27, `index not found with name [${name}]`);
    if (found.isId) throw new CommandError(72, 'cannot drop _id index');
    return found;
  });
}

function nameOf(indexes: readonly Index[], pattern: Document): string {
  const key = deserialize(encode(pattern));
  const [found, ...more] = indexes.filter((index) => sameBytes(index.spec.key, key));
  if (!found) throw new CommandError(27, `can't find index with key: ${JSON.stringify(key)}`);
  if (more.length > 0)
    throw new CommandError(181, `Several indexes have the key ${JSON.stringify(key)}: drop one by its name`);
  return found.name;
}
