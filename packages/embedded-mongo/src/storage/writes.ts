import { decode, decodeOnly } from '../bson/decode.ts';
import { storedForm } from '../bson/raw.ts';
import { type Document, EVERY_FIELD } from '../bson/value.ts';
import { CommandError } from '../errors.ts';
import { eachRow } from '../plan/rows.ts';
import type { Row } from '../plan/scan.ts';
import type { Filter } from '../query/filter.ts';
import type { SortField } from '../query/sort.ts';
import { type Update, updatedBytes } from '../update/update.ts';
import { checkId, upsertBytes } from '../update/upsert.ts';
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
  /** The bytes of the last document that matched (or was inserted), before and after. */
  before?: Uint8Array;
  after?: Uint8Array;
}

export function insertOne(collection: Collection, given: Uint8Array): void {
  const bytes = storedForm(given);
  const doc = decode(bytes);
  checkId(doc);
  collection.insert(bytes, doc);
}

export function updateMatching(
  engine: Engine,
  namespace: [db: string, name: string],
  target: Target & { upsert: boolean },
  update: Update,
): UpdateOutcome {
  const collection = engine.catalog.find(...namespace);
  if (target.multi && update.kind === 'replacement')
    throw new CommandError(9, 'multi update is not supported for replacement-style update');
  let matched = 0;
  let modified = 0;
  let before: Uint8Array | undefined;
  let after: Uint8Array | undefined;
  const replace = collection && replacer(collection, update);
  for (const row of collection ? targetRows(engine.database, collection, target) : []) {
    matched++;
    before = row.bytes;
    after = updatedBytes(update, before);
    if (Buffer.compare(before, after) === 0) continue;
    replace?.(row, after);
    modified++;
  }
  if (before && after) return { matched, modified, before, after };
  if (!target.upsert) return { matched, modified };
  const bytes = upsertBytes(target.filter, update);
  const upserted = decode(bytes);
  checkId(upserted);
  engine.catalog.ensure(...namespace).insert(bytes, upserted);
  return { matched: 0, modified: 0, upserted, after: bytes };
}

/** Chooses the way to store a row's new bytes: only indexes over a field that changes are touched. */
function replacer(collection: Collection, update: Update): (row: Row, bytes: Uint8Array) => void {
  const { indexes, searchIndexes } = collection;
  const touched =
    update.kind === 'changes'
      ? indexes.filter(({ roots }) => [EVERY_FIELD, ...update.roots].some((root) => roots.has(root)))
      : indexes;
  if (touched.length + searchIndexes.length === 0) return (row, bytes) => collection.rewrite(row.id, bytes);
  const fields = indexedFields({ indexes: touched, searchIndexes });
  return (row, bytes) =>
    collection.replace(row.id, {
      before: decodeOnly(row.bytes, fields),
      after: decodeOnly(bytes, fields),
      bytes,
      touched,
    });
}

/** The top-level fields that decide where a document stands in one of these indexes. */
function indexedFields({ indexes, searchIndexes }: Pick<Collection, 'indexes' | 'searchIndexes'>): Set<string> {
  if (searchIndexes.length > 0) return new Set([EVERY_FIELD]);
  return new Set(indexes.flatMap(({ roots }) => [...roots]));
}

export function deleteMatching(database: Database, collection: Collection, target: Target): number {
  let removed = 0;
  const indexed = indexedFields(collection);
  for (const row of targetRows(database, collection, target)) {
    collection.remove(row.id, decodeOnly(row.bytes, indexed));
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
