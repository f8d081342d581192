import { arch, cpus, hostname, release, totalmem, type } from 'node:os';
import { Double } from 'bson';
import type { Document } from '../bson/value.ts';
import { MongoFault } from '../fault.ts';
import type { Collection } from '../storage/collection.ts';
import { MAX_DOCUMENT_SIZE } from '../storage/collection.ts';
import type { Engine } from '../storage/engine.ts';
import { anything, collectionOf, command, flag, namespaceOf, number } from './request.ts';

// What clients ask a server about itself: drivers' test harnesses, mongosh and Compass when they connect.

const VERSION = '8.0.0';

/** What `getParameter` knows. */
const PARAMETERS: Document = {
  featureCompatibilityVersion: { version: '8.0' },
  authenticationMechanisms: ['PLAIN'],
  requireApiVersion: false,
};

export const buildInfo = command({
  fields: {},
  run: () => ({
    version: VERSION,
    versionArray: [8, 0, 0, 0],
    gitVersion: 'inkgraph-embedded',
    modules: ['inkgraph-embedded'],
    bits: 64,
    debug: false,
    maxBsonObjectSize: MAX_DOCUMENT_SIZE,
    ok: 1,
  }),
});

export const connectionStatus = command({
  open: true,
  fields: { showPrivileges: flag },
  run: ({ connection }) => ({
    authInfo: {
      authenticatedUsers: connection.authenticated ? [{ user: 'inkgraph', db: '$external' }] : [],
      authenticatedUserRoles: [],
    },
    ok: 1,
  }),
});

export const whatsmyuri = command({ fields: {}, run: ({ connection }) => ({ you: connection.peer, ok: 1 }) });

export const getParameter = command({
  admin: true,
  anyField: true,
  fields: { allParameters: flag },
  run: ({ body }, { allParameters = false, ...named }) => {
    const names = body['getParameter'] === '*' || allParameters ? Object.keys(PARAMETERS) : Object.keys(named);
    const known = names.filter((name) => Object.hasOwn(PARAMETERS, name));
    if (known.length === 0) throw new MongoFault(72, 'no option found to get');
    return { ...Object.fromEntries(known.map((name) => [name, PARAMETERS[name]])), ok: 1 };
  },
});

/** The sections that there are; asking for others, or for fewer, changes nothing. */
export const serverStatus = command({
  anyField: true,
  fields: {},
  run: ({ service }) => ({
    host: service.address,
    version: VERSION,
    process: 'inkgraph-embedded',
    pid: process.pid,
    uptime: process.uptime(),
    localTime: new Date(),
    connections: service.connections,
    mem: { bits: 64, resident: Math.round(process.memoryUsage.rss() / 2 ** 20) },
    storageEngine: { name: 'sqlite', persistent: true, supportsCommittedReads: true },
    ok: 1,
  }),
});

export const hostInfo = command({
  fields: {},
  run: () => ({
    system: {
      currentTime: new Date(),
      hostname: hostname(),
      cpuAddrSize: 64,
      memSizeMB: Math.round(totalmem() / 2 ** 20),
      numCores: cpus().length,
      cpuArch: arch(),
    },
    os: { type: type(), name: type(), version: release() },
    extra: {},
    ok: 1,
  }),
});

export const getCmdLineOpts = command({
  admin: true,
  fields: {},
  run: () => ({ argv: ['inkgraph-embedded'], parsed: {}, ok: 1 }),
});

/** There are no log lines to give. */
export const getLog = command({
  admin: true,
  fields: {},
  run: ({ body }) => {
    const wanted = body['getLog'];
    if (wanted === '*') return { names: ['global', 'startupWarnings'], ok: 1 };
    if (wanted !== 'global' && wanted !== 'startupWarnings')
      throw new MongoFault(96, `No log named '${String(wanted)}'`);
    return { totalLinesWritten: 0, log: [], ok: 1 };
  },
});

/** Sizes are those of the documents: one file holds everything, and its pages belong to no collection. */
export const dbStats = command({
  fields: { scale: number, freeStorage: anything },
  run: ({ engine, db }, { scale = 1 }) => {
    const collections = engine.catalog.inDatabase(db);
    const { count: objects, size, ...shared } = sizesOf(engine, collections, scale);
    const indexes = collections.reduce((sum, collection) => sum + collection.indexes.length, 0);
    return {
      db,
      collections: collections.length,
      views: 0,
      objects,
      dataSize: size,
      indexes,
      indexSize: 0,
      ...shared,
      ok: 1,
    };
  },
});

export const collStats = command({
  fields: { scale: number },
  run: (request, { scale = 1 }) => {
    const collection = collectionOf(request);
    const sizes = sizesOf(request.engine, collection ? [collection] : [], scale);
    const nindexes = collection?.indexes.length ?? 0;
    return { ns: namespaceOf(request), ...sizes, nindexes, totalIndexSize: 0, indexSizes: {}, capped: false, ok: 1 };
  },
});

export function sizesOf(engine: Engine, collections: readonly Collection[], scale = 1) {
  if (!(scale >= 1)) throw new MongoFault(51024, `BSON field 'scale' value must be >= 1, actual value '${scale}'`);
  let count = 0;
  let bytes = 0;
  for (const { table } of collections) {
    const [rows, length] = engine.database.get(`SELECT count(*), total(length(d)) FROM ${table}`) ?? [];
    count += Number(rows);
    bytes += Number(length);
  }
  const size = Math.floor(bytes / scale);
  const avgObjSize = new Double(count > 0 ? bytes / count : 0);
  return { count, size, avgObjSize, storageSize: size, totalSize: size, scaleFactor: scale };
}
