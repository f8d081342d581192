import { decode } from '../bson/decode.ts';
import { type Document, Kind, Raw } from '../bson/value.ts';
import { type Scope, scopeOf } from '../expression/expression.ts';
import { CommandError, writeError } from '../errors.ts';
import { eachRow } from '../plan/rows.ts';
import { checkCollatedShape, checkCollatedUpdate } from '../query/collation.ts';
import { parseProjection } from '../pipeline/shape.ts';
import { deleteMatching, insertOne, type Target, type UpdateOutcome, updateMatching } from '../storage/writes.ts';
import { parseUpdate } from '../update/update.ts';
import * as field from './fields.ts';
import { queryOf } from './query.ts';
import { collectionName, collectionOf, command, documentsOf, type Request } from './request.ts';

const MAX_WRITES = 100_000;
export type Namespace = readonly [db: string, name: string];

/** Options of an update statement, whether alone, in findAndModify or in bulkWrite. */
export const UPDATE_OPTIONS = {
  ...field.QUERY_OPTIONS,
  arrayFilters: field.array,
  upsert: field.flag,
  sort: field.object,
};

export const DELETE = { q: field.needed(field.object), limit: field.needed(field.whole), ...field.QUERY_OPTIONS };
export const UPDATE = {
  q: field.needed(field.object),
  u: field.needed(field.anything),
  c: field.object,
  multi: field.flag,
  ...field.without('upsertSupplied'),
  ...UPDATE_OPTIONS,
};
/** There are no validators to bypass. */
const BATCH = field.all(field.flag, 'ordered', 'bypassDocumentValidation');

interface Statement extends Partial<field.Given<typeof UPDATE_OPTIONS>> {
  filter: Document;
  multi?: boolean | undefined;
  /** The command's variables, which its statements share. */
  scope: Scope;
  change?: unknown;
  /** Variables of this statement's pipeline. */
  constants?: Document | undefined;
}

export const insert = command({
  write: true,
  retryable: true,
  rawField: 'documents',
  fields: { documents: field.anything, ...BATCH },
  run: (request, { ordered }) => {
    const name = collectionName(request);
    let n = 0;
    const writeErrors = eachWrite(documentsOf(request, 'documents'), ordered, (bytes) => {
      insertOne(request.engine.catalog.ensure(request.db, name), bytes);
      n++;
    });
    return tally({ n }, writeErrors);
  },
});

export const update = command({
  write: true,
  retryable: true,
  fields: { updates: field.anything, let: field.object, ...BATCH },
  run: (request, { ordered, let: variables }) => {
    const namespace: Namespace = [request.db, collectionName(request)];
    const scope = scopeOf(variables);
    const statements = statementsOf(request, 'updates', UPDATE);
    let n = 0;
    let nModified = 0;
    const upserted: Document[] = [];
    const writeErrors = eachWrite(statements, ordered, ({ q, u, c, ...options }, index) => {
      const outcome = runUpdate(request, namespace, { filter: q, change: u, constants: c, scope, ...options });
      n += outcome.upserted ? 1 : outcome.matched;
      nModified += outcome.modified;
      if (outcome.upserted) upserted.push({ index, _id: outcome.upserted['_id'] });
    });
    return tally(upserted.length > 0 ? { n, upserted, nModified } : { n, nModified }, writeErrors);
  },
});

export const remove = command({
  write: true,
  retryable: true,
  fields: { deletes: field.anything, let: field.object, ordered: field.flag },
  run: (request, { ordered, let: variables }) => {
    const namespace: Namespace = [request.db, collectionName(request)];
    const scope = scopeOf(variables);
    const statements = statementsOf(request, 'deletes', DELETE);
    const wrong = statements.find(({ limit }) => limit > 1);
    if (wrong) throw new CommandError(9, `The limit field in delete objects must be 0 or 1. Got ${wrong.limit}`);
    let n = 0;
    const writeErrors = eachWrite(statements, ordered, ({ q, limit, ...options }) => {
      n += runDelete(request, namespace, { filter: q, multi: limit === 0, scope, ...options });
    });
    return tally({ n }, writeErrors);
  },
});

export const findAndModify = command({
  write: true,
  retryable: true,
  fields: {
    ...field.all(field.object, 'query', 'fields', 'let'),
    ...field.all(field.flag, 'remove', 'new', 'bypassDocumentValidation'),
    update: field.anything,
    ...UPDATE_OPTIONS,
  },
  run: (request, { query: filter = {}, update: change, remove: removing, fields = {}, ...options }) => {
    const { new: wantsNew, upsert, arrayFilters, collation } = options;
    if (removing) {
      const [both] = Object.entries({ update: change, upsert, new: wantsNew, arrayFilters }).find(([, is]) => is) ?? [];
      if (both) throw new CommandError(9, `Cannot specify both '${both}' and 'remove'=true`);
    } else if (change === undefined) throw new CommandError(9, 'Either an update or remove=true must be specified');
    const scope = scopeOf(options.let);
    const projection = parseProjection(fields, scope);
    if (collation) checkCollatedShape(fields);
    const shown = (bytes: Uint8Array | undefined): Raw | null =>
      bytes ? new Raw(Kind.object, projection ? projection(bytes) : bytes) : null;
    if (removing) {
      const collection = collectionOf(request);
      const query = queryOf({ ...options, filter, limit: 1, scope });
      const [row] = collection ? eachRow(request.engine.database, collection, query) : [];
      if (row) collection?.remove(row.id, decode(row.bytes));
      return { lastErrorObject: { n: row ? 1 : 0 }, value: shown(row?.bytes), ok: 1 };
    }
    const namespace = [request.db, collectionName(request)] as const;
    const outcome = runUpdate(request, namespace, { filter, change, scope, ...options });
    const { matched, upserted, before, after } = outcome;
    const lastErrorObject: Document = { n: upserted ? 1 : matched, updatedExisting: matched > 0 };
    if (upserted) lastErrorObject['upserted'] = upserted['_id'];
    return { lastErrorObject, value: shown(wantsNew ? after : before), ok: 1 };
  },
});

/** The statements come as the body's field or as a sequence. One of the wrong shape fails the command before any has run. */
function statementsOf<F extends field.Fields>(request: Request, name: string, fields: F): field.Given<F>[] {
  return documentsOf(request, name).map((bytes) => field.given(decode(bytes), fields, `${request.name}.${name}`));
}

/** Runs writes and returns their errors. Ordered writes stop at the first error. */
export function eachWrite<Item>(
  items: readonly Item[],
  ordered = true,
  write: (item: Item, index: number) => void,
): Document[] {
  if (items.length === 0 || items.length > MAX_WRITES)
    throw new CommandError(
      16,
      `Write batch sizes must be between 1 and ${MAX_WRITES}. Got ${items.length} operations.`,
    );
  const errors: Document[] = [];
  for (const [index, item] of items.entries()) {
    try {
      write(item, index);
    } catch (error) {
      // An invalid namespace fails the whole command.
      if ((error as CommandError).code === 73) throw error;
      errors.push(writeError(index, error));
      if (ordered) break;
    }
  }
  return errors;
}

function tally(counts: Document, writeErrors: Document[]): Document {
  return { ...counts, ...(writeErrors.length > 0 && { writeErrors }), ok: 1 };
}

export function runUpdate({ engine }: Request, namespace: Namespace, statement: Statement): UpdateOutcome {
  const { change, upsert = false, multi, sort, collation } = statement;
  if (multi && sort) throw new CommandError(9, 'Cannot specify sort with multi=true');
  const parsed = parseUpdate(change, statement);
  if (collation) checkCollatedUpdate(change);
  return updateMatching(engine, [...namespace], { ...targetOf(statement), upsert }, parsed);
}

export function runDelete({ engine }: Request, namespace: Namespace, statement: Statement): number {
  const collection = engine.catalog.find(...namespace);
  const target = targetOf(statement);
  return collection ? deleteMatching(engine.database, collection, target) : 0;
}

function targetOf({ multi = false, ...statement }: Statement): Target {
  const { filter, sort, hint } = queryOf(statement);
  return { filter, sort, multi, hint };
}
