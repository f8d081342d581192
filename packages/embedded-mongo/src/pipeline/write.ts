import { ObjectId } from 'bson';
import { decode } from '../bson/decode.ts';
import { encode } from '../bson/encode.ts';
import type { Document } from '../bson/value.ts';
import { merged } from '../expression/operators.ts';
import { rowOf, textOf } from '../expression/operator.ts';
import { CommandError, notImplemented } from '../errors.ts';
import { eachRow } from '../plan/rows.ts';
import type { Filter } from '../query/filter.ts';
import type { Collection } from '../storage/collection.ts';
import { deleteMatching, insertOne } from '../storage/writes.ts';
import { bytesOf, Memory, type Stage, type StageParser, stageFields } from './context.ts';

const EVERYTHING: Filter = { op: 'and', filters: [] };

/** Reads its input to the end before the first write, so that a pipeline may write to the collection it reads. */
function writing(name: string, write: (documents: Uint8Array[]) => void): Stage {
  return function* (items) {
    const memory = new Memory(name);
    const documents = Array.from(items, (item) => {
      const bytes = bytesOf(item);
      memory.add(bytes.length);
      return bytes;
    });
    write(documents);
    yield* [];
  };
}

function namespaceOf(name: string, spec: unknown, db: string): [db: string, collection: string] {
  const given: Document = typeof spec === 'string' ? { coll: spec } : stageFields(name, spec, 'db? coll');
  const namespace = [given['db'] ?? db, given['coll']];
  if (!namespace.every((part) => typeof part === 'string' && part !== ''))
    throw new CommandError(16990, `${name} needs a collection, and if any a database, as strings`);
  return namespace as [string, string];
}

/** Replaces the collection's documents; its indexes stay. */
export const out: StageParser = (spec, { engine, db }, name) => {
  const namespace = namespaceOf(name, spec, db);
  return writing(name, (documents) => {
    const collection = engine.catalog.ensure(...namespace);
    deleteMatching(engine.database, collection, { filter: EVERYTHING, sort: [], multi: true });
    for (const bytes of documents) insertOne(collection, bytes);
  });
};

type Matched = (held: Document, doc: Document) => Document;

/** Actions on a document that matches, by `whenMatched`. */
const WHEN_MATCHED: Readonly<Record<string, Matched>> = {
  replace: (_held, doc) => doc,
  keepExisting: (held) => held,
  merge: (held, doc) => merged([held, doc]),
  fail: ({ _id }) => {
    const why = 'a document in the target collection matched (whenMatched: fail)';
    const which = { keyPattern: { _id: 1 }, keyValue: { _id } };
    throw new CommandError(11000, `$merge failed: E11000 duplicate key error: ${why}`, which);
  },
};

/** Actions on a document without a match, by `whenNotMatched`. */
const WHEN_NOT_MATCHED: Readonly<Record<string, (collection: Collection, doc: Document) => void>> = {
  insert: (collection, doc) => insertOne(collection, encode(doc)),
  discard: () => undefined,
  fail: () => {
    throw new CommandError(13113, '$merge could not find a matching document in the target collection');
  },
};

export const merge: StageParser = (spec, { engine, db }, name) => {
  const whole = typeof spec === 'string' ? { into: spec } : spec;
  const given = stageFields(name, whole, 'into on? let? whenMatched? whenNotMatched?');
  const namespace = namespaceOf(name, given['into'], db);
  const [on, ...more]: unknown[] = [given['on'] ?? '_id'].flat();
  if (on !== '_id' || more.length > 0) throw notImplemented("$merge 'on' other fields than _id");
  if ('let' in given || Array.isArray(given['whenMatched'])) throw notImplemented('$merge by a pipeline');
  const matched = choiceOf(WHEN_MATCHED, given, 'whenMatched', 'merge');
  const unmatched = choiceOf(WHEN_NOT_MATCHED, given, 'whenNotMatched', 'insert');
  return writing(name, (documents) => {
    const collection = engine.catalog.ensure(...namespace);
    for (const bytes of documents) {
      const { _id: value = new ObjectId(), ...rest } = decode(bytes);
      const doc = { _id: value, ...rest };
      const filter: Filter = { op: 'field', path: '_id', parts: ['_id'], predicate: { op: 'eq', value } };
      const [row] = eachRow(engine.database, collection, { filter, sort: [], skip: 0, limit: 1 });
      if (!row) unmatched(collection, doc);
      else {
        const held = decode(row.bytes);
        const after = matched(held, doc);
        const changed = encode(after);
        if (Buffer.compare(changed, row.bytes) !== 0)
          collection.replace(row.id, { before: held, after, bytes: changed });
      }
    }
  });
};

function choiceOf<T>(choices: Readonly<Record<string, T>>, given: Document, field: string, otherwise: string): T {
  const found = rowOf(choices, textOf(given[field] ?? otherwise, 2, `$merge.${field}`));
  if (found) return found;
  throw new CommandError(2, `The value of field '$merge.${field}' is none of ${Object.keys(choices).join(', ')}.`);
}
