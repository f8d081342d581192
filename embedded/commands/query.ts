import type { Document } from '../bson/value.ts';
import { MongoFault } from '../fault.ts';
import type { Answers } from '../plan/cursors.ts';
import { openRows, type Query } from '../plan/rows.ts';
import { parseProjection, projectBytes } from '../query/project.ts';
import {
  type Command,
  collectionName,
  collectionOf,
  countOf,
  filterOf,
  flagOf,
  objectOf,
  type Request,
  sortOf,
} from './request.ts';

const NO_ANSWERS: Answers = { next: () => undefined, pause: () => undefined };

export function queryOf(body: Document): Query {
  return {
    filter: filterOf(body['filter'], 'find.filter'),
    sort: sortOf(body['sort'], 'find.sort'),
    skip: countOf(body['skip'], 'find.skip', 0),
    limit: countOf(body['limit'], 'find.limit', 0),
    hint: body['hint'],
  };
}

export const find: Command = {
  fields: [
    'filter',
    'projection',
    'sort',
    'skip',
    'limit',
    'hint',
    'batchSize',
    'singleBatch',
    'allowDiskUse',
    'noCursorTimeout',
  ],
  run: (request) => {
    const { body, engine } = request;
    const query = queryOf(body);
    const projection = parseProjection(objectOf(body['projection'], 'find.projection'));
    const collection = collectionOf(request);
    const rows = collection && openRows(engine.database, collection, query);
    const answers: Answers = rows
      ? {
          next: () => {
            const row = rows.next();
            return row && (projection ? projectBytes(row.bytes, projection) : row.bytes);
          },
          pause: () => rows.pause(),
        }
      : NO_ANSWERS;
    const single = flagOf(body['singleBatch'], 'find.singleBatch');
    return engine.cursors.first(
      namespaceOf(request),
      answers,
      countOf(body['batchSize'], 'find.batchSize', 101),
      single,
    );
  },
};

export const getMore: Command = {
  fields: ['collection', 'batchSize'],
  run: ({ engine, body, db }) => {
    const size = countOf(body['batchSize'], 'getMore.batchSize', 0);
    return engine.cursors.next(
      cursorId(body['getMore']),
      `${db}.${String(body['collection'])}`,
      size === 0 ? Infinity : size,
    );
  },
};

export const killCursors: Command = {
  fields: ['cursors'],
  run: ({ engine, body }) => {
    const cursors = body['cursors'];
    if (!Array.isArray(cursors))
      throw new MongoFault(40414, "BSON field 'killCursors.cursors' is missing but a required field");
    const killed = cursors.filter((id) => engine.cursors.kill(cursorId(id)));
    const unknown = cursors.filter((id) => !killed.includes(id));
    return { cursorsKilled: killed, cursorsNotFound: unknown, cursorsAlive: [], cursorsUnknown: [], ok: 1 };
  },
};

export const count: Command = {
  fields: ['query', 'skip', 'limit', 'hint', 'fields'],
  run: (request) => {
    const { body, engine } = request;
    const limit = Number(body['limit'] ?? 0);
    const query = queryOf({ ...body, filter: body['query'], sort: undefined, limit: Math.abs(limit) });
    const collection = collectionOf(request);
    if (!collection) return { n: 0, ok: 1 };
    const isAll = Object.keys(objectOf(body['query'], 'count.query')).length === 0;
    if (isAll && query.skip === 0 && query.limit === 0) return { n: collection.count(), ok: 1 };
    const rows = openRows(engine.database, collection, query);
    let n = 0;
    while (rows.next()) n++;
    rows.pause();
    return { n, ok: 1 };
  },
};

export function namespaceOf(request: Request): string {
  return `${request.db}.${collectionName(request)}`;
}

function cursorId(value: unknown): number {
  const id = Number(String(value));
  if (!Number.isSafeInteger(id)) throw new MongoFault(43, `cursor id ${String(value)} not found`);
  return id;
}
