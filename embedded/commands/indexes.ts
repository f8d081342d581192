import { deserialize } from 'bson';
import { type Document, encode, isNumeric, isObject, kindOf, numeric } from '../bson/value.ts';
import { MongoFault, notImplemented } from '../fault.ts';
import { answersOf } from '../plan/cursors.ts';
import { parseFilter } from '../query/filter.ts';
import { isArrayIndex } from '../query/path.ts';
import type { Collection } from '../storage/collection.ts';
import type { Index, IndexSpec } from '../storage/index.ts';
import { checkCollation } from '../query/collation.ts';
import { type Command, collectionName, collectionOf, countOf, objectOf, type Request } from './request.ts';

const OPTIONS = new Set([
  'v',
  'key',
  'name',
  'unique',
  'sparse',
  'partialFilterExpression',
  'expireAfterSeconds',
  'background',
  'collation',
]);

export const createIndexes: Command = {
  write: true,
  fields: ['indexes', 'commitQuorum'],
  run: (request) => {
    const { body, engine, db } = request;
    const wanted = body['indexes'];
    if (!Array.isArray(wanted) || wanted.length === 0)
      throw new MongoFault(2, 'Must specify at least one index to create');
    const created = collectionOf(request) === undefined;
    const collection = engine.catalog.ensure(db, collectionName(request));
    const before = collection.indexes.length;
    for (const spec of wanted.map(parseSpec)) {
      if (!exists(collection, spec)) engine.catalog.addIndex(collection, spec);
    }
    const after = collection.indexes.length;
    const note = before === after ? { note: 'all indexes already exist' } : {};
    return {
      numIndexesBefore: before,
      numIndexesAfter: after,
      createdCollectionAutomatically: created,
      ...note,
      ok: 1,
    };
  },
};

function parseSpec(given: unknown): IndexSpec {
  if (!isObject(given) || !isObject(given['key']) || typeof given['name'] !== 'string') {
    throw new MongoFault(9, 'An index specification needs a key and a name');
  }
  const unknown = Object.keys(given).find((option) => !OPTIONS.has(option));
  if (unknown === 'hidden' || unknown === 'wildcardProjection') throw notImplemented(`The index option ${unknown}`);
  if (unknown) throw new MongoFault(197, `The field '${unknown}' is not valid for an index specification.`);
  if (given['collation'] !== undefined) checkCollation(given['collation']);
  const { key, name, background: _ignored, collation: _simple, v: _version, ...options } = given;
  const fields = Object.entries(key);
  if (fields.length === 0) throw new MongoFault(67, 'Index keys cannot be an empty object.');
  for (const [path, way] of fields) checkField(path, way);
  if (name === '' || name === '*') throw new MongoFault(67, `The index name '${name}' is not valid`);
  const partial = options['partialFilterExpression'];
  if (partial !== undefined) {
    if (!isObject(partial)) throw new MongoFault(67, 'partialFilterExpression must be a document');
    if (options['sparse'] === true)
      throw new MongoFault(67, 'cannot mix "partialFilterExpression" and "sparse" options');
    parseFilter(partial);
  }
  const ttl = options['expireAfterSeconds'];
  if (ttl !== undefined && (!isNumeric(kindOf(ttl)) || Number(numeric(ttl)) < 0 || fields.length > 1)) {
    throw new MongoFault(67, 'TTL indexes are single-field indexes, and expireAfterSeconds is a number of at least 0');
  }
  return deserialize(encode({ v: 2, key, name, ...options }), { bsonRegExp: true }) as IndexSpec;
}

function checkField(path: string, way: unknown): void {
  if (typeof way === 'string') throw notImplemented(`An index of type '${way}'`);
  if (!isNumeric(kindOf(way)) || Number(numeric(way)) === 0)
    throw new MongoFault(67, 'Values in the index key pattern must be non-zero numbers');
  const parts = path.split('.');
  if (parts.some((part) => part === '' || part.startsWith('$')))
    throw new MongoFault(67, `Index key '${path}' is not a valid field path`);
  if (parts.some((part) => isArrayIndex(part) || part === '$**'))
    throw notImplemented(`An index on an array position or wildcard ('${path}')`);
}

/** The same index again is no change; the same name or keys with anything else is a conflict. */
function exists(collection: Collection, spec: IndexSpec): boolean {
  const same = (a: unknown, b: unknown): boolean => Buffer.compare(encode({ a }), encode({ a: b })) === 0;
  if (JSON.stringify(spec.key) === '{"_id":1}') return true;
  for (const { spec: held } of collection.indexes) {
    const sameKey = same(held.key, spec.key);
    if (held.name === spec.name) {
      if (!sameKey) {
        throw new MongoFault(
          86,
          `An existing index has the same name as the requested index. Requested index: ${JSON.stringify(spec)}, existing index: ${JSON.stringify(held)}`,
        );
      }
      if (!same(optionsOf(held), optionsOf(spec))) {
        throw new MongoFault(
          86,
          `An equivalent index already exists with the same name but different options. Requested index: ${JSON.stringify(spec)}, existing index: ${JSON.stringify(held)}`,
        );
      }
      return true;
    }
    if (sameKey && same(held['partialFilterExpression'] ?? null, spec['partialFilterExpression'] ?? null)) {
      throw new MongoFault(85, `Index already exists with a different name: ${held.name}`);
    }
  }
  return false;
}

function optionsOf(spec: IndexSpec): Document {
  const { unique = false, sparse = false, expireAfterSeconds = null, partialFilterExpression = null } = spec;
  return { unique, sparse, expireAfterSeconds, partialFilterExpression };
}

export const listIndexes: Command = {
  fields: ['cursor'],
  run: (request) => {
    const { engine, body } = request;
    const { namespace, indexes } = existing(request);
    const batchSize = countOf(objectOf(body['cursor'], 'cursor')['batchSize'], 'batchSize', Infinity);
    return engine.cursors.first(namespace, answersOf(indexes.map((index) => encode(index.spec))), batchSize, false);
  },
};

export const dropIndexes: Command = {
  write: true,
  fields: ['index'],
  run: (request) => {
    const collection = existing(request);
    const wanted = request.body['index'];
    const nIndexesWas = collection.indexes.length;
    for (const index of chosen(collection, wanted)) request.engine.catalog.dropIndex(collection, index);
    request.engine.cursors.killIn(collection.namespace);
    return { nIndexesWas, ok: 1 };
  },
};

function chosen(collection: Collection, wanted: unknown): Index[] {
  if (wanted === '*') return collection.indexes.filter((index) => !index.isId);
  return (Array.isArray(wanted) ? wanted : [wanted]).map((one) => {
    const pattern = isObject(one) ? JSON.stringify(deserialize(encode(one))) : undefined;
    const found = collection.indexes.find((index) =>
      pattern ? JSON.stringify(index.spec.key) === pattern : index.name === one,
    );
    if (!found) throw new MongoFault(27, `index not found with name [${String(pattern ?? one)}]`);
    if (found.isId) throw new MongoFault(72, 'cannot drop _id index');
    return found;
  });
}

function existing(request: Request): Collection {
  const collection = collectionOf(request);
  if (!collection) throw new MongoFault(26, `ns does not exist: ${request.db}.${collectionName(request)}`);
  return collection;
}
