import { decode } from '../bson/decode.ts';
import type { Document } from '../bson/value.ts';
import { type Scope, scopeOf } from '../expression/expression.ts';
import { MongoFault, writeError } from '../fault.ts';
import { deleteMatching, insertOne, type Target, type UpdateOutcome, updateMatching } from '../storage/writes.ts';
import { checkCollatedUpdate } from '../query/collation.ts';
import type { Compare } from '../query/compare.ts';
import { parseUpdate } from '../update/update.ts';
import { queryOf } from './query.ts';
import {
  anything,
  array,
  collation,
  collectionName,
  command,
  whole,
  documentsOf,
  type Fields,
  flag,
  type Given,
  given,
  hintField,
  needed,
  object,
  type Request,
  without,
} from './request.ts';

const MAX_WRITES = 100_000;
export type Namespace = readonly [db: string, name: string];

/** What a statement that deletes, or updates, may carry wherever it stands: alone, in findAndModify, in bulkWrite. */
export const DELETE_OPTIONS = { hint: hintField, collation } as const satisfies Fields;
export const UPDATE_OPTIONS = { ...DELETE_OPTIONS, arrayFilters: array, upsert: flag, sort: object } as const;

export const DELETE = { q: needed(object), limit: needed(whole), ...DELETE_OPTIONS } as const satisfies Fields;
export const UPDATE = {
  q: needed(object),
  u: needed(anything),
  multi: flag,
  ...without('upsertSupplied'),
  c: object,
  ...UPDATE_OPTIONS,
} as const satisfies Fields;

export interface Statement {
  filter: Document;
  /** The command's variables, which its statements share. */
  scope: Scope;
  multi?: boolean | undefined;
  sort?: Document | undefined;
  hint?: unknown;
  collation?: Compare | undefined;
}

export interface UpdateStatement extends Statement {
  change: unknown;
  upsert?: boolean | undefined;
  arrayFilters?: unknown[] | undefined;
  /** Variables of this statement's pipeline. */
  constants?: Document | undefined;
}

export const insert = command({
  write: true,
  retryable: true,
  stable: true,
  rawField: 'documents',
  // There are no validators to bypass.
  fields: { documents: anything, ordered: flag, bypassDocumentValidation: flag },
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
  stable: true,
  fields: { updates: anything, ordered: flag, bypassDocumentValidation: flag, let: object },
  run: (request, { ordered, let: variables }) => {
    const namespace: Namespace = [request.db, collectionName(request)];
    const scope = scopeOf(variables);
    let n = 0;
    let nModified = 0;
    const upserted: Document[] = [];
    const writeErrors = eachWrite(
      statementsOf(request, 'updates', UPDATE),
      ordered,
      ({ q, u, c, ...options }, index) => {
        const outcome = runUpdate(request, namespace, { filter: q, change: u, constants: c, scope, ...options });
        n += outcome.matched;
        nModified += outcome.modified;
        if (outcome.upserted) {
          n++;
          upserted.push({ index, _id: outcome.upserted['_id'] });
        }
      },
    );
    return tally(upserted.length > 0 ? { n, upserted, nModified } : { n, nModified }, writeErrors);
  },
});

export const remove = command({
  write: true,
  retryable: true,
  stable: true,
  fields: { deletes: anything, ordered: flag, let: object },
  run: (request, { ordered, let: variables }) => {
    const namespace: Namespace = [request.db, collectionName(request)];
    const scope = scopeOf(variables);
    const statements = statementsOf(request, 'deletes', DELETE);
    const wrong = statements.find(({ limit }) => limit > 1);
    if (wrong) throw new MongoFault(9, `The limit field in delete objects must be 0 or 1. Got ${wrong.limit}`);
    let n = 0;
    const writeErrors = eachWrite(statements, ordered, ({ q, limit, ...options }) => {
      n += runDelete(request, namespace, { filter: q, multi: limit === 0, scope, ...options });
    });
    return tally({ n }, writeErrors);
  },
});

/** The statements come as the body's field or as a sequence. One of the wrong shape fails the command before any has run. */
function statementsOf<F extends Fields>(request: Request, field: string, fields: F): Given<F>[] {
  return documentsOf(request, field).map((bytes) => given(decode(bytes), fields, `${request.name}.${field}`));
}

/** Ordered writes stop at the first refusal, unordered ones go on. Gives the refusals. */
export function eachWrite<Item>(
  items: readonly Item[],
  ordered = true,
  write: (item: Item, index: number) => void,
): Document[] {
  if (items.length === 0 || items.length > MAX_WRITES) {
    throw new MongoFault(16, `Write batch sizes must be between 1 and ${MAX_WRITES}. Got ${items.length} operations.`);
  }
  const errors: Document[] = [];
  for (const [index, item] of items.entries()) {
    try {
      write(item, index);
    } catch (error) {
      // What is wrong with the place is wrong with the whole command.
      if ((error as MongoFault).code === 73) throw error;
      errors.push(writeError(index, error));
      if (ordered) break;
    }
  }
  return errors;
}

function tally(counts: Document, writeErrors: Document[]): Document {
  return writeErrors.length > 0 ? { ...counts, writeErrors, ok: 1 } : { ...counts, ok: 1 };
}

export function runUpdate({ engine }: Request, namespace: Namespace, statement: UpdateStatement): UpdateOutcome {
  const { change, upsert = false, multi, sort, collation: by } = statement;
  if (multi && sort) throw new MongoFault(9, 'Cannot specify sort with multi=true');
  const parsed = parseUpdate(change, statement);
  if (by) checkCollatedUpdate(change);
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
