import { BSON, type Db, type Document } from 'mongodb';

/** A decoded row that encodes to the very bytes it was read from. A Map where an object would not keep the order of its names. */
export type Row = Document | Map<string, unknown>;

/** Keeps every type: whole and broken numbers, long ones, binaries and patterns. */
const exact = { promoteValues: false, promoteLongs: false, promoteBuffers: false, bsonRegExp: true } as const;
const usualBytes = 8 * 1024 * 1024;
const kindOfObject = 3;
const kindOfArray = 4;

/** Value of one element, decoded as the only member of a document. */
function valueOf(kind: number, bytes: Uint8Array): unknown {
  if (kind === kindOfObject) return orderedOf(bytes);
  if (kind === kindOfArray) return [...orderedOf(bytes).values()];
  const whole = Buffer.alloc(bytes.length + 8);
  whole.writeInt32LE(whole.length, 0);
  whole.set([kind, 'v'.charCodeAt(0), 0], 4);
  whole.set(bytes, 7);
  return BSON.deserialize(whole, exact)['v'];
}

/** Names and values in stored order: objects put names that are numbers first. */
function orderedOf(bytes: Uint8Array): Map<string, unknown> {
  const row = new Map<string, unknown>();
  for (const [kind, nameAt, nameLength, at, length] of BSON.onDemand.parseToElements(bytes)) {
    const name = Buffer.from(bytes.subarray(nameAt, nameAt + nameLength)).toString('utf8');
    row.set(name, valueOf(kind, bytes.subarray(at, at + length)));
  }
  return row;
}

const encodes = (row: Row, bytes: Uint8Array): boolean => Buffer.compare(encode(row), bytes) === 0;

/** Decodes a row without losing anything. null: it holds something that no client of today can write. */
export function decodeExactly(bytes: Uint8Array): Row | null {
  try {
    const row = BSON.deserialize(bytes, exact);
    if (encodes(row, bytes)) return row;
    const ordered = orderedOf(bytes);
    return encodes(ordered, bytes) ? ordered : null;
  } catch (error) {
    // Such as text that is not UTF-8.
    if (error instanceof BSON.BSONError) return null;
    throw error;
  }
}

/** `_id` for messages, of a row that may not decode otherwise. */
export function nameOfRow(bytes: Uint8Array): string {
  return String(BSON.deserialize(bytes, { validation: { utf8: false } })['_id']);
}

export function encode(row: Row): Uint8Array {
  return BSON.serialize(row, { ignoreUndefined: true });
}

/** Replaces values of members that the row has, in their places. */
export function withMembers(row: Row, changes: Readonly<Record<string, unknown>>): Row {
  if (!(row instanceof Map)) return { ...row, ...changes };
  const changed = new Map(row);
  for (const [name, value] of Object.entries(changes)) changed.set(name, value);
  return changed;
}

export function idOf(row: Row): unknown {
  return row instanceof Map ? row.get('_id') : (row['_id'] as unknown);
}

export interface Reading {
  /** Rows that count. */
  readonly where?: Document;
  /** `_id` to go on after. */
  readonly after?: unknown;
  /** Most rows of a batch; beside it, 8 MiB end one. */
  readonly most: number;
}

/** Reads rows as bytes in the order of `_id`, a batch at a time. Each batch is a query of its own: nothing times out between two of them. */
export async function* readBatches(
  db: Db,
  collection: string,
  { where = {}, after, most }: Reading,
): AsyncGenerator<readonly Uint8Array[]> {
  for (let last = after; ;) {
    const filter = last === undefined ? where : { $and: [where, { _id: { $gt: last } }] };
    const options = { raw: true, sort: { _id: 1 }, limit: most, batchSize: most } as const;
    const batch: Uint8Array[] = [];
    let size = 0;
    for await (const found of db.collection(collection).find(filter, options)) {
      const bytes = found as unknown as Uint8Array;
      if (batch.length > 0 && size + bytes.length > usualBytes) break;
      batch.push(bytes);
      size += bytes.length;
    }
    const end = batch.at(-1);
    if (end === undefined) return;
    yield batch;
    last = BSON.deserialize(end, exact)['_id'];
  }
}
