import { deserialize } from 'bson';
import { type Document, encode, isObject } from '../bson/value.ts';
import { MongoFault, notImplemented } from '../fault.ts';
import { parseDefinition } from '../search/definition.ts';
import type { SearchIndex } from '../search/search-index.ts';
import type { Collection } from '../storage/collection.ts';
import { type Command, collectionName, collectionOf, type Request } from './request.ts';

export const createSearchIndexes: Command = {
  write: true,
  fields: ['indexes'],
  run: (request) => {
    const collection = existing(request);
    const wanted = request.body['indexes'];
    if (!Array.isArray(wanted) || wanted.length === 0) throw new MongoFault(2, '"indexes" must be a non-empty array');
    const indexesCreated = wanted.map((spec) => {
      const { name = 'default', type = 'search', definition, ...rest } = isObject(spec) ? spec : {};
      const [unknown] = Object.keys(rest);
      if (unknown)
        throw new MongoFault(40415, `BSON field 'createSearchIndexes.indexes.${unknown}' is an unknown field.`);
      if (type !== 'search') throw notImplemented(`A search index of type '${String(type)}'`);
      if (typeof name !== 'string' || name === '' || !isObject(definition))
        throw new MongoFault(9, 'A search index needs a name and a definition');
      if (collection.searchIndexes.some((index) => index.name === name)) {
        throw new MongoFault(
          68,
          `Duplicate Index: an index named "${name}" is already defined for collection ${collection.name}`,
        );
      }
      const index = request.engine.catalog.addSearchIndex(collection, name, plain(definition));
      return { id: idOf(index), name };
    });
    return { indexesCreated, ok: 1 };
  },
};

/** The index is built anew before the command answers, so it is queryable at once. */
export const updateSearchIndex: Command = {
  write: true,
  fields: ['id', 'name', 'definition'],
  run: (request) => {
    const collection = existing(request);
    const { definition } = request.body;
    if (!isObject(definition))
      throw new MongoFault(40414, "BSON field 'updateSearchIndex.definition' is missing but a required field");
    const index = named(collection, request.body);
    parseDefinition(definition);
    request.engine.catalog.dropSearchIndex(collection, index);
    request.engine.catalog.addSearchIndex(collection, index.name, plain(definition));
    return { ok: 1 };
  },
};

export const dropSearchIndex: Command = {
  write: true,
  fields: ['id', 'name'],
  run: (request) => {
    const collection = existing(request);
    request.engine.catalog.dropSearchIndex(collection, named(collection, request.body));
    return { ok: 1 };
  },
};

/** The `$listSearchIndexes` stage. */
export function describeSearchIndexes(collection: Collection | undefined, spec: unknown): Document[] {
  const wanted = isObject(spec) ? spec : {};
  const chosen = (collection?.searchIndexes ?? []).filter(
    (index) =>
      (wanted['name'] === undefined || index.name === wanted['name']) &&
      (wanted['id'] === undefined || idOf(index) === wanted['id']),
  );
  return chosen.map((index) => ({
    id: idOf(index),
    name: index.name,
    type: 'search',
    status: 'READY',
    queryable: true,
    latestVersion: 0,
    latestDefinition: index.definition,
  }));
}

function named(collection: Collection, { id, name }: Document): SearchIndex {
  const found = collection.searchIndexes.find((index) => (id === undefined ? index.name === name : idOf(index) === id));
  if (!found) throw new MongoFault(27, `Search index not found: ${String(id ?? name)}`);
  return found;
}

function idOf(index: SearchIndex): string {
  return index.id.toString(16).padStart(24, '0');
}

function plain(definition: Document): Document {
  return deserialize(encode(definition));
}

function existing(request: Request): Collection {
  const collection = collectionOf(request);
  if (!collection) throw new MongoFault(26, `Collection '${request.db}.${collectionName(request)}' does not exist.`);
  return collection;
}
