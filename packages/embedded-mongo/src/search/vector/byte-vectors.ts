import { Best } from '../best.ts';
import { BATCH, type Kernel, LANE_BYTES, PAGE, SLOTS_AT, VALUES_AT } from './kernel.ts';

/** Greatest number of a byte with a sign, and of 16 bits. */
const BYTE = 127;
const SHORT = 32_767;
/** Sums of products stay below this, so that no addition overflows. */
const MAX_SUM = 2 ** 31 - 1;
/** Relative error of one addition of floats. */
const ROUNDING = 2 ** -24;

/**
 * Vectors of length 1 with a byte a number: a quarter of the memory that a scan has to read. What a search gets of them is which vectors can be
 * among the nearest, by bounds on the errors; those are then compared in full, so that the answer is exact.
 */
export class ByteVectors {
  readonly #dimensions: number;
  readonly #kernel: Kernel;
  readonly #reserve: (bytes: number) => void;
  readonly #stride: number;
  /** By slot: what a unit of the byte stands for, and the length of what the bytes leave out. */
  readonly #units: number[] = [];
  readonly #errors: number[] = [];

  constructor(dimensions: number, kernel: Kernel, reserve: (bytes: number) => void) {
    this.#dimensions = dimensions;
    this.#kernel = kernel;
    this.#reserve = reserve;
    this.#stride = Math.ceil(dimensions / LANE_BYTES) * LANE_BYTES;
  }

  get bytes(): number {
    return this.#kernel.memory.buffer.byteLength;
  }

  put(slot: number, vector: Float32Array, length: number): void {
    const at = PAGE + slot * this.#stride;
    growTo(this.#kernel, at + this.#stride, this.#reserve);
    const row = new Int8Array(this.#kernel.memory.buffer, at, this.#dimensions);
    const unit = greatest(vector) / BYTE;
    const error = rounded(vector, unit, row);
    // Numbers that are too small to be divided by: it may be anywhere.
    const isKnown = Number.isFinite(1 / unit) && Number.isFinite(error / length);
    this.#units[slot] = isKnown ? unit / length : 0;
    this.#errors[slot] = isKnown ? error / length : 1;
  }

  /** Takes the last slot away; what it had goes to `slot`. */
  moveLast(slot: number): void {
    const last = this.#units.length - 1;
    const memory = new Uint8Array(this.#kernel.memory.buffer);
    memory.copyWithin(PAGE + slot * this.#stride, PAGE + last * this.#stride, PAGE + (last + 1) * this.#stride);
    const [unit, error] = [this.#units.pop() as number, this.#errors.pop() as number];
    if (slot === last) return;
    this.#units[slot] = unit;
    this.#errors[slot] = error;
  }

  /** Those of the slots that can be among the `limit` nearest to a query of length 1. */
  narrow(query: Float32Array, slots: Uint32Array, limit: number): Uint32Array {
    if (slots.length <= limit) return slots;
    const { unit, error } = this.#enter(query);
    const { buffer } = this.#kernel.memory;
    const [places, sums] = [new Uint32Array(buffer, SLOTS_AT, BATCH), new Int32Array(buffer, VALUES_AT, BATCH)];
    // Errors of the floats, here and in the full comparison.
    const slack = error + ROUNDING * (2 * this.#dimensions + 16);
    const atMost = new Float64Array(slots.length);
    const atLeast = new Best(limit);
    for (let start = 0; start < slots.length; start += BATCH) {
      const batch = slots.subarray(start, start + BATCH);
      places.set(batch);
      this.#kernel.dotBytes(0, this.#stride, batch.length * 4);
      for (let n = 0; n < batch.length; n++) {
        const slot = batch[n] as number;
        const cosine = (sums[n] as number) * unit * (this.#units[slot] as number);
        const off = slack + (1 + error) * (this.#errors[slot] as number);
        // Scores end at those of 1 and -1, so that lengths that floats cannot hold are ties.
        atMost[start + n] = Math.max(-1, cosine + off);
        atLeast.offer(slot, Math.min(1, cosine - off));
      }
    }
    const least = atLeast.taken().at(-1)?.score ?? -Infinity;
    return slots.filter((_, n) => (atMost[n] as number) >= least);
  }

  /** Writes the query as numbers of 16 bits, or fewer where sums of products would overflow. */
  #enter(query: Float32Array): { unit: number; error: number } {
    const input = new Int16Array(this.#kernel.memory.buffer, 0, this.#stride).fill(0);
    const most = greatest(query);
    const sum = query.reduce((total, number) => total + Math.abs(number), 0);
    // Rounding adds up to a half to each number.
    const room = MAX_SUM / BYTE - this.#dimensions;
    const unit = most / Math.min(SHORT, Math.floor((room * most) / sum));
    return { unit, error: rounded(query, unit, input) };
  }
}

/** Lets the memory of a kernel reach so far: by an eighth at a time, so that it is not copied for each row. */
export function growTo({ memory }: Kernel, needed: number, reserve: (bytes: number) => void): void {
  const missing = needed - memory.buffer.byteLength;
  if (missing <= 0) return;
  const pages = Math.ceil(Math.max(missing, memory.buffer.byteLength / 8) / PAGE);
  reserve(pages * PAGE);
  memory.grow(pages);
}

function greatest(numbers: Float32Array): number {
  let most = 0;
  for (let n = 0; n < numbers.length; n++) {
    const number = numbers[n] as number;
    if (number > most) most = number;
    else if (-number > most) most = -number;
  }
  return most;
}

/** Writes the numbers in units, and returns the length of what that leaves out. */
function rounded(numbers: Float32Array, unit: number, into: Int8Array | Int16Array): number {
  let square = 0;
  const units = 1 / unit;
  for (let n = 0; n < numbers.length; n++) {
    const number = numbers[n] as number;
    const whole = (number * units + (number < 0 ? -0.5 : 0.5)) | 0;
    into[n] = whole;
    square += (number - whole * unit) ** 2;
  }
  return Math.sqrt(square);
}
