import { ObjectId } from 'bson';
import { withIdFirst } from '../bson/raw.ts';
import { decode, type Document, encode, Kind, kindOf } from '../bson/value.ts';
import { MongoFault } from '../fault.ts';
import type { Filter } from '../query/filter.ts';
import type { SortField } from '../query/sort.ts';
import { checkId, upsertDocument } from '../update/upsert.ts';
import { applyUpdate, type Update } from '../update/update.ts';
import { eachRow } from '../plan/rows.ts';
import type { Row } from '../plan/scan.ts';
import type { Collection } from './collection.ts';
import type { Database } from './database.ts';
import type { Engine } from './engine.ts';

export interface Target {
  filter: Filter;
  sort: readonly SortField[];
  multi: boolean;
  hint?: unknown;
}

export interface UpdateOutcome {
  matched: number;
  modified: number;
  upserted?: Document;
}

export function insertOne(collection: Collection, bytes: Uint8Array): void {
  const doc = decode(bytes);
  const id = doc['_id'];
  if (id === undefined) {
    const whole = { _id: new ObjectId(), ...doc };
    return collection.insert(encode(whole), whole);
  }
  checkId(doc);
  if (kindOf(id) === Kind.regex) throw new MongoFault(53, "The '_id' value cannot be of type regex");
  collection.insert(withIdFirst(bytes), doc);
}

export function updateMatching(
  engine: Engine,
  namespace: [db: string, name: string],
  target: Target & { upsert: boolean },
  update: Update,
): UpdateOutcome {
  const collection = engine.catalog.find(...namespace);
  if (target.multi && 'replacement' in update)
    throw new MongoFault(9, 'multi update is not supported for replacement-style update');
  let matched = 0;
  let modified = 0;
  for (const row of collection ? targetRows(engine.database, collection, target) : []) {
    matched++;
    if (updateRow(collection as Collection, row, update)) modified++;
  }
  if (matched > 0 || !target.upsert) return { matched, modified };
  const upserted = upsertDocument(target.filter, update);
  checkId(upserted);
  engine.catalog.ensure(...namespace).insert(encode(upserted), upserted);
  return { matched: 0, modified: 0, upserted };
}

/** Whether the stored bytes changed. */
export function updateRow(collection: Collection, row: Row, update: Update): Uint8Array | undefined {
  const after = applyUpdate(update, decode(row.bytes), false);
  const bytes = encode(after);
  if (Buffer.compare(bytes, row.bytes) === 0) return undefined;
  collection.replace(row.id, decode(row.bytes), bytes, after);
  return bytes;
}

export function deleteMatching(database: Database, collection: Collection, target: Target): number {
  let removed = 0;
  for (const row of targetRows(database, collection, target)) {
    collection.remove(row.id, decode(row.bytes));
    removed++;
  }
  return removed;
}

/** The targets are settled before the first of them changes, so no document is met twice on its new place in an index. */
function* targetRows(database: Database, collection: Collection, target: Target): Generator<Row> {
  const query = { ...target, skip: 0, limit: target.multi ? 0 : 1 };
  if (!target.multi) {
    const [row] = eachRow(database, collection, query);
    if (row) yield row;
    return;
  }
  const ids: number[] = [];
  for (const row of eachRow(database, collection, query)) ids.push(row.id);
  for (const id of ids) {
    const bytes = collection.get(id);
    if (bytes) yield { id, bytes };
  }
}
