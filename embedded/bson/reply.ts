import { documentOf } from './raw.ts';
import { type Document, encode, isObject } from './value.ts';

/** A stored document put into a reply as the bytes it was stored with. */
export class RawDocument {
  readonly bytes: Uint8Array;
  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }
}

/** An array of stored documents put into a reply unparsed. */
export class RawArray {
  readonly items: readonly Uint8Array[];
  constructor(items: readonly Uint8Array[]) {
    this.items = items;
  }
}

/** Serializes a reply, splicing raw parts wherever they stand in nested plain objects. */
export function encodeReply(reply: Document): Uint8Array {
  if (!holdsRaw(reply)) return encode(reply);
  const parts: Uint8Array[] = [];
  for (const [name, value] of Object.entries(reply)) {
    if (value instanceof RawDocument) parts.push(header(3, name), value.bytes);
    else if (value instanceof RawArray) parts.push(header(4, name), encodeArray(value.items));
    else if (isObject(value) && holdsRaw(value)) parts.push(header(3, name), encodeReply(value));
    else if (value !== undefined) parts.push(encode({ [name]: value }).subarray(4, -1));
  }
  return join(parts);
}

function holdsRaw(value: Document): boolean {
  for (const inner of Object.values(value)) {
    if (inner instanceof RawDocument || inner instanceof RawArray) return true;
    if (isObject(inner) && holdsRaw(inner)) return true;
  }
  return false;
}

function encodeArray(items: readonly Uint8Array[]): Uint8Array {
  const parts: Uint8Array[] = [];
  items.forEach((item, index) => parts.push(header(3, String(index)), item));
  return join(parts);
}

function header(type: number, name: string): Uint8Array {
  const bytes = Buffer.alloc(Buffer.byteLength(name) + 2);
  bytes[0] = type;
  bytes.write(name, 1);
  return bytes;
}

function join(parts: readonly Uint8Array[]): Uint8Array {
  let size = 5;
  for (const part of parts) size += part.length;
  return documentOf(parts, size);
}
