import { aggregate } from './aggregate.ts';
import { bulkWrite } from './bulk-write.ts';
import { explain } from './explain.ts';
import { createSearchIndexes, dropSearchIndex, updateSearchIndex } from './search-indexes.ts';
import { create, drop, dropDatabase, listCollections, listDatabases } from './collections.ts';
import { distinct } from './distinct.ts';
import { findAndModify } from './find-and-modify.ts';
import { buildInfo, connectionStatus, endSessions, hello, ping, saslContinue, saslStart } from './handshake.ts';
import { createIndexes, dropIndexes, listIndexes } from './indexes.ts';
import { count, find, getMore, killCursors } from './query.ts';
import type { Command } from './request.ts';
import { insert, remove, update } from './write.ts';

/** Every command there is; any other name is refused with CommandNotFound. */
export const COMMANDS: Readonly<Record<string, Command>> = {
  hello,
  isMaster: hello,
  ismaster: hello,
  ping,
  buildInfo,
  buildinfo: buildInfo,
  saslStart,
  saslContinue,
  connectionStatus,
  endSessions,
  find,
  getMore,
  killCursors,
  count,
  aggregate,
  explain,
  bulkWrite,
  distinct,
  insert,
  update,
  delete: remove,
  findAndModify,
  findandmodify: findAndModify,
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
};
