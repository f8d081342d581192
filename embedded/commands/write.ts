import { decode, type Document, isObject } from '../bson/value.ts';
import { MongoFault, notImplemented } from '../fault.ts';
import { hintedIndex } from '../plan/planner.ts';
import { deleteMatching, insertOne, type Target, updateMatching } from '../storage/writes.ts';
import { parseUpdate } from '../update/update.ts';
import { checkCollation } from '../query/collation.ts';
import { writeError } from './failure.ts';
import {
  type Command,
  collectionName,
  collectionOf,
  countOf,
  documentsOf,
  filterOf,
  flagOf,
  type Request,
  sortOf,
} from './request.ts';

const MAX_WRITES = 100_000;

export const insert: Command = {
  write: true,
  rawField: 'documents',
  fields: ['documents', 'ordered', 'bypassDocumentValidation'],
  run: (request) => {
    const name = collectionName(request);
    let n = 0;
    const writeErrors = eachWrite(request, documentsOf(request, 'documents'), (bytes) => {
      insertOne(request.engine.catalog.ensure(request.db, name), bytes);
      n++;
    });
    return { n, ...writeErrors, ok: 1 };
  },
};

export const update: Command = {
  write: true,
  fields: ['updates', 'ordered', 'bypassDocumentValidation'],
  run: (request) => {
    const namespace: [string, string] = [request.db, collectionName(request)];
    const statements = statementsOf(request, 'updates', ['q', 'u', 'multi', 'upsert', 'hint', 'sort']);
    if (statements.some((spec) => spec['u'] === undefined)) throw missing('update.updates.u');
    let n = 0;
    let nModified = 0;
    const upserted: Document[] = [];
    const writeErrors = eachWrite(request, statements, (spec, index) => {
      const outcome = updateMatching(
        request.engine,
        namespace,
        { ...targetOf(request, spec, 'q'), upsert: flagOf(spec['upsert'], 'upsert') },
        parseUpdate(spec['u']),
      );
      n += outcome.matched;
      nModified += outcome.modified;
      if (outcome.upserted) {
        n++;
        upserted.push({ index, _id: outcome.upserted['_id'] });
      }
    });
    return { n, nModified, ...(upserted.length > 0 ? { upserted } : {}), ...writeErrors, ok: 1 };
  },
};

export const remove: Command = {
  write: true,
  fields: ['deletes', 'ordered'],
  run: (request) => {
    let n = 0;
    const writeErrors = eachWrite(request, statementsOf(request, 'deletes', ['q', 'limit', 'hint']), (spec) => {
      const limit = countOf(spec['limit'], 'delete.deletes.limit', NaN);
      if (limit !== 0 && limit !== 1)
        throw new MongoFault(9, `The limit field in delete objects must be 0 or 1. Got ${limit}`);
      const collection = collectionOf(request);
      const target = { ...targetOf(request, spec, 'q'), multi: limit === 0 };
      if (collection) n += deleteMatching(request.engine.database, collection, target);
    });
    return { n, ...writeErrors, ok: 1 };
  },
};

/** A statement of the wrong shape fails the command before any of them has run. */
function statementsOf(request: Request, field: string, allowed: readonly string[]): Document[] {
  const statements = documentsOf(request, field).map(decode);
  for (const spec of statements) checkStatement(spec, allowed, `${request.name}.${field}`);
  return statements;
}

function missing(field: string): MongoFault {
  return new MongoFault(40414, `BSON field '${field}' is missing but a required field`);
}

/** Ordered writes stop at the first refusal, unordered ones go on. */
function eachWrite<Item>(
  request: Request,
  items: readonly Item[],
  write: (item: Item, index: number) => void,
): { writeErrors?: Document[] } {
  if (items.length === 0 || items.length > MAX_WRITES) {
    throw new MongoFault(16, `Write batch sizes must be between 1 and ${MAX_WRITES}. Got ${items.length} operations.`);
  }
  const ordered = flagOf(request.body['ordered'], `${request.name}.ordered`, true);
  const errors: Document[] = [];
  for (const [index, item] of items.entries()) {
    try {
      write(item, index);
    } catch (error) {
      errors.push(writeError(index, error));
      if (ordered) break;
    }
  }
  return errors.length > 0 ? { writeErrors: errors } : {};
}

/** Refuses what a statement of a write command may carry elsewhere but not here. */
export function checkStatement(spec: Document, fields: readonly string[], where: string): void {
  for (const [field, value] of Object.entries(spec)) {
    if (fields.includes(field)) continue;
    if (field === 'collation') checkCollation(value);
    else if (field === 'arrayFilters') {
      if (!Array.isArray(value) || value.length > 0) throw notImplemented('arrayFilters');
    } else if (field === 'c' || field === 'constants') throw notImplemented('Constants for a pipeline update');
    else throw new MongoFault(40415, `BSON field '${where}.${field}' is an unknown field.`);
  }
}

export function targetOf(request: Request, spec: Document, filterField: string): Target {
  if (!isObject(spec[filterField])) throw missing(`${request.name}.${filterField}`);
  const hint = spec['hint'];
  const collection = hint === undefined || request.name === 'bulkWrite' ? undefined : collectionOf(request);
  if (collection) hintedIndex(collection, hint);
  return {
    filter: filterOf(spec[filterField], filterField),
    sort: sortOf(spec['sort'], 'sort'),
    multi: flagOf(spec['multi'], 'multi'),
    hint,
  };
}
