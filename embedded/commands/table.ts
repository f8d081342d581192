import { aggregate } from './aggregate.ts';
import { bulkWrite } from './bulk-write.ts';
import { create, drop, dropDatabase, listCollections, listDatabases } from './collections.ts';
import { explain } from './explain.ts';
import { findAndModify } from './find-and-modify.ts';
import { endSessions, hello, ping, saslContinue, saslStart } from './handshake.ts';
import { createIndexes, dropIndexes, listIndexes } from './indexes.ts';
import { distinct } from './distinct.ts';
import { count, find, getMore, killCursors } from './query.ts';
import type { Command } from './request.ts';
import { createSearchIndexes, dropSearchIndex, updateSearchIndex } from './search-indexes.ts';
import * as server from './server.ts';
import { validate } from './validate.ts';
import { insert, remove, update } from './write.ts';

/** Every command there is; any other name is refused with CommandNotFound. */
export const COMMANDS: Readonly<Record<string, Command>> = {
  hello,
  isMaster: hello,
  ismaster: hello,
  ping,
  saslStart,
  saslContinue,
  endSessions,

  find,
  getMore,
  killCursors,
  count,
  distinct,
  aggregate,
  explain,

  insert,
  update,
  delete: remove,
  findAndModify,
  findandmodify: findAndModify,
  bulkWrite,

  create,
  drop,
  dropDatabase,
  listCollections,
  listDatabases,

  createIndexes,
  listIndexes,
  dropIndexes,
  createSearchIndexes,
  updateSearchIndex,
  dropSearchIndex,

  buildInfo: server.buildInfo,
  buildinfo: server.buildInfo,
  connectionStatus: server.connectionStatus,
  whatsmyuri: server.whatsmyuri,
  getParameter: server.getParameter,
  serverStatus: server.serverStatus,
  hostInfo: server.hostInfo,
  getCmdLineOpts: server.getCmdLineOpts,
  getLog: server.getLog,
  dbStats: server.dbStats,
  dbstats: server.dbStats,
  collStats: server.collStats,
  collstats: server.collStats,
  validate,
};
