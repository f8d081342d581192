import { Binary } from 'bson';
import { decode, type Document, encode } from '../bson/value.ts';
import { MongoFault } from '../fault.ts';
import { answersOf } from '../plan/cursors.ts';
import { matches } from '../query/match.ts';
import type { Collection } from '../storage/collection.ts';
import { type Command, collectionName, collectionOf, countOf, filterOf, flagOf, objectOf } from './request.ts';

export const create: Command = {
  write: true,
  fields: ['autoIndexId', 'idIndex'],
  run: (request) => {
    if (collectionOf(request))
      throw new MongoFault(48, `Collection ${request.db}.${collectionName(request)} already exists.`);
    request.engine.catalog.create(request.db, collectionName(request));
    return { ok: 1 };
  },
};

export const drop: Command = {
  write: true,
  fields: [],
  run: (request) => {
    const collection = collectionOf(request);
    if (!collection) return { ok: 1 };
    const nIndexesWas = collection.indexes.length;
    request.engine.catalog.drop(collection);
    request.engine.cursors.killIn(collection.namespace);
    return { nIndexesWas, ns: collection.namespace, ok: 1 };
  },
};

export const dropDatabase: Command = {
  write: true,
  fields: [],
  run: ({ engine, db }) => {
    for (const collection of engine.catalog.inDatabase(db)) engine.catalog.drop(collection);
    engine.cursors.killIn(`${db}.`);
    return { dropped: db, ok: 1 };
  },
};

export const listCollections: Command = {
  fields: ['filter', 'nameOnly', 'authorizedCollections', 'cursor'],
  run: ({ engine, db, body }) => {
    const filter = filterOf(body['filter'], 'listCollections.filter');
    const nameOnly = flagOf(body['nameOnly'], 'listCollections.nameOnly');
    const found = engine.catalog
      .inDatabase(db)
      .map(describe)
      .filter((info) => matches(filter, info));
    const answers = answersOf(
      found.map((info) => encode(nameOnly ? { name: info['name'], type: info['type'] } : info)),
    );
    const batchSize = countOf(objectOf(body['cursor'], 'cursor')['batchSize'], 'batchSize', Infinity);
    return engine.cursors.first(`${db}.$cmd.listCollections`, answers, batchSize, false);
  },
};

function describe(collection: Collection): Document {
  return {
    name: collection.name,
    type: 'collection',
    options: {},
    info: { readOnly: false, uuid: new Binary(collection.uuid, Binary.SUBTYPE_UUID) },
    idIndex: { v: 2, key: { _id: 1 }, name: '_id_' },
  };
}

export const listDatabases: Command = {
  fields: ['filter', 'nameOnly', 'authorizedDatabases'],
  run: ({ engine, body }) => {
    const filter = filterOf(body['filter'], 'listDatabases.filter');
    const names = [...new Set(engine.catalog.all().map((collection) => collection.db))].toSorted();
    const nameOnly = flagOf(body['nameOnly'], 'listDatabases.nameOnly');
    const databases = names
      .map((name) => (nameOnly ? { name } : { name, sizeOnDisk: 0, empty: false }))
      .filter((info) => matches(filter, decode(encode(info))));
    return nameOnly ? { databases, ok: 1 } : { databases, totalSize: 0, totalSizeMb: 0, ok: 1 };
  },
};
