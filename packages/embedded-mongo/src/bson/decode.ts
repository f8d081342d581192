import {
  Binary,
  BSONRegExp,
  BSONSymbol,
  Code,
  Decimal128,
  Double,
  Long,
  MaxKey,
  MinKey,
  ObjectId,
  Timestamp,
} from 'bson';
import { CommandError, notImplemented } from '../errors.ts';
import { type Document, EVERY_FIELD, isDigit, keepOrder, Kind, putField, Raw } from './value.ts';

/** Limit of nesting: documents have 180 levels at most, and are inside a command. */
const MAX_DEPTH = 200;

const FIXED_SIZE: Readonly<Record<number, number>> = {
  [Kind.double]: 8,
  6: 0,
  [Kind.objectId]: 12,
  [Kind.bool]: 1,
  [Kind.date]: 8,
  [Kind.null]: 0,
  [Kind.int]: 4,
  [Kind.timestamp]: 8,
  [Kind.long]: 8,
  [Kind.decimal]: 16,
  [Kind.maxKey]: 0,
  255: 0,
};

export function decode(bytes: Uint8Array): Document {
  return parsed(() => new Reader(bytes).document());
}

/** Parses only the named top-level fields: a filter on one field does not pay for a vector beside it. */
export function decodeOnly(bytes: Uint8Array, names: ReadonlySet<string>): Document {
  return names.has(EVERY_FIELD)
    ? decode(bytes)
    : parsed(() => new Reader(bytes).document((name) => names.has(name), names.size));
}

/** Parses the named top-level fields and keeps the others as `Raw`: encoded again, they are the same bytes. */
export function decodeAround(bytes: Uint8Array, names: ReadonlySet<string>): Document {
  return names.has(EVERY_FIELD) ? decode(bytes) : parsed(() => new Reader(bytes).document((name) => names.has(name)));
}

export function decodeWithout(bytes: Uint8Array, left: string): Document {
  return parsed(() => new Reader(bytes).document((name) => name !== left, Infinity));
}

/** Reading past the end, and what bson's classes refuse to hold, is a malformed document too. */
function parsed(read: () => Document): Document {
  try {
    return read();
  } catch (error) {
    throw error instanceof CommandError ? error : malformed();
  }
}

function malformed(): CommandError {
  return new CommandError(22, 'Invalid BSON document');
}

/** Reads one document from its start; `at` is the next byte. */
export class Reader {
  at = 0;
  #depth = 0;
  readonly #bytes: Uint8Array;
  #view: DataView | undefined;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    if (bytes.length < 5 || this.#int(0) !== bytes.length) throw malformed();
  }

  /** Keeps the wanted fields only, up to a number. Without a number it keeps the others as `Raw`. */
  document(wanted?: (name: string) => boolean, limit?: number): Document {
    const doc: Document = {};
    const end = this.enter();
    let order: Set<string> | undefined;
    let left = limit;
    for (let type = this.next(end); type !== 0; type = this.next(end)) {
      if (isDigit(this.#bytes[this.at] as number)) order ??= new Set(Object.keys(doc));
      const name = this.name();
      const start = this.at;
      const isWanted = wanted === undefined || wanted(name);
      if (!isWanted) {
        this.skip(type);
        if (limit !== undefined) continue;
      }
      putField(doc, name, isWanted ? this.value(type) : new Raw(type, this.#bytes.subarray(start, this.at)));
      order?.add(name);
      if (left !== undefined && --left === 0) break;
    }
    if (order) keepOrder(doc, order);
    return doc;
  }

  #array(): unknown[] {
    const items: unknown[] = [];
    const end = this.enter();
    for (let type = this.next(end); type !== 0; type = this.next(end)) {
      while (this.#bytes[this.at++] !== 0) if (this.at >= end) throw malformed();
      items.push(this.value(type));
    }
    return items;
  }

  value(type: number): unknown {
    const { at } = this;
    switch (type) {
      case Kind.double: {
        this.#view ??= new DataView(this.#bytes.buffer, this.#bytes.byteOffset, this.#bytes.length);
        const number = this.#view.getFloat64(at, true);
        this.at += 8;
        return (number | 0) === number ? new Double(number) : number;
      }
      case Kind.string:
        return this.#string();
      case Kind.object:
        return this.document();
      case Kind.array:
        return this.#array();
      case Kind.binary: {
        const subtype = this.#bytes[at + 4] ?? 0;
        const end = at + 5 + this.#length(at, 0);
        this.at = end;
        return new Binary(this.#slice(subtype === 2 ? at + 9 : at + 5, end), subtype);
      }
      case Kind.objectId:
        this.at += 12;
        return new ObjectId(this.#slice(at, this.at));
      case Kind.bool:
        return this.#bytes[this.at++] === 1;
      case Kind.date: {
        this.at += 8;
        const date = new Date(this.#int(at + 4) * 0x1_0000_0000 + (this.#int(at) >>> 0));
        if (Number.isNaN(date.getTime())) throw notImplemented('A date beyond the year 275760');
        return date;
      }
      case Kind.null:
        return null;
      case Kind.regex: {
        const pattern = this.name();
        return new BSONRegExp(pattern, this.name());
      }
      case Kind.code:
        return new Code(this.#string());
      case Kind.symbol:
        return new BSONSymbol(this.#string());
      case Kind.scopedCode: {
        this.at += 4;
        const code = this.#string();
        return new Code(code, this.document());
      }
      case Kind.int:
        this.at += 4;
        return this.#int(at);
      case Kind.timestamp:
        return new Timestamp(this.#long().toUnsigned());
      case Kind.long:
        return this.#long();
      case Kind.decimal:
        this.at += 16;
        return new Decimal128(Buffer.from(this.#slice(at, this.at)));
      case 255:
        return new MinKey();
      case Kind.maxKey:
        return new MaxKey();
      case 6:
      case 12:
        throw notImplemented('The deprecated BSON types undefined and DBPointer');
      default:
        throw malformed();
    }
  }

  /** Passes over a value without parsing it. */
  skip(type: number): void {
    const fixed = FIXED_SIZE[type];
    if (fixed !== undefined) this.at += fixed;
    else if (type === Kind.regex) {
      for (let ends = 0; ends < 2; this.at++) {
        const byte = this.#bytes[this.at];
        if (byte === undefined) throw malformed();
        if (byte === 0) ends++;
      }
    } else if (type === Kind.string || type === Kind.symbol || type === Kind.code)
      this.at += 4 + this.#length(this.at, 1);
    else if (type === Kind.binary) this.at += 5 + this.#length(this.at, 0);
    else if (type === Kind.object || type === Kind.array || type === Kind.scopedCode)
      this.at += this.#length(this.at, 5);
    else if (type === 12) this.at += 16 + this.#length(this.at, 1);
    else throw malformed();
    if (this.at >= this.#bytes.length) throw malformed();
  }

  /** A text that ends with a zero byte. */
  name(): string {
    const start = this.at;
    let end = start;
    while (this.#bytes[end] !== 0) if (++end >= this.#bytes.length) throw malformed();
    this.at = end + 1;
    return this.#text(start, end);
  }

  /** Steps into the document or array that starts here, and says where it ends. */
  enter(): number {
    if (++this.#depth > MAX_DEPTH) throw new CommandError(15, `BSON document nested deeper than ${MAX_DEPTH} levels`);
    const end = this.at + this.#length(this.at, 5);
    this.at += 4;
    return end;
  }

  /** The type of the next element, 0 at the end. */
  next(end: number): number {
    const type = this.#bytes[this.at++];
    if (type === undefined || this.at > end || (type === 0 && this.at !== end)) throw malformed();
    if (type === 0) this.#depth--;
    return type;
  }

  #int(at: number): number {
    const bytes = this.#bytes;
    if (at + 4 > bytes.length) throw malformed();
    return (
      (bytes[at] as number) |
      ((bytes[at + 1] as number) << 8) |
      ((bytes[at + 2] as number) << 16) |
      ((bytes[at + 3] as number) << 24)
    );
  }

  #length(at: number, least: number): number {
    const length = this.#int(at);
    if (length < least || at + length > this.#bytes.length) throw malformed();
    return length;
  }

  #string(): string {
    const start = this.at + 4;
    const end = start + this.#length(this.at, 1);
    if (this.#bytes[end - 1] !== 0) throw malformed();
    this.at = end;
    return this.#text(start, end - 1);
  }

  /** Short ASCII, which names and keys are, is put together faster here than by a call into the runtime. */
  #text(start: number, end: number): string {
    if (end - start > 24) return this.#utf8(start, end);
    let text = '';
    for (let at = start; at < end; at++) {
      const byte = this.#bytes[at] as number;
      if (byte > 127) return this.#utf8(start, end);
      text += String.fromCharCode(byte);
    }
    return text;
  }

  #utf8(start: number, end: number): string {
    return Buffer.from(this.#bytes.buffer, this.#bytes.byteOffset + start, end - start).toString();
  }

  #slice(start: number, end: number): Uint8Array {
    if (start > end || end >= this.#bytes.length) throw malformed();
    return this.#bytes.subarray(start, end);
  }

  #long(): Long {
    const { at } = this;
    this.at += 8;
    return Long.fromBits(this.#int(at), this.#int(at + 4));
  }
}
