import { decodeWithout } from '../bson/decode.ts';
import { encode } from '../bson/encode.ts';
import { elements, rawField } from '../bson/raw.ts';
import { type Document, Kind } from '../bson/value.ts';
import { type Scope, scopeOf } from '../expression/expression.ts';
import { CommandError } from '../errors.ts';
import { resultsOf } from '../plan/cursors.ts';
import { insertOne } from '../storage/writes.ts';
import * as field from './fields.ts';
import { command, documentsOf, type Request } from './request.ts';
import { eachWrite, type Namespace, runDelete, runUpdate, UPDATE_OPTIONS } from './write.ts';

type Counts = Record<'nInserted' | 'nMatched' | 'nModified' | 'nUpserted' | 'nDeleted', number>;

const STATEMENT = { filter: field.needed(field.object), multi: field.flag };
const OPERATIONS = {
  insert: { insert: field.needed(field.whole), document: field.anything },
  update: {
    update: field.needed(field.whole),
    updateMods: field.needed(field.anything),
    constants: field.object,
    ...field.without('upsertSupplied'),
    ...STATEMENT,
    ...UPDATE_OPTIONS,
  },
  delete: { delete: field.needed(field.whole), ...STATEMENT, ...field.QUERY_OPTIONS },
};
const NAMESPACE = { ns: field.needed(field.text), ...field.without('collectionUUID', 'encryptionInformation') };

/** The command of `client.bulkWrite`: operations over several namespaces in one message. */
export const bulkWrite = command({
  write: true,
  retryable: true,
  admin: true,
  rawField: 'ops',
  fields: {
    ops: field.anything,
    nsInfo: field.array,
    ...field.all(field.flag, 'ordered', 'errorsOnly', 'bypassDocumentValidation'),
    cursor: field.cursor,
    let: field.object,
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
    const results = resultsOf(shown.map((one) => encode(one)));
    const first = request.engine.cursors.first('admin.$cmd.bulkWrite', results, batchSize);
    return { ...first, nErrors: errors.length, ...counts };
  },
});

function namespaceOf(bytes: Uint8Array): Namespace {
  const { ns } = field.given(decodeWithout(bytes, ''), NAMESPACE, 'bulkWrite.nsInfo');
  const dot = ns.indexOf('.');
  if (dot < 1) throw new CommandError(73, `Invalid namespace specified '${ns}'`);
  return [ns.slice(0, dot), ns.slice(dot + 1)];
}

type Operation = (request: Request, scope: Scope, counts: Counts) => Document;

function operationOf(bytes: Uint8Array, namespaces: readonly Namespace[]): Operation {
  const [first] = elements(bytes);
  const kind = first?.name as keyof typeof OPERATIONS;
  if (!Object.hasOwn(OPERATIONS, kind ?? '')) throw new CommandError(9, `Unrecognized bulkWrite operation '${kind}'`);
  const doc = decodeWithout(bytes, 'document');
  const where = `bulkWrite.ops.${kind}`;
  const namespace = namespaces[field.whole(doc[kind], `${where}.${kind}`) ?? -1];
  if (!namespace) throw new CommandError(2, `BulkWrite ops entry ${kind} has an invalid nsInfo index.`);
  if (kind === 'insert') {
    field.given(doc, OPERATIONS.insert, where);
    const document = rawField(bytes, 'document');
    if (document?.type !== Kind.object) throw field.missing(`${where}.document`);
    return ({ engine }, _scope, counts) => {
      insertOne(engine.catalog.ensure(...namespace), document.bytes);
      counts.nInserted++;
      return { n: 1 };
    };
  }
  if (kind === 'delete') {
    const statement = field.given(doc, OPERATIONS.delete, where);
    return (request, scope, counts) => {
      const n = runDelete(request, namespace, { scope, ...statement });
      counts.nDeleted += n;
      return { n };
    };
  }
  const { updateMods: change, ...options } = field.given(doc, OPERATIONS.update, where);
  return (request, scope, counts) => {
    const { matched, modified, upserted } = runUpdate(request, namespace, { scope, change, ...options });
    counts.nMatched += matched;
    counts.nModified += modified;
    if (!upserted) return { n: matched, nModified: modified };
    counts.nUpserted++;
    return { n: 1, nModified: 0, upserted: { _id: upserted['_id'] } };
  };
}
