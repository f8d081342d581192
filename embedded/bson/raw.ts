import { MongoFault } from '../fault.ts';
import { decode, type Document } from './value.ts';

/** One element of a BSON document, by position: the type byte at `start`, the value from `value` to `end`. */
export interface Element {
  name: string;
  type: number;
  start: number;
  value: number;
  end: number;
}

const FIXED: Readonly<Record<number, number>> = {
  1: 8,
  6: 0,
  7: 12,
  8: 1,
  9: 8,
  10: 0,
  16: 4,
  17: 8,
  18: 8,
  19: 16,
  127: 0,
  255: 0,
};

/** Walks a document's own elements without parsing their values. */
export function* elements(bytes: Uint8Array): Generator<Element> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length < 5 || view.getInt32(0, true) !== bytes.length) throw malformed();
  let at = 4;
  for (;;) {
    const type = bytes[at];
    if (type === undefined) throw malformed();
    if (type === 0) {
      if (at !== bytes.length - 1) throw malformed();
      return;
    }
    const nameEnd = bytes.indexOf(0, at + 1);
    if (nameEnd < 0) throw malformed();
    const value = nameEnd + 1;
    const end = value + sizeOf(bytes, view, type, value);
    if (end >= bytes.length) throw malformed();
    yield { name: utf8(bytes, at + 1, nameEnd), type, start: at, value, end };
    at = end;
  }
}

/** The document's (or array's) embedded documents as raw bytes; anything else in it is refused. */
export function rawDocuments(bytes: Uint8Array): Uint8Array[] {
  const found: Uint8Array[] = [];
  for (const element of elements(bytes)) {
    if (element.type !== 3) throw new MongoFault(14, 'The array must hold documents only');
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

/** Parses only the named top-level fields: a filter on one field does not pay for a vector beside it. */
export function decodeOnly(bytes: Uint8Array, names: ReadonlySet<string>): Document {
  return decode(keepFields(bytes, (name) => names.has(name), names.size));
}

export function decodeWithout(bytes: Uint8Array, name: string): Document {
  return decode(keepFields(bytes, (field) => field !== name));
}

export function keepFields(bytes: Uint8Array, keep: (name: string) => boolean, expected = Infinity): Uint8Array {
  const parts: Uint8Array[] = [];
  let size = 5;
  for (const element of elements(bytes)) {
    if (!keep(element.name)) continue;
    parts.push(bytes.subarray(element.start, element.end));
    size += element.end - element.start;
    if (parts.length === expected) break;
  }
  return documentOf(parts, size);
}

/** MongoDB stores `_id` first, wherever the client put it. */
export function withIdFirst(bytes: Uint8Array): Uint8Array {
  for (const { name, start, end } of elements(bytes)) {
    if (name !== '_id') continue;
    if (start === 4) return bytes;
    return documentOf([bytes.subarray(start, end), bytes.subarray(4, start), bytes.subarray(end, -1)], bytes.length);
  }
  return bytes;
}

export function documentOf(parts: readonly Uint8Array[], size: number): Uint8Array {
  const out = new Uint8Array(size);
  new DataView(out.buffer).setInt32(0, size, true);
  let at = 4;
  for (const part of parts) {
    out.set(part, at);
    at += part.length;
  }
  return out;
}

function sizeOf(bytes: Uint8Array, view: DataView, type: number, at: number): number {
  const fixed = FIXED[type];
  if (fixed !== undefined) return fixed;
  if (type === 11) {
    const pattern = bytes.indexOf(0, at);
    const flags = pattern < 0 ? -1 : bytes.indexOf(0, pattern + 1);
    if (flags < 0) throw malformed();
    return flags + 1 - at;
  }
  if (at + 4 > bytes.length) throw malformed();
  const length = view.getInt32(at, true);
  if (length < 0) throw malformed();
  if (type === 2 || type === 13 || type === 14) return length + 4;
  if (type === 5) return length + 5;
  if (type === 12) return length + 16;
  if ((type === 3 || type === 4 || type === 15) && length >= 5) return length;
  throw malformed();
}

/** `latin1` of an ASCII name is the same text and several times faster; names beyond ASCII take the slow way. */
function utf8(bytes: Uint8Array, from: number, to: number): string {
  let name = '';
  for (let at = from; at < to; at++) {
    const byte = bytes[at] ?? 0;
    if (byte > 127) return new TextDecoder().decode(bytes.subarray(from, to));
    name += String.fromCharCode(byte);
  }
  return name;
}

function malformed(): MongoFault {
  return new MongoFault(22, 'Invalid BSON document');
}
