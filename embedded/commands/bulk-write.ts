import { decodeWithout } from '../bson/decode.ts';
import { elements, rawField } from '../bson/raw.ts';
import { encode } from '../bson/encode.ts';
import { type Document, Kind } from '../bson/value.ts';
import { type Scope, scopeOf } from '../expression/expression.ts';
import { MongoFault } from '../fault.ts';
import { answersOf } from '../plan/cursors.ts';
import { insertOne } from '../storage/writes.ts';
import {
  anything,
  array,
  command,
  whole,
  cursor,
  documentsOf,
  type Fields,
  flag,
  given,
  needed,
  object,
  type Request,
  text,
  without,
} from './request.ts';
import { DELETE_OPTIONS, eachWrite, type Namespace, runDelete, runUpdate, UPDATE_OPTIONS } from './write.ts';

type Counts = Record<'nInserted' | 'nMatched' | 'nModified' | 'nUpserted' | 'nDeleted', number>;

const OPERATIONS = {
  insert: { insert: needed(whole), document: anything },
  update: {
    update: needed(whole),
    filter: needed(object),
    updateMods: needed(anything),
    multi: flag,
    ...without('upsertSupplied'),
    constants: object,
    ...UPDATE_OPTIONS,
  },
  delete: { delete: needed(whole), filter: needed(object), multi: flag, ...DELETE_OPTIONS },
} as const satisfies Record<string, Fields>;

const NAMESPACE = { ns: needed(text), ...without('collectionUUID', 'encryptionInformation') } as const;

/** The command of `client.bulkWrite`: operations over several namespaces in one message. */
export const bulkWrite = command({
  write: true,
  retryable: true,
  admin: true,
  stable: true,
  rawField: 'ops',
  fields: {
    ops: anything,
    nsInfo: array,
    ordered: flag,
    errorsOnly: flag,
    cursor,
    bypassDocumentValidation: flag,
    let: object,
  },
  run: (request, { ordered, errorsOnly, let: variables, cursor: { batchSize = Infinity } = {} }) => {
    const namespaces = documentsOf(request, 'nsInfo').map(namespaceOf);
    // An operation of the wrong shape fails the command before any has run.
    const operations = documentsOf(request, 'ops').map((bytes) => operationOf(bytes, namespaces));
    const scope = scopeOf(variables);
    const counts: Counts = { nInserted: 0, nMatched: 0, nModified: 0, nUpserted: 0, nDeleted: 0 };
    const done: Document[] = [];
    const errors = eachWrite(operations, ordered, (operation, idx) => {
      done.push({ ok: 1, idx, ...operation(request, scope, counts) });
    });
    const failed = errors.map(({ index, ...error }) => ({ ok: 0, idx: index, n: 0, ...error }));
    const shown: Document[] = errorsOnly ? failed : [...done, ...failed];
    shown.sort((a, b) => Number(a['idx']) - Number(b['idx']));
    const answers = answersOf(shown.map(encode));
    const first = request.engine.cursors.first('admin.$cmd.bulkWrite', answers, batchSize);
    return { ...first, nErrors: errors.length, ...counts };
  },
});

function namespaceOf(bytes: Uint8Array): Namespace {
  const { ns } = given(decodeWithout(bytes, ''), NAMESPACE, 'bulkWrite.nsInfo');
  const dot = ns.indexOf('.');
  if (dot < 1) throw new MongoFault(73, `Invalid namespace specified '${ns}'`);
  return [ns.slice(0, dot), ns.slice(dot + 1)];
}

type Operation = (request: Request, scope: Scope, counts: Counts) => Document;

function operationOf(bytes: Uint8Array, namespaces: readonly Namespace[]): Operation {
  const [first] = elements(bytes);
  const kind = first?.name as keyof typeof OPERATIONS;
  if (!Object.hasOwn(OPERATIONS, kind ?? '')) throw new MongoFault(9, `Unrecognized bulkWrite operation '${kind}'`);
  const doc = decodeWithout(bytes, 'document');
  const where = `bulkWrite.ops.${kind}`;
  const namespace = namespaces[whole(doc[kind], `${where}.${kind}`) ?? -1];
  if (!namespace) throw new MongoFault(2, `BulkWrite ops entry ${kind} has an invalid nsInfo index.`);
  if (kind === 'insert') {
    given(doc, OPERATIONS.insert, where);
    const document = rawField(bytes, 'document');
    if (document?.type !== Kind.object)
      throw new MongoFault(40414, `BSON field '${where}.document' is missing but a required field`);
    return ({ engine }, _scope, counts) => {
      insertOne(engine.catalog.ensure(...namespace), document.bytes);
      counts.nInserted++;
      return { n: 1 };
    };
  }
  if (kind === 'delete') {
    const statement = given(doc, OPERATIONS.delete, where);
    return (request, scope, counts) => {
      const n = runDelete(request, namespace, { scope, ...statement });
      counts.nDeleted += n;
      return { n };
    };
  }
  const { updateMods: change, ...options } = given(doc, OPERATIONS.update, where);
  return (request, scope, counts) => {
    const { matched, modified, upserted } = runUpdate(request, namespace, { scope, change, ...options });
    counts.nMatched += matched;
    counts.nModified += modified;
    if (!upserted) return { n: matched, nModified: modified };
    counts.nUpserted++;
    return { n: 1, nModified: 0, upserted: { _id: upserted['_id'] } };
  };
}
