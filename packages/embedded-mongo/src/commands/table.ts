import { aggregate } from './aggregate.ts';
import { bulkWrite } from './bulk-write.ts';
import * as collections from './collections.ts';
import { distinct } from './distinct.ts';
import { explain } from './explain.ts';
import * as handshake from './handshake.ts';
import * as indexes from './indexes.ts';
import { count, find, getMore, killCursors } from './query.ts';
import type { Command } from './request.ts';
import { createSearchIndexes, dropSearchIndex, updateSearchIndex } from './search-indexes.ts';
import * as server from './server.ts';
import { findAndModify, insert, remove, update } from './write.ts';

/** All commands. Other names are refused with CommandNotFound. In four of the files each export is a command. */
export const COMMANDS: Readonly<Record<string, Command>> = {
  ...handshake,
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
  ...collections,
  ...indexes,
  createSearchIndexes,
  updateSearchIndex,
  dropSearchIndex,
  ...server,
};
