/** Occurrences of a term: rows (numbered within their segment), the count in each, and its places there, row by row. */
export interface Postings {
  rows: Uint16Array;
  counts: ArrayLike<number>;
  places?: Uint32Array;
}

/** Reads integers of seven bits a byte, least significant first. */
class Reader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get done(): boolean {
    return this.#at >= this.#bytes.length;
  }

  next(): number {
    let byte = this.#bytes[this.#at++] as number;
    let number = byte & 127;
    for (let shift = 7; byte > 127; shift += 7) {
      byte = this.#bytes[this.#at++] as number;
      number |= (byte & 127) << shift;
    }
    return number;
  }
}

/** Writes what `Reader` reads. */
export class Writer {
  #bytes = Buffer.allocUnsafeSlow(4096);
  #length = 0;

  add(number: number): void {
    if (this.#length + 5 > this.#bytes.length) this.#bytes = Buffer.concat([this.#bytes, this.#bytes]);
    let rest = number;
    for (; rest > 127; rest >>>= 7) this.#bytes[this.#length++] = rest | 128;
    this.#bytes[this.#length++] = rest;
  }

  /** Returns the bytes written so far and starts anew. */
  take(): Uint8Array {
    const bytes = this.#bytes.subarray(0, this.#length);
    this.#length = 0;
    return bytes;
  }
}

/**
 * Stored, a row is its distance to the one before, doubled; it is odd where the count is one, and else the count follows. Places
 * are distances as well.
 */
export function decode(bytes: Uint8Array, placeBytes?: Uint8Array): Postings {
  const rows = new Uint16Array(bytes.length);
  const counts = new Uint32Array(bytes.length);
  let found = 0;
  for (let reader = new Reader(bytes), row = -1; !reader.done; found++) {
    const number = reader.next();
    rows[found] = row += number >>> 1;
    counts[found] = (number & 1) === 1 ? 1 : reader.next();
  }
  const postings: Postings = { rows: rows.slice(0, found), counts: counts.slice(0, found) };
  if (!placeBytes) return postings;
  const places = new Uint32Array(placeBytes.length);
  let length = 0;
  for (let reader = new Reader(placeBytes), at = 0; !reader.done; at++) {
    for (let count = counts[at] as number, place = 0; count > 0; count--) places[length++] = place += reader.next();
  }
  return { ...postings, places: places.slice(0, length) };
}

interface Change {
  /** The stored rows to leave out. */
  dropped: Uint8Array;
  /** Rows in order, each with its count and, if the term has places, those. */
  added: readonly number[];
  hasPlaces: boolean;
}

/** Merges a change into what is stored. */
export function rewrite(
  [bytes, placeBytes]: readonly [Uint8Array, Uint8Array] | [],
  { dropped, added, hasPlaces }: Change,
  [rows, places]: readonly [Writer, Writer],
): void {
  let before = -1;
  const put = (row: number, count: number): void => {
    rows.add((row - before) * 2 + (count === 1 ? 1 : 0));
    if (count !== 1) rows.add(count);
    before = row;
  };
  let next = 0;
  const putAdded = (limit: number): void => {
    while (next < added.length && (added[next] as number) < limit) {
      const [row, count] = [added[next++] as number, added[next++] as number];
      put(row, count);
      let last = 0;
      for (const end = hasPlaces ? next + count : next; next < end; last = added[next++] as number) {
        places.add((added[next] as number) - last);
      }
    }
  };
  if (bytes && placeBytes) {
    const [stored, storedPlaces] = [new Reader(bytes), new Reader(placeBytes)];
    for (let row = -1; !stored.done;) {
      const number = stored.next();
      row += number >>> 1;
      const count = (number & 1) === 1 ? 1 : stored.next();
      putAdded(row);
      if (dropped[row] === 0) put(row, count);
      for (let left = hasPlaces ? count : 0; left > 0; left--) {
        const place = storedPlaces.next();
        if (dropped[row] === 0) places.add(place);
      }
    }
  }
  putAdded(Infinity);
}
