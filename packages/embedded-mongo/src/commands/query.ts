import type { Document } from '../bson/value.ts';
import { type Scope, scopeOf } from '../expression/expression.ts';
import { CommandError } from '../errors.ts';
import type { Results } from '../plan/cursors.ts';
import { countRows, openRows, type Query } from '../plan/rows.ts';
import { checkCollatedShape } from '../query/collation.ts';
import type { Compare } from '../query/compare.ts';
import { parseFilter } from '../query/filter.ts';
import { parseProjection } from '../pipeline/shape.ts';
import { parseSort } from '../query/sort.ts';
import * as field from './fields.ts';
import { collectionOf, command, namespaceOf } from './request.ts';

const NO_RESULTS: Results = { next: () => undefined, pause: () => undefined };
export const FIRST_BATCH = 101;

type QueryFields = Partial<Record<'filter' | 'sort' | 'skip' | 'limit' | 'hint', unknown>> & {
  scope?: Scope;
  collation?: Compare | undefined;
};

/** Converts the options of a query command for the planner. */
export function queryOf({ filter = {}, sort = {}, skip = 0, limit = 0, hint, scope, collation }: QueryFields): Query {
  const natural = (sort as Document)['$natural'];
  // The order of the collection itself is asked for as a sort, too.
  if (natural !== undefined && (Object.keys(sort as Document).length > 1 || hint !== undefined))
    throw new CommandError(2, '$natural cannot be combined with another sort or with a hint');
  return {
    filter: parseFilter(filter as Document, scope, collation),
    sort: parseSort(natural === undefined ? (sort as Document) : {}, collation),
    skip: skip as number,
    limit: limit as number,
    hint: natural === undefined ? hint : { $natural: natural },
  };
}

export const find = command({
  fields: {
    ...field.all(field.object, 'filter', 'projection', 'sort', 'let'),
    ...field.all(field.whole, 'skip', 'limit', 'batchSize'),
    // A sort keeps within its memory limit or fails, on one member there are no partial results.
    ...field.all(field.flag, 'singleBatch', 'noCursorTimeout', 'allowDiskUse', 'allowPartialResults', 'oplogReplay'),
    ...field.all(tailable, 'tailable', 'awaitData'),
    ...field.all(unlessEmpty, 'min', 'max'),
    ...field.without('returnKey', 'showRecordId'),
    ...field.QUERY_OPTIONS,
  },
  run: (request, given) => {
    const { engine } = request;
    const scope = scopeOf(given.let);
    const query = queryOf({ ...given, scope });
    const projection = parseProjection(given.projection ?? {}, scope);
    if (given.collation) checkCollatedShape(given.projection);
    const collection = collectionOf(request);
    const rows = collection && openRows(engine.database, collection, query);
    const results: Results = rows
      ? {
          next: () => {
            const row = rows.next();
            return row && (projection ? projection(row.bytes) : row.bytes);
          },
          pause: () => rows.pause(),
        }
      : NO_RESULTS;
    const { batchSize = FIRST_BATCH, singleBatch: single = false, noCursorTimeout: lasting = false } = given;
    return engine.cursors.first(namespaceOf(request), results, batchSize, { single, lasting });
  },
});

function tailable(value: unknown, what: string): void {
  if (field.flag(value, what))
    throw new CommandError(2, 'error processing query: tailable cursor requested on non capped collection');
}

/** The driver always sends these two, empty. */
function unlessEmpty(value: unknown, what: string): void {
  if (Object.keys(field.object(value, what) ?? {}).length > 0) field.unsupported(value, what);
}

export const getMore = command({
  fields: { collection: field.needed(field.text), batchSize: field.whole },
  run: ({ engine, body, db }, { collection, batchSize, maxTimeMS }) => {
    if (maxTimeMS !== undefined)
      throw new CommandError(2, 'cannot set maxTimeMS on getMore command for a non-awaitData cursor');
    if (batchSize === 0) throw new CommandError(2, 'Batch size for getMore must be positive, but received: 0');
    return engine.cursors.next(cursorId(body['getMore']), `${db}.${collection}`, batchSize ?? Infinity);
  },
});

export const killCursors = command({
  fields: { cursors: field.needed(field.array) },
  run: ({ engine }, { cursors }) => {
    const killed = cursors.filter((id) => engine.cursors.kill(cursorId(id)));
    const unknown = cursors.filter((id) => !killed.includes(id));
    return { cursorsKilled: killed, cursorsNotFound: unknown, cursorsAlive: [], cursorsUnknown: [], ok: 1 };
  },
});

/** Returns an unknown id for numbers that this engine never gives out. */
function cursorId(value: unknown): number {
  return field.number(value, 'cursor id') ?? NaN;
}

export const count = command({
  fields: {
    query: field.object,
    skip: field.whole,
    limit: field.number,
    fields: field.anything,
    ...field.QUERY_OPTIONS,
  },
  run: (request, { query: filter = {}, limit = 0, ...options }) => {
    const collection = collectionOf(request);
    const query = queryOf({ ...options, filter, limit: Math.abs(Math.trunc(limit)) });
    return { n: collection ? countRows(request.engine.database, collection, query) : 0, ok: 1 };
  },
});
