import type { Binary, BSONRegExp, Code, Decimal128, Long, ObjectId } from 'bson';
import { CommandError } from '../errors.ts';
import { type Document, Kind, kindOf, namesOf, numeric, Raw, RawArray } from './value.ts';

/** MongoDB's limit for what it stores. */
const MAX_DEPTH = 180;

/** With a guess at its size the document is not moved while it grows. */
export function encode(doc: Document, size = 512): Uint8Array {
  return new Writer(size).document(doc).finish();
}

class Writer {
  #bytes: Buffer;
  #at = 0;
  #depth = 0;

  constructor(size: number) {
    this.#bytes = Buffer.allocUnsafe(size);
  }

  finish(): Uint8Array {
    return this.#bytes.subarray(0, this.#at);
  }

  document(doc: Document): this {
    const start = this.#open();
    for (const name of namesOf(doc)) {
      const value = doc[name];
      if (value !== undefined) this.#element(name, value);
    }
    return this.#close(start);
  }

  #element(name: string, value: unknown): void {
    const start = this.#at;
    this.#byte(0);
    this.#name(name);
    const type = this.#value(value);
    this.#bytes[start] = type;
  }

  /** Writes the value and says its type. */
  #value(value: unknown): number {
    if (typeof value === 'object' && value instanceof Raw) return this.#raw(value.bytes, value.type);
    if (typeof value === 'object' && value instanceof RawArray) {
      const start = this.#open();
      for (const [index, item] of value.items.entries()) {
        this.#byte(Kind.object);
        this.#name(String(index));
        this.#raw(item, 0);
      }
      this.#close(start);
      return Kind.array;
    }
    const kind = typeof value === 'object' && value instanceof Uint8Array ? Kind.binary : kindOf(value);
    switch (kind) {
      case Kind.double: {
        const at = this.#room(8);
        this.#bytes.writeDoubleLE(typeof value === 'number' ? value : Number(numeric(value)), at);
        return kind;
      }
      case Kind.string:
      case Kind.symbol:
        this.#string(String(value));
        return kind;
      case Kind.object:
        this.document(value as Document);
        return kind;
      case Kind.array: {
        const start = this.#open();
        const items = value as unknown[];
        for (let index = 0; index < items.length; index++) this.#element(String(index), items[index] ?? null);
        this.#close(start);
        return kind;
      }
      case Kind.binary: {
        const { bytes, subtype } =
          value instanceof Uint8Array
            ? { bytes: value, subtype: 0 }
            : { bytes: (value as Binary).value(), subtype: (value as Binary).sub_type };
        this.#int(bytes.length + (subtype === 2 ? 4 : 0));
        this.#byte(subtype);
        if (subtype === 2) this.#int(bytes.length);
        return this.#raw(bytes, kind);
      }
      case Kind.objectId:
        return this.#raw((value as ObjectId).id, kind);
      case Kind.bool:
        this.#byte(value === true ? 1 : 0);
        return kind;
      case Kind.date:
        return this.#long(BigInt((value as Date).getTime()), kind);
      case Kind.regex:
        this.#name((value as BSONRegExp).pattern);
        this.#name((value as BSONRegExp).options);
        return kind;
      case Kind.code:
        this.#string((value as Code).code);
        return kind;
      case Kind.scopedCode: {
        const start = this.#room(4);
        this.#string((value as Code).code);
        this.document((value as Code).scope ?? {});
        this.#intAt(start, this.#at - start);
        return kind;
      }
      case Kind.int:
        this.#int(Number(numeric(value)));
        return kind;
      case Kind.timestamp:
      case Kind.long:
        return this.#long(BigInt.asIntN(64, typeof value === 'bigint' ? value : (value as Long).toBigInt()), kind);
      case Kind.decimal:
        return this.#raw((value as Decimal128).bytes, kind);
      default:
        return kind & 0xff;
    }
  }

  #open(): number {
    if (++this.#depth > MAX_DEPTH) throw new CommandError(15, `BSON document nested deeper than ${MAX_DEPTH} levels`);
    return this.#room(4);
  }

  #close(start: number): this {
    this.#depth--;
    this.#byte(0);
    this.#intAt(start, this.#at - start);
    return this;
  }

  #name(text: string): void {
    if (text.indexOf('\0') >= 0) throw new CommandError(2, 'A field name or pattern must not contain a zero byte');
    this.#text(text);
    this.#byte(0);
  }

  #string(text: string): void {
    const start = this.#room(4);
    this.#text(text);
    this.#byte(0);
    this.#intAt(start, this.#at - start - 4);
  }

  #text(text: string): void {
    const { length } = text;
    let at = this.#room(length * 3);
    const bytes = this.#bytes;
    if (length > 32) this.#at = at + bytes.write(text, at, 'utf8');
    else {
      for (let index = 0; index < length; index++) {
        const code = text.charCodeAt(index);
        if (code > 127) {
          at += bytes.write(text.slice(index), at, 'utf8');
          break;
        }
        bytes[at++] = code;
      }
      this.#at = at;
    }
  }

  #int(value: number): void {
    this.#intAt(this.#room(4), value);
  }

  #intAt(at: number, value: number): void {
    const bytes = this.#bytes;
    bytes[at] = value;
    bytes[at + 1] = value >> 8;
    bytes[at + 2] = value >> 16;
    bytes[at + 3] = value >> 24;
  }

  #long(value: bigint, kind: number): number {
    const at = this.#room(8);
    this.#bytes.writeBigInt64LE(value, at);
    return kind;
  }

  #byte(byte: number): void {
    const at = this.#room(1);
    this.#bytes[at] = byte;
  }

  #raw(bytes: Uint8Array, kind: number): number {
    const at = this.#room(bytes.length);
    this.#bytes.set(bytes, at);
    return kind;
  }

  /** The place for the next bytes. */
  #room(size: number): number {
    const at = this.#at;
    this.#at += size;
    if (this.#at > this.#bytes.length) {
      const grown = Buffer.allocUnsafe(Math.max(this.#bytes.length * 2, this.#at));
      this.#bytes.copy(grown, 0, 0, at);
      this.#bytes = grown;
    }
    return at;
  }
}
