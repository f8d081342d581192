import { type Binary, type BSONRegExp, type Code, type Long, type ObjectId } from 'bson';
import { distance, nearest } from '../bson/decimal.ts';
import { type Document, fieldsOf, isNumeric, Kind, kindOf } from '../bson/value.ts';
import { rankOf } from '../query/compare.ts';

/**
 * Index keys whose bytes compare (memcmp) as MongoDB orders the values. Each value is a rank byte and a payload that ends
 * itself, so keys concatenate, and a descending field is the same bytes inverted.
 */
export class KeyWriter {
  #bytes = Buffer.allocUnsafe(64);
  #length = 0;

  add(value: unknown, descending = false): this {
    const start = this.#length;
    this.#value(value);
    if (descending) for (let at = start; at < this.#length; at++) this.#bytes[at] = ~(this.#bytes[at] ?? 0);
    return this;
  }

  finish(): Buffer {
    return Buffer.from(this.#bytes.subarray(0, this.#length));
  }

  #value(value: unknown): void {
    const kind = kindOf(value);
    this.#byte(rankOf(kind));
    if (isNumeric(kind)) return this.#number(value);
    switch (kind) {
      case Kind.string:
      case Kind.symbol:
        return this.#text(String(value));
      case Kind.object:
        return this.#object(value as Document);
      case Kind.array:
        for (const item of value as unknown[]) this.#value(item);
        return this.#byte(0);
      case Kind.binary: {
        const content = (value as Binary).value();
        this.#room(5).writeUInt32BE(content.length, this.#length);
        this.#length += 4;
        this.#byte((value as Binary).sub_type);
        return this.#raw(content);
      }
      case Kind.objectId:
        return this.#raw((value as ObjectId).id);
      case Kind.bool:
        return this.#byte(value === true ? 1 : 0);
      case Kind.date:
        return this.#int64(BigInt((value as Date).getTime()) + (1n << 63n));
      case Kind.timestamp:
        return this.#int64((value as Long).toUnsigned().toBigInt());
      case Kind.regex:
        this.#text((value as BSONRegExp).pattern);
        return this.#text((value as BSONRegExp).options);
      case Kind.code:
        return this.#text((value as Code).code);
      case Kind.scopedCode:
        this.#text((value as Code).code);
        return this.#value((value as Code).scope);
      default:
    }
  }

  /** The nearest double in sortable form, then how far the number lies from it: longs beyond 2^53 and decimals stay distinct. */
  #number(value: unknown): void {
    const near = typeof value === 'number' ? value + 0 : nearest(value);
    const target = this.#room(9);
    const at = this.#length;
    this.#length += 9;
    if (Number.isNaN(near)) target.fill(0, at, at + 8);
    else {
      target.writeDoubleBE(near, at);
      const negative = near < 0;
      for (let byte = at; byte < at + 8; byte++) target[byte] = (target[byte] ?? 0) ^ (negative ? 0xff : 0);
      if (!negative) target[at] = (target[at] ?? 0) | 0x80;
    }
    const apart = typeof value === 'number' || !Number.isFinite(near) ? undefined : distance(value);
    target[at + 8] = !apart ? 0x80 : apart.negative ? 0x7f : 0x81;
    if (!apart) return;
    const size = [(apart.exponent + 0x8000) >> 8, apart.exponent & 0xff];
    const bytes = Uint8Array.from([...size, ...Array.from(apart.digits, (digit) => Number(digit) + 1), 0]);
    this.#raw(apart.negative ? bytes.map((byte) => ~byte) : bytes);
  }

  /** Zero bytes inside are escaped as 00 FF; 00 00 ends the text, so a prefix sorts before what extends it. */
  #text(text: string): void {
    if (!this.#ascii(text)) {
      const bytes = Buffer.from(text);
      if (bytes.indexOf(0) < 0) this.#raw(bytes);
      else {
        for (const byte of bytes) {
          this.#byte(byte);
          if (byte === 0) this.#byte(0xff);
        }
      }
    }
    this.#byte(0);
    this.#byte(0);
  }

  /** Short ASCII, which ids are, is written faster here than by a call into the runtime. False: it is something else. */
  #ascii(text: string): boolean {
    const size = text.length;
    if (size > 64) return false;
    const target = this.#room(size);
    const from = this.#length;
    for (let at = 0; at < size; at++) {
      const code = text.charCodeAt(at);
      if (code === 0 || code > 127) return false;
      target[from + at] = code;
    }
    this.#length = from + size;
    return true;
  }

  #object(value: Document): void {
    for (const [name, inner] of fieldsOf(value)) {
      this.#byte(rankOf(kindOf(inner)));
      this.#text(name);
      this.#value(inner);
    }
    this.#byte(0);
  }

  #int64(value: bigint): void {
    this.#room(8).writeBigUInt64BE(value, this.#length);
    this.#length += 8;
  }

  #byte(byte: number): void {
    this.#room(1)[this.#length++] = byte;
  }

  #raw(bytes: Uint8Array): void {
    this.#room(bytes.length).set(bytes, this.#length);
    this.#length += bytes.length;
  }

  #room(size: number): Buffer {
    if (this.#length + size > this.#bytes.length) {
      const grown = Buffer.allocUnsafe(Math.max(this.#bytes.length * 2, this.#length + size));
      this.#bytes.copy(grown, 0, 0, this.#length);
      this.#bytes = grown;
    }
    return this.#bytes;
  }
}

/** The least key greater than every key that starts with these bytes. */
export function successor(bytes: Uint8Array): Buffer {
  let end = bytes.length;
  while (end > 0 && bytes[end - 1] === 0xff) end--;
  const next = Buffer.from(bytes.subarray(0, end));
  if (end === 0) return Buffer.alloc(1, 0xff);
  next[end - 1] = (next[end - 1] ?? 0) + 1;
  return next;
}
