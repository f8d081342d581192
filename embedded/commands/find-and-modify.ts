import { RawDocument } from '../bson/reply.ts';
import { decode, type Document, encode } from '../bson/value.ts';
import { MongoFault, notImplemented } from '../fault.ts';
import { eachRow } from '../plan/rows.ts';
import { parseProjection, projectBytes } from '../query/project.ts';
import { updateMatching, updateRow } from '../storage/writes.ts';
import { parseUpdate } from '../update/update.ts';
import {
  type Command,
  collectionName,
  collectionOf,
  filterOf,
  flagOf,
  objectOf,
  type Request,
  sortOf,
} from './request.ts';

export const findAndModify: Command = {
  write: true,
  fields: [
    'query',
    'sort',
    'update',
    'remove',
    'new',
    'fields',
    'upsert',
    'hint',
    'arrayFilters',
    'bypassDocumentValidation',
  ],
  run: (request) => {
    const { body } = request;
    if (Array.isArray(body['arrayFilters']) && body['arrayFilters'].length > 0) throw notImplemented('arrayFilters');
    const removing = flagOf(body['remove'], 'remove');
    if (removing === (body['update'] !== undefined)) {
      throw new MongoFault(
        9,
        removing
          ? "Cannot specify both an 'update' and 'remove'=true"
          : 'Either an update or remove=true must be specified',
      );
    }
    const upsert = flagOf(body['upsert'], 'upsert');
    const wantsNew = flagOf(body['new'], 'new');
    if (removing && (upsert || wantsNew)) throw new MongoFault(9, "Cannot specify 'upsert' or 'new' with 'remove'");
    return removing ? removeFound(request) : updateFound(request, upsert, wantsNew);
  },
};

function queryOf(request: Request) {
  const { body } = request;
  return {
    filter: filterOf(body['query'], 'query'),
    sort: sortOf(body['sort'], 'sort'),
    skip: 0,
    limit: 1,
    hint: body['hint'],
  };
}

function removeFound(request: Request): Document {
  const collection = collectionOf(request);
  const [row] = collection ? eachRow(request.engine.database, collection, queryOf(request)) : [];
  if (!row) return { lastErrorObject: { n: 0 }, value: null, ok: 1 };
  collection?.remove(row.id, decode(row.bytes));
  return { lastErrorObject: { n: 1 }, value: shown(request, row.bytes), ok: 1 };
}

function updateFound(request: Request, upsert: boolean, wantsNew: boolean): Document {
  const { engine, body, db } = request;
  const update = parseUpdate(body['update']);
  const query = queryOf(request);
  const collection = collectionOf(request);
  const [row] = collection ? eachRow(engine.database, collection, query) : [];
  if (collection && row) {
    const after = updateRow(collection, row, update) ?? row.bytes;
    return {
      lastErrorObject: { n: 1, updatedExisting: true },
      value: shown(request, wantsNew ? after : row.bytes),
      ok: 1,
    };
  }
  if (!upsert) return { lastErrorObject: { n: 0, updatedExisting: false }, value: null, ok: 1 };
  const { upserted = {} } = updateMatching(
    engine,
    [db, collectionName(request)],
    { ...query, multi: false, upsert: true },
    update,
  );
  return {
    lastErrorObject: { n: 1, updatedExisting: false, upserted: upserted['_id'] },
    value: wantsNew ? shown(request, encode(upserted)) : null,
    ok: 1,
  };
}

function shown(request: Request, bytes: Uint8Array): RawDocument {
  const projection = parseProjection(objectOf(request.body['fields'], 'fields'));
  return new RawDocument(projection ? projectBytes(bytes, projection) : bytes);
}
