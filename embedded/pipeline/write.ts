import { ObjectId } from 'bson';
import { encode } from '../bson/encode.ts';
import { decode } from '../bson/decode.ts';
import { type Document, fieldOf, isObject } from '../bson/value.ts';
import { variable } from '../expression/control.ts';
import { MongoFault, notImplemented } from '../fault.ts';
import { eachRow } from '../plan/rows.ts';
import type { Filter } from '../query/filter.ts';
import { equal } from '../query/compare.ts';
import type { Collection } from '../storage/collection.ts';
import { deleteMatching, insertOne } from '../storage/writes.ts';
import { bytesOf, type Context, Memory, type Stage, type StageParser, stageEntry, stageFields } from './context.ts';
import { SHAPES } from './shape.ts';

const EVERYTHING: Filter = { op: 'and', filters: [] };

/** What came before is read to its end before the first write, so that a pipeline may write where it reads. */
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
    throw new MongoFault(16990, `${name} needs a collection, and if any a database, as strings`);
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

type Matched = (held: Document, doc: Document) => Document | undefined;

/** How a document is merged into the one it matches; `undefined` leaves that as it is. */
const WHEN_MATCHED: Readonly<Record<string, Matched>> = {
  replace: ({ _id }, doc) => ({ _id, ...doc }),
  keepExisting: () => undefined,
  merge: (held, doc) => ({ ...held, ...doc }),
  fail: ({ _id }) => {
    const why = 'a document in the target collection matched (whenMatched: fail)';
    throw new MongoFault(11000, `$merge failed: E11000 duplicate key error: ${why}`, {
      keyPattern: { _id: 1 },
      keyValue: { _id },
    });
  },
};

const WHEN_NOT_MATCHED: ReadonlySet<unknown> = new Set(['insert', 'discard', 'fail']);

export const merge: StageParser = (spec, context, name) => {
  const given = stageFields(
    name,
    typeof spec === 'string' ? { into: spec } : spec,
    'into on? let? whenMatched? whenNotMatched?',
  );
  const { whenMatched = 'merge', whenNotMatched = 'insert' } = given;
  const namespace = namespaceOf(name, given['into'], context.db);
  const on: unknown[] = [given['on'] ?? '_id'].flat();
  if (on.length === 0 || !on.every((path) => typeof path === 'string'))
    throw new MongoFault(51186, "$merge 'on' field must be a string or a non-empty array of strings");
  if (!WHEN_NOT_MATCHED.has(whenNotMatched))
    throw new MongoFault(2, `'${String(whenNotMatched)}' for '$merge.whenNotMatched' is not a valid value.`);
  const matched = matchedBy(whenMatched, given['let'], context);
  return writing(name, (documents) => {
    const collection = context.engine.catalog.ensure(...namespace);
    checkUnique(collection, on);
    for (const bytes of documents) mergeOne(context, collection, bytes, { on, matched, whenNotMatched });
  });
};

function matchedBy(spec: unknown, variables: unknown, context: Context): Matched {
  if (Array.isArray(spec)) {
    if (variables !== undefined) throw notImplemented("$merge with 'let'");
    const cell = variable();
    const scope = new Map([...context.scope, ['new', cell.read] as const]);
    const shapes = spec.map((stage) => {
      const [name, inner] = stageEntry(stage);
      if (!Object.hasOwn(SHAPES, name)) throw new MongoFault(72, `${name} is not allowed to be used within an update`);
      return SHAPES[name]?.(inner, scope);
    });
    return (held, doc) => {
      cell.value = doc;
      return shapes.reduce((item, shape) => shape?.(item) ?? item, { doc: held }).doc;
    };
  }
  const found = typeof spec === 'string' && Object.hasOwn(WHEN_MATCHED, spec) ? WHEN_MATCHED[spec] : undefined;
  if (!found)
    throw new MongoFault(2, `Enumeration value '${String(spec)}' for field '$merge.whenMatched' is not a valid value.`);
  return found;
}

/** Without a unique index over exactly the `on` fields a document could match several. */
function checkUnique(collection: Collection, on: readonly string[]): void {
  const isUnique = collection.indexes.some(
    (index) =>
      index.unique &&
      !index.partial &&
      index.fields.length === on.length &&
      index.fields.every(({ path }) => on.includes(path)),
  );
  if (!isUnique) throw new MongoFault(51183, 'Cannot find index to verify that join fields will be unique');
}

function mergeOne(
  { engine }: Context,
  collection: Collection,
  bytes: Uint8Array,
  { on, matched, whenNotMatched }: { on: readonly string[]; matched: Matched; whenNotMatched: unknown },
): void {
  let doc = decode(bytes);
  if (doc['_id'] === undefined && on.includes('_id')) doc = { _id: new ObjectId(), ...doc };
  const filters = on.map((path): Filter => {
    const parts = path.split('.');
    const value = parts.reduce<unknown>((at, part) => (isObject(at) ? fieldOf(at, part) : undefined), doc);
    if (value === undefined || value === null || Array.isArray(value))
      throw new MongoFault(51132, "$merge write error: 'on' field cannot be missing, null, undefined or an array");
    return { op: 'field', path, parts, predicate: { op: 'eq', value } };
  });
  const [row] = eachRow(engine.database, collection, { filter: { op: 'and', filters }, sort: [], skip: 0, limit: 1 });
  if (!row) {
    if (whenNotMatched === 'fail')
      throw new MongoFault(13113, '$merge could not find a matching document in the target collection');
    if (whenNotMatched === 'insert') insertOne(collection, encode(doc));
    return;
  }
  const held = decode(row.bytes);
  const after = matched(held, doc);
  if (!after) return;
  if (!equal(after['_id'], held['_id']))
    throw new MongoFault(66, '$merge failed to update the matching document: its _id cannot change');
  const changed = encode(after);
  if (Buffer.compare(changed, row.bytes) !== 0) collection.replace(row.id, held, changed, after);
}
