import { decodeOnly } from '../../bson/decode.ts';
import { rawField } from '../../bson/raw.ts';
import type { Filter } from '../../query/filter.ts';
import { Best, type Hit } from '../best.ts';
import { ByteVectors, growTo } from './byte-vectors.ts';
import { Column } from './column.ts';
import { BATCH, type Kernel, LANE_FLOATS, PAGE, SLOTS_AT, VALUES_AT } from './kernel.ts';

const FLOAT32 = 0x27;

export interface VectorField {
  path: string;
  parts: readonly string[];
  dimensions: number;
  similarity: 'cosine' | 'dotProduct' | 'euclidean';
}

/** Atlas's scores, by what the kernel gives. */
const SCORES: Readonly<Record<VectorField['similarity'], (value: number) => number>> = {
  cosine: (cosine) => Math.min(1, Math.max(0, (1 + cosine) / 2)),
  dotProduct: (dot) => Math.max(0, (1 + dot) / 2),
  euclidean: (squared) => 1 / (1 + squared),
};

/** One vector field and the filter fields in memory: a slot for each row that has a vector, without gaps. */
export class VectorTable {
  readonly #field: VectorField;
  readonly #kernel: Kernel;
  readonly #reserve: (bytes: number) => void;
  readonly #stride: number;
  readonly #slotOf = new Map<number, number>();
  readonly #rows: number[] = [];
  /** For cosine: 1 / length of each vector. */
  readonly #scales: number[] = [];
  /** For cosine: the vectors once more, shorter, to leave out most of them. */
  readonly #short: ByteVectors | undefined;
  readonly #columns: ReadonlyMap<string, Column>;
  readonly #roots: ReadonlySet<string>;

  /** `reserve` is asked before memory grows, and may refuse by throwing. */
  constructor(field: VectorField, filters: readonly string[], start: () => Kernel, reserve: (bytes: number) => void) {
    this.#field = field;
    this.#kernel = start();
    this.#reserve = reserve;
    this.#stride = Math.ceil(field.dimensions / LANE_FLOATS) * LANE_FLOATS * 4;
    const isCosine = field.similarity === 'cosine';
    this.#short = isCosine ? new ByteVectors(field.dimensions, start(), reserve) : undefined;
    this.#columns = new Map(filters.map((path) => [path, new Column(path)]));
    this.#roots = new Set(filters.map((path) => path.split('.')[0] as string));
  }

  get bytes(): number {
    return this.#kernel.memory.buffer.byteLength + (this.#short?.bytes ?? 0);
  }

  get size(): number {
    return this.#rows.length;
  }

  /** Enters the row, or takes it out when its document (`undefined`: deleted) has no vector of the right length. */
  put(row: number, document: Uint8Array | undefined): void {
    const slot = this.#slotOf.get(row) ?? this.#rows.length;
    const scale = document && this.#write(slot, document);
    if (!document || scale === undefined) return this.#remove(row);
    this.#slotOf.set(row, slot);
    this.#rows[slot] = row;
    this.#scales[slot] = scale;
    if (this.#columns.size === 0) return;
    const doc = decodeOnly(document, this.#roots);
    for (const column of this.#columns.values()) column.set(slot, doc);
  }

  /** The `_id` of a row, where it is a filter field and a string. */
  idOf(row: number): string | undefined {
    const slot = this.#slotOf.get(row);
    const id = slot === undefined ? undefined : this.#columns.get('_id')?.valueAt(slot);
    return typeof id === 'string' ? id : undefined;
  }

  /** The best first, equal scores by insertion. */
  search(query: Float32Array, limit: number, filter: Filter | undefined): Hit[] {
    const { similarity } = this.#field;
    const scan = similarity === 'euclidean' ? this.#kernel.distance : this.#kernel.dot;
    const { buffer } = this.#kernel.memory;
    const places = new Uint32Array(buffer, SLOTS_AT, BATCH);
    const values = new Float32Array(buffer, VALUES_AT, BATCH);
    const input = new Float32Array(buffer, 0, this.#stride / 4).fill(0);
    const length = similarity === 'cosine' ? Math.hypot(...query) : 1;
    for (const [at, number] of query.entries()) input[at] = number / length;
    const passing = this.#passing(filter);
    const slots = this.#short?.narrow(input.subarray(0, query.length), passing, limit) ?? passing;
    const best = new Best(limit);
    for (let start = 0; start < slots.length; start += BATCH) {
      const batch = slots.subarray(start, start + BATCH);
      places.set(batch);
      scan(0, this.#stride, batch.length * 4);
      for (let at = 0; at < batch.length; at++) {
        const slot = batch[at] as number;
        const value = (values[at] as number) * (this.#scales[slot] as number);
        best.offer(this.#rows[slot] as number, SCORES[similarity](value));
      }
    }
    return best.taken();
  }

  #passing(filter: Filter | undefined): Uint32Array {
    const slots = new Uint32Array(this.#rows.length);
    const mask = filter && this.#mask(filter);
    let count = 0;
    for (let slot = 0; slot < slots.length; slot++) if (!mask || mask[slot] === 1) slots[count++] = slot;
    return slots.subarray(0, count);
  }

  /** The row's scale, or `undefined` when it has no vector that can be compared. */
  #write(slot: number, document: Uint8Array): number | undefined {
    const at = PAGE + slot * this.#stride;
    growTo(this.#kernel, at + this.#stride, this.#reserve);
    const { memory, dot } = this.#kernel;
    const vector = new Float32Array(memory.buffer, at, this.#field.dimensions);
    if (!readVector(document, this.#field.parts, vector)) return undefined;
    new Uint32Array(memory.buffer, SLOTS_AT, 1)[0] = slot;
    dot(at, this.#stride, 4);
    const square = new Float32Array(memory.buffer, VALUES_AT, 1)[0] as number;
    const isComparable = Number.isFinite(square) && (square > 0 || this.#field.similarity !== 'cosine');
    if (!isComparable) return undefined;
    if (this.#field.similarity !== 'cosine') return 1;
    const length = Math.sqrt(square);
    this.#short?.put(slot, vector, length);
    return 1 / length;
  }

  #remove(row: number): void {
    const slot = this.#slotOf.get(row);
    if (slot === undefined) return;
    const last = this.#rows.length - 1;
    const memory = new Uint8Array(this.#kernel.memory.buffer);
    memory.copyWithin(PAGE + slot * this.#stride, PAGE + last * this.#stride, PAGE + (last + 1) * this.#stride);
    this.#short?.moveLast(slot);
    for (const column of this.#columns.values()) column.moveLast(slot);
    const moved = this.#rows.pop() as number;
    const scale = this.#scales.pop() as number;
    this.#slotOf.delete(row);
    if (slot === last) return;
    this.#rows[slot] = moved;
    this.#scales[slot] = scale;
    this.#slotOf.set(moved, slot);
  }

  /** 1 for each slot that passes. */
  #mask(filter: Filter): Uint8Array {
    if (filter.op === 'field') return (this.#columns.get(filter.path) as Column).mask(filter.predicate);
    const mask = new Uint8Array(this.size).fill(filter.op === 'and' ? 1 : 0);
    for (const inner of 'filters' in filter ? filter.filters : []) {
      const other = this.#mask(inner);
      if (filter.op === 'and')
        for (let slot = 0; slot < mask.length; slot++) mask[slot] = (mask[slot] as number) & (other[slot] as number);
      else for (let slot = 0; slot < mask.length; slot++) mask[slot] = (mask[slot] as number) | (other[slot] as number);
    }
    return filter.op === 'nor' ? mask.map((passes) => 1 - passes) : mask;
  }
}

/** Writes the document's vector into `into`; false when it has none of that length. Binary vectors are copied as they are. */
function readVector(bytes: Uint8Array, parts: readonly string[], into: Float32Array): boolean {
  let field: { type: number; bytes: Uint8Array } | undefined = { type: 3, bytes };
  for (const part of parts) field = field?.type === 3 ? rawField(field.bytes, part) : undefined;
  if (field?.type === 5) return readBinary(field.bytes, into);
  return field?.type === 4 && readArray(field.bytes, into);
}

/** Length, subtype 9, then element type, padding and the floats. Vectors of int8 and of bits are met by queries of their kind only. */
function readBinary(bytes: Uint8Array, into: Float32Array): boolean {
  if (bytes.length !== 7 + into.byteLength || bytes[4] !== 9 || bytes[5] !== FLOAT32 || bytes[6] !== 0) return false;
  new Uint8Array(into.buffer, into.byteOffset, into.byteLength).set(bytes.subarray(7));
  return true;
}

function readArray(bytes: Uint8Array, into: Float32Array): boolean {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = 4;
  for (let item = 0; ; item++) {
    const type = bytes[at];
    if (type === 0) return item === into.length;
    if (item === into.length) return false;
    at = bytes.indexOf(0, at + 1) + 1;
    if (type === 1) into[item] = view.getFloat64(at, true);
    else if (type === 16) into[item] = view.getInt32(at, true);
    else if (type === 18) into[item] = Number(view.getBigInt64(at, true));
    else return false;
    at += type === 16 ? 4 : 8;
  }
}
