import { deserialize } from 'bson';
import { encode } from '../bson/encode.ts';
import { type Document, isObject } from '../bson/value.ts';
import { MongoFault } from '../fault.ts';
import { parseDefinition } from '../search/text/definition.ts';
import type { SearchIndex } from '../search/search-index.ts';
import { parseVectorDefinition } from '../search/vector/definition.ts';
import type { Collection } from '../storage/collection.ts';
import { anything, collectionName, collectionOf, command, type Request } from './request.ts';

/** Each type's check of its definition. */
const TYPES: Readonly<Record<SearchIndex['type'], (definition: Document) => unknown>> = {
  search: parseDefinition,
  vectorSearch: parseVectorDefinition,
};

export const createSearchIndexes = command({
  write: true,
  fields: { indexes: anything },
  run: (request) => {
    const collection = existing(request);
    const wanted = request.body['indexes'];
    if (!Array.isArray(wanted) || wanted.length === 0) throw new MongoFault(2, '"indexes" must be a non-empty array');
    const indexesCreated = wanted.map((spec) => {
      const { name = 'default', type = 'search', definition, ...rest } = isObject(spec) ? spec : {};
      const [unknown] = Object.keys(rest);
      if (unknown)
        throw new MongoFault(40415, `BSON field 'createSearchIndexes.indexes.${unknown}' is an unknown field.`);
      if (type !== 'search' && type !== 'vectorSearch')
        throw new MongoFault(2, '"indexes.type" must be one of [search, vectorSearch]');
      if (typeof name !== 'string' || name === '' || !isObject(definition))
        throw new MongoFault(9, 'A search index needs a name and a definition');
      TYPES[type](definition);
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
});

/** The index is built anew before the command answers, so it is queryable at once. */
export const updateSearchIndex = command({
  write: true,
  fields: { id: anything, name: anything, definition: anything },
  run: (request) => {
    const collection = existing(request);
    const { definition } = request.body;
    if (!isObject(definition))
      throw new MongoFault(40414, "BSON field 'updateSearchIndex.definition' is missing but a required field");
    const index = named(collection, request.body);
    TYPES[index.type](definition);
    request.engine.catalog.updateSearchIndex(collection, index, plain(definition));
    return { ok: 1 };
  },
});

export const dropSearchIndex = command({
  write: true,
  fields: { id: anything, name: anything },
  run: (request) => {
    const collection = existing(request);
    request.engine.catalog.dropSearchIndex(collection, named(collection, request.body));
    return { ok: 1 };
  },
});

/** The `$listSearchIndexes` stage. */
export function describeSearchIndexes(collection: Collection | undefined, spec: unknown): Document[] {
  if (!isObject(spec)) throw new MongoFault(9, 'The $listSearchIndexes stage specification must be an object.');
  const { id, name, ...rest } = spec;
  const [unknown] = Object.keys(rest);
  if (unknown) throw new MongoFault(40415, `BSON field '$listSearchIndexes.${unknown}' is an unknown field.`);
  if (id !== undefined && name !== undefined)
    throw new MongoFault(72, "Cannot set both 'name' and 'id' for $listSearchIndexes.");
  const chosen = (collection?.searchIndexes ?? []).filter(
    (index) => (name === undefined || index.name === name) && (id === undefined || idOf(index) === id),
  );
  return chosen.map((index) => ({
    id: idOf(index),
    name: index.name,
    type: index.type,
    status: 'READY',
    queryable: true,
    latestVersion: 0,
    latestDefinition: index.definition,
  }));
}

function named(collection: Collection, { id, name }: Document): SearchIndex {
  if ((id === undefined) === (name === undefined))
    throw new MongoFault(72, "Exactly one of 'name' and 'id' of a search index must be set.");
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
