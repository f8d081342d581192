import { Binary } from 'bson';
import { decode } from '../bson/decode.ts';
import { encode } from '../bson/encode.ts';
import type { Document } from '../bson/value.ts';
import { CommandError } from '../errors.ts';
import { resultsOf } from '../plan/cursors.ts';
import { parseFilter } from '../query/filter.ts';
import { matches } from '../query/match.ts';
import { checkCollection } from '../storage/check.ts';
import * as field from './fields.ts';
import { collectionName, collectionOf, command, existing, namespaceOf } from './request.ts';

/** As since MongoDB 7.0, creating what is already there in the same shape is no error; there is one shape here. */
export const create = command({
  write: true,
  fields: {
    collation: field.simpleCollation,
    ...field.without('capped', 'size', 'max', 'viewOn', 'pipeline', 'validator', 'validationLevel', 'validationAction'),
    ...field.without('timeseries', 'expireAfterSeconds', 'clusteredIndex', 'changeStreamPreAndPostImages'),
    ...field.without('encryptedFields', 'storageEngine', 'indexOptionDefaults', 'idIndex'),
  },
  run: (request) => {
    request.engine.catalog.ensure(request.db, collectionName(request));
    return { ok: 1 };
  },
});

export const drop = command({
  write: true,
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
  run: ({ engine, db, body }) => {
    if (Number(body['dropDatabase']) !== 1) throw new CommandError(5255100, 'have to pass 1 as db parameter');
    for (const collection of engine.catalog.inDatabase(db)) engine.catalog.drop(collection);
    engine.cursors.killIn(`${db}.`);
    return { dropped: db, ok: 1 };
  },
});

export const listCollections = command({
  fields: {
    filter: field.object,
    ...field.all(field.flag, 'nameOnly', 'authorizedCollections'),
    cursor: field.cursor,
  },
  run: ({ engine, db }, { filter = {}, nameOnly, cursor: { batchSize = Infinity } = {} }) => {
    const wanted = parseFilter(filter);
    const type = 'collection';
    const found = engine.catalog.inDatabase(db).map(({ name, uuid }) => ({
      name,
      type,
      options: {},
      info: { readOnly: false, uuid: new Binary(uuid, Binary.SUBTYPE_UUID) },
      idIndex: { v: 2, key: { _id: 1 }, name: '_id_' },
    }));
    const chosen = found.filter((info) => matches(wanted, info));
    const shown = chosen.map((info) => encode(nameOnly ? { name: info.name, type } : info));
    return engine.cursors.first(`${db}.$cmd.listCollections`, resultsOf(shown), batchSize);
  },
});

/** Sizes are those of the documents: one file holds everything, and its pages belong to no database. */
export const listDatabases = command({
  admin: true,
  fields: { filter: field.object, ...field.all(field.flag, 'nameOnly', 'authorizedDatabases') },
  run: ({ engine: { catalog, database } }, { filter = {}, nameOnly }) => {
    const wanted = parseFilter(filter);
    const sizeOf = (name: string): number =>
      catalog
        .inDatabase(name)
        .reduce((sum, { table }) => sum + Number(database.get(`SELECT total(length(d)) FROM ${table}`)?.[0]), 0);
    const databases = [...new Set(catalog.all().map((collection) => collection.db))]
      .toSorted()
      .map((name) => (nameOnly ? { name } : { name, sizeOnDisk: sizeOf(name), empty: false }))
      .filter((info) => matches(wanted, decode(encode(info))));
    if (nameOnly) return { databases, ok: 1 };
    const totalSize = databases.reduce((sum, { sizeOnDisk = 0 }) => sum + sizeOnDisk, 0);
    return { databases, totalSize, totalSizeMb: Math.floor(totalSize / 2 ** 20), ok: 1 };
  },
});

/** Numbers and bytes of the documents: the pages of the file belong to no collection. One that is missing is empty, as with MongoDB. */
export const collStats = command({
  fields: { ...field.all(field.number, 'scale'), ...field.without('maxTimeSecs') },
  run: (request, { scale = 1 }) => {
    const collection = collectionOf(request);
    const ns = collection?.namespace ?? namespaceOf(request);
    if (!collection) return { ns, size: 0, count: 0, nindexes: 0, scaleFactor: scale, ok: 1 };
    const { table, indexes } = collection;
    const [count, size] = request.engine.database.get(`SELECT count(*), total(length(d)) FROM ${table}`) ?? [];
    return {
      ns,
      size: Math.floor(Number(size) / scale),
      count: Number(count),
      nindexes: indexes.length,
      scaleFactor: scale,
      ok: 1,
    };
  },
});

/** MongoDB's full check: every document is read and every index compared with them. It mends nothing. */
export const validate = command({
  fields: {
    ...field.all(field.flag, 'full', 'checkBSONConformance'),
    ...field.without('metadata', 'repair', 'fixMultikey', 'background'),
  },
  run: (request) => {
    const { database } = request.engine;
    const collection = existing(request);
    const { namespace, uuid, indexes } = collection;
    const errors: string[] = [];
    const nrecords = checkCollection(database, collection, errors);
    const keysPerIndex: Document = {};
    const indexDetails: Document = {};
    for (const { name, table } of indexes) {
      keysPerIndex[name] = Number(database.get(`SELECT count(*) FROM ${table}`)?.[0]);
      indexDetails[name] = { valid: !errors.some((error) => `${error} `.includes(` index ${name} `)) };
    }
    return {
      ns: namespace,
      uuid: new Binary(uuid, Binary.SUBTYPE_UUID),
      nrecords,
      nIndexes: indexes.length,
      keysPerIndex,
      indexDetails,
      valid: errors.length === 0,
      repaired: false,
      readOnly: false,
      warnings: [],
      errors,
      ok: 1,
    };
  },
});
