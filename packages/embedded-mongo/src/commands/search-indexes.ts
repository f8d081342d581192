import { deserialize } from 'bson';
import { encode } from '../bson/encode.ts';
import type { Document } from '../bson/value.ts';
import { CommandError } from '../errors.ts';
import { idOf, type SearchIndex } from '../search/search-index.ts';
import { parseDefinition } from '../search/text/fields.ts';
import { parseVectorDefinition } from '../search/vector/vector-index.ts';
import type { Collection } from '../storage/collection.ts';
import * as field from './fields.ts';
import { command, existing } from './request.ts';

/** Each type's check of its definition. */
const TYPES: Readonly<Record<string, (definition: Document) => unknown>> = {
  search: parseDefinition,
  vectorSearch: parseVectorDefinition,
};
const SPEC = { ...field.all(field.text, 'name', 'type'), definition: field.needed(field.object) };
const SELECTOR = field.all(field.text, 'id', 'name');

export const createSearchIndexes = command({
  write: true,
  fields: { indexes: field.needed(field.array) },
  run: (request, { indexes }) => {
    const collection = existing(request);
    if (indexes.length === 0) throw new CommandError(2, '"indexes" must be a non-empty array');
    const indexesCreated = indexes.map((spec) => {
      const where = 'createSearchIndexes.indexes';
      const {
        name = 'default',
        type = 'search',
        definition,
      } = field.given(field.object(spec, where) ?? {}, SPEC, where);
      if (!Object.hasOwn(TYPES, type)) throw new CommandError(2, `"${where}.type" must be search or vectorSearch`);
      if (name === '') throw new CommandError(9, 'A search index needs a name');
      TYPES[type]?.(definition);
      if (collection.searchIndexes.some((index) => index.name === name)) {
        const why = `an index named "${name}" is already defined for collection ${collection.name}`;
        throw new CommandError(68, `Duplicate Index: ${why}`);
      }
      return { id: idOf(request.engine.catalog.addSearchIndex(collection, name, plain(definition))), name };
    });
    return { indexesCreated, ok: 1 };
  },
});

/** The index is built anew before the command replies, so it is queryable at once. */
export const updateSearchIndex = command({
  write: true,
  fields: { ...SELECTOR, definition: field.needed(field.object) },
  run: (request, { definition, ...selector }) => {
    const collection = existing(request);
    const index = chosen(collection, selector);
    TYPES[index.type]?.(definition);
    request.engine.catalog.updateSearchIndex(collection, index, plain(definition));
    return { ok: 1 };
  },
});

export const dropSearchIndex = command({
  write: true,
  fields: SELECTOR,
  run: (request, selector) => {
    const collection = existing(request);
    request.engine.catalog.dropSearchIndex(collection, chosen(collection, selector));
    return { ok: 1 };
  },
});

type Selector = field.Given<typeof SELECTOR>;

function chosen({ searchIndexes }: Collection, { id, name }: Selector): SearchIndex {
  if ((id === undefined) === (name === undefined))
    throw new CommandError(72, "Exactly one of 'name' and 'id' of a search index must be set.");
  const found = searchIndexes.find((index) => (id === undefined ? index.name === name : idOf(index) === id));
  if (!found) throw new CommandError(27, `Search index not found: ${id ?? name}`);
  return found;
}

function plain(definition: Document): Document {
  return deserialize(encode(definition));
}
