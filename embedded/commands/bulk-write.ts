import { decodeWithout, elements, rawField } from '../bson/raw.ts';
import { type Document, encode } from '../bson/value.ts';
import { MongoFault } from '../fault.ts';
import { answersOf } from '../plan/cursors.ts';
import { deleteMatching, insertOne, updateMatching } from '../storage/writes.ts';
import { parseUpdate } from '../update/update.ts';
import { writeError } from './failure.ts';
import { type Command, countOf, documentsOf, flagOf, objectOf, type Request } from './request.ts';
import { checkStatement, targetOf } from './write.ts';

type Namespace = [db: string, name: string];
type Tally = { nInserted: number; nMatched: number; nModified: number; nUpserted: number; nDeleted: number };

const ALLOWED = {
  insert: ['insert', 'document'],
  update: ['update', 'filter', 'updateMods', 'multi', 'upsert', 'hint', 'sort'],
  delete: ['delete', 'filter', 'multi', 'hint'],
} as const;

/** The command of `client.bulkWrite`: operations over several namespaces in one message. */
export const bulkWrite: Command = {
  write: true,
  rawField: 'ops',
  fields: ['ops', 'nsInfo', 'ordered', 'errorsOnly', 'cursor', 'bypassDocumentValidation'],
  run: (request) => {
    if (request.db !== 'admin') throw new MongoFault(13, 'bulkWrite may only be run against the admin database.');
    const namespaces = documentsOf(request, 'nsInfo').map(namespaceOf);
    const ordered = flagOf(request.body['ordered'], 'bulkWrite.ordered', true);
    const errorsOnly = flagOf(request.body['errorsOnly'], 'bulkWrite.errorsOnly');
    const tally: Tally = { nInserted: 0, nMatched: 0, nModified: 0, nUpserted: 0, nDeleted: 0 };
    const results: Document[] = [];
    let nErrors = 0;
    for (const [idx, bytes] of documentsOf(request, 'ops').entries()) {
      try {
        const done = runOperation(request, bytes, namespaces, tally);
        if (!errorsOnly) results.push({ ok: 1, idx, ...done });
      } catch (error) {
        const { index: _index, ...failed } = writeError(idx, error);
        results.push({ ok: 0, idx, n: 0, ...failed });
        nErrors++;
        if (ordered) break;
      }
    }
    const batchSize = countOf(objectOf(request.body['cursor'], 'bulkWrite.cursor')['batchSize'], 'batchSize', Infinity);
    const first = request.engine.cursors.first(
      'admin.$cmd.bulkWrite',
      answersOf(results.map((result) => encode(result))),
      batchSize,
      false,
    );
    return { ...first, nErrors, ...tally };
  },
};

function namespaceOf(bytes: Uint8Array): Namespace {
  const info = decodeWithout(bytes, '');
  const ns = String(info['ns']);
  const dot = ns.indexOf('.');
  if (Object.keys(info).length !== 1 || dot < 1) throw new MongoFault(73, `Invalid namespace specified '${ns}'`);
  return [ns.slice(0, dot), ns.slice(dot + 1)];
}

function runOperation(request: Request, bytes: Uint8Array, namespaces: readonly Namespace[], tally: Tally): Document {
  const { engine } = request;
  const [first] = elements(bytes);
  const kind = first?.name ?? '';
  if (kind !== 'insert' && kind !== 'update' && kind !== 'delete')
    throw new MongoFault(9, `Unrecognized bulkWrite operation '${kind}'`);
  const op = decodeWithout(bytes, 'document');
  checkStatement(op, ALLOWED[kind], `bulkWrite.ops.${kind}`);
  const namespace = namespaces[Number(op[kind])];
  if (!namespace) throw new MongoFault(2, `BulkWrite ops entry has an invalid nsInfo index ${String(op[kind])}.`);
  if (kind === 'insert') {
    const document = rawField(bytes, 'document');
    if (document?.type !== 3)
      throw new MongoFault(40414, "BSON field 'bulkWrite.ops.document' is missing but a required field");
    insertOne(engine.catalog.ensure(...namespace), document.bytes);
    tally.nInserted++;
    return { n: 1 };
  }
  const target = targetOf(request, op, 'filter');
  if (kind === 'delete') {
    const collection = engine.catalog.find(...namespace);
    const n = collection ? deleteMatching(engine.database, collection, target) : 0;
    tally.nDeleted += n;
    return { n };
  }
  const { matched, modified, upserted } = updateMatching(
    engine,
    namespace,
    { ...target, upsert: flagOf(op['upsert'], 'upsert') },
    parseUpdate(op['updateMods']),
  );
  tally.nMatched += matched;
  tally.nModified += modified;
  if (!upserted) return { n: matched, nModified: modified };
  tally.nUpserted++;
  return { n: 1, nModified: 0, upserted: { _id: upserted['_id'] } };
}
