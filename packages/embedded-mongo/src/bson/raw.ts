import { Long, ObjectId, Timestamp } from 'bson';
import { CommandError } from '../errors.ts';
import { Reader } from './decode.ts';
import { encode } from './encode.ts';
import { Kind } from './value.ts';

/** One element of a BSON document, by position: the type byte at `start`, the value from `value` to `end`. */
export interface Element {
  name: string;
  type: number;
  start: number;
  value: number;
  end: number;
}

/** Walks a document's own elements without parsing their values. */
export function* elements(bytes: Uint8Array): Generator<Element> {
  const reader = new Reader(bytes);
  const last = reader.enter();
  for (let start = reader.at, type = reader.next(last); type !== 0; start = reader.at, type = reader.next(last)) {
    const name = reader.name();
    const value = reader.at;
    reader.skip(type);
    yield { name, type, start, value, end: reader.at };
  }
}

/** The document's (or array's) embedded documents as raw bytes; anything else in it is refused. */
export function rawDocuments(bytes: Uint8Array): Uint8Array[] {
  const found: Uint8Array[] = [];
  for (const element of elements(bytes)) {
    if (element.type !== Kind.object) throw new CommandError(14, 'The array must hold documents only');
    found.push(bytes.subarray(element.value, element.end));
  }
  return found;
}

export function rawField(bytes: Uint8Array, name: string): { type: number; bytes: Uint8Array } | undefined {
  for (const element of elements(bytes)) {
    if (element.name === name) return { type: element.type, bytes: bytes.subarray(element.value, element.end) };
  }
  return undefined;
}

export function keepFields(bytes: Uint8Array, keep: (name: string) => boolean): Uint8Array {
  const parts: Uint8Array[] = [];
  for (const { name, start, end } of elements(bytes)) if (keep(name)) parts.push(bytes.subarray(start, end));
  return documentOf(parts);
}

/**
 * Converts a document to its stored form: `_id` first, or the element given in its place, and the time in empty timestamps. Else the
 * client's own bytes.
 */
export function storedForm(bytes: Uint8Array, id?: Uint8Array): Uint8Array {
  if (id === undefined && isStoredForm(bytes)) return bytes;
  const parts: Uint8Array[] = [];
  let own: Uint8Array | undefined;
  let same = id === undefined;
  for (const { name, type, start, value, end } of elements(bytes)) {
    const element = bytes.subarray(start, end);
    if (name === '_id') {
      own = element;
      same &&= start === 4;
    } else if (type === Kind.timestamp && bytes.subarray(value, end).every((byte) => byte === 0)) {
      parts.push(encode({ [name]: timestamp() }).subarray(4, -1));
      same = false;
    } else parts.push(element);
  }
  if (same && own) return bytes;
  return documentOf([id ?? own ?? encode({ _id: new ObjectId() }).subarray(4, -1), ...parts]);
}

/** True for what most clients send: `_id` first and once, and no empty timestamp. */
function isStoredForm(bytes: Uint8Array): boolean {
  const reader = new Reader(bytes);
  const last = reader.enter();
  let at = 0;
  for (let type = reader.next(last); type !== 0; type = reader.next(last), at++) {
    if (type === Kind.timestamp || (reader.name() === '_id') !== (at === 0)) return false;
    reader.skip(type);
  }
  return at > 0;
}

function timestamp(): Timestamp {
  return new Timestamp(Long.fromBits(1, Math.floor(Date.now() / 1000), true));
}

/** A document of elements that are encoded already. */
export function documentOf(parts: readonly Uint8Array[]): Uint8Array {
  const size = parts.reduce((sum, part) => sum + part.length, 5);
  const out = new Uint8Array(size);
  new DataView(out.buffer).setInt32(0, size, true);
  let at = 4;
  for (const part of parts) {
    out.set(part, at);
    at += part.length;
  }
  return out;
}
