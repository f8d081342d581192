import { Binary } from 'bson';
import { encode } from '../bson/encode.ts';
import { decode } from '../bson/decode.ts';
import type { Document } from '../bson/value.ts';
import { MongoFault } from '../fault.ts';
import { answersOf } from '../plan/cursors.ts';
import { parseFilter } from '../query/filter.ts';
import { matches } from '../query/match.ts';
import type { Collection } from '../storage/collection.ts';
import { collectionName, collectionOf, command, cursor, flag, object, simpleCollation, without } from './request.ts';
import { sizesOf } from './server.ts';

/** As since MongoDB 7.0, creating what is already there in the same shape is no error; there is one shape here. */
export const create = command({
  write: true,
  stable: true,
  fields: {
    collation: simpleCollation,
    ...without('capped', 'size', 'max', 'viewOn', 'pipeline', 'validator', 'validationLevel', 'validationAction'),
    ...without('timeseries', 'expireAfterSeconds', 'clusteredIndex', 'changeStreamPreAndPostImages'),
    ...without('encryptedFields', 'storageEngine', 'indexOptionDefaults', 'idIndex'),
  },
  run: (request) => {
    request.engine.catalog.ensure(request.db, collectionName(request));
    return { ok: 1 };
  },
});

export const drop = command({
  write: true,
  stable: true,
  fields: {},
  run: (request) => {
    const collection = collectionOf(request);
    if (!collection) return { ok: 1 };
    const nIndexesWas = collection.indexes.length;
    request.engine.catalog.drop(collection);
    request.engine.cursors.killIn(collection.namespace);
    return { nIndexesWas, ns: collection.namespace, ok: 1 };
  },
});

export const dropDatabase = command({
  write: true,
  stable: true,
  fields: {},
  run: ({ engine, db, body }) => {
    if (Number(body['dropDatabase']) !== 1) throw new MongoFault(5255100, 'have to pass 1 as db parameter');
    for (const collection of engine.catalog.inDatabase(db)) engine.catalog.drop(collection);
    engine.cursors.killIn(`${db}.`);
    return { dropped: db, ok: 1 };
  },
});

export const listCollections = command({
  stable: true,
  fields: { filter: object, nameOnly: flag, authorizedCollections: flag, cursor },
  run: ({ engine, db }, { filter = {}, nameOnly = false, cursor: { batchSize = Infinity } = {} }) => {
    const wanted = parseFilter(filter);
    const found = engine.catalog
      .inDatabase(db)
      .map((collection) => describe(collection))
      .filter((info) => matches(wanted, info))
      .map((info) => encode(nameOnly ? { name: info['name'], type: info['type'] } : info));
    return engine.cursors.first(`${db}.$cmd.listCollections`, answersOf(found), batchSize);
  },
});

function describe({ name, uuid }: Collection): Document {
  return {
    name,
    type: 'collection',
    options: {},
    info: { readOnly: false, uuid: new Binary(uuid, Binary.SUBTYPE_UUID) },
    idIndex: { v: 2, key: { _id: 1 }, name: '_id_' },
  };
}

export const listDatabases = command({
  admin: true,
  stable: true,
  fields: { filter: object, nameOnly: flag, authorizedDatabases: flag },
  run: ({ engine }, { filter = {}, nameOnly = false }) => {
    const wanted = parseFilter(filter);
    const names = [...new Set(engine.catalog.all().map((collection) => collection.db))].toSorted();
    const databases = names
      .map((name) => {
        if (nameOnly) return { name };
        const { size } = sizesOf(engine, engine.catalog.inDatabase(name));
        return { name, sizeOnDisk: size, empty: false };
      })
      .filter((info) => matches(wanted, decode(encode(info))));
    if (nameOnly) return { databases, ok: 1 };
    const totalSize = databases.reduce((sum, { sizeOnDisk = 0 }) => sum + sizeOnDisk, 0);
    return { databases, totalSize, totalSizeMb: Math.floor(totalSize / 2 ** 20), ok: 1 };
  },
});
