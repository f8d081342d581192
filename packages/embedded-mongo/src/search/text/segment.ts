import { LRUCache } from 'lru-cache';
import type { Database } from '../../storage/database.ts';
import { decode, type Postings } from './postings.ts';
import { SEPARATOR, Vocabulary } from './vocabulary.ts';

/** Rows of a block. */
export const ROWS = 4096;

/** A part of the index as it was at one moment, with rows numbered from 0. */
export interface Segment {
  size: number;
  /** Marks the rows whose newer state is in another segment, or gone. */
  dead: Uint8Array | undefined;
  rowAt(number: number): number;
  postings(field: number, term: string, withPlaces?: boolean): Postings | undefined;
  /** Number of words in a field, by row. */
  lengths(field: number): Lengths;
  vocabularies(field: number): Iterable<Vocabulary>;
}

export interface Lengths {
  of: Uint32Array;
  /** That have the field, also those that are dead. */
  rows: number;
  total: number;
}

/** The lengths of a field are the counts of the rows that have it. */
function lengthsOf(size: number, list: Postings | undefined): Lengths {
  const of = new Uint32Array(size);
  let total = 0;
  list?.rows.forEach((row, n) => (total += of[row] = list.counts[n] as number));
  return { of, rows: list?.rows.length ?? 0, total };
}

/** Decoded parts of an index, bounded in bytes. Values are boxed because an absent term is cached, too. */
export type SegmentCache = LRUCache<string, { value: unknown; bytes: number }>;

export function createSegmentCache(maxSize: number): SegmentCache {
  return new LRUCache({ maxSize, sizeCalculation: ({ bytes }) => bytes });
}

/** Estimated memory of a key and its entry, besides the arrays. */
const ENTRY_BYTES = 400;

/** The rows of a block that are entered, in that version. */
export function openBlock(
  database: Database,
  cache: SegmentCache,
  { table, block, version, dead }: { table: string; block: number; version: number; dead: Uint8Array | undefined },
): Segment {
  const cached = <T>(name: string, make: () => [value: T, bytes: number]): T => {
    const key = `${block} ${version} ${name}`;
    const known = cache.get(key);
    if (known) return known.value as T;
    const [value, bytes] = make();
    cache.set(key, { value, bytes: bytes + ENTRY_BYTES });
    return value;
  };
  const postings: Segment['postings'] = (field, term, withPlaces = false) =>
    cached(`${withPlaces ? 'o' : 'p'} ${field} ${term}`, () => {
      const sql = `SELECT p${withPlaces ? ', o' : ''} FROM ${table} WHERE b = ? AND f = ? AND t = ?`;
      const [bytes, places] = (database.get(sql, block, field, term) ?? []) as Uint8Array[];
      const made = bytes && decode(bytes, places);
      return [made, (made?.rows.length ?? 0) * 6 + (made?.places?.byteLength ?? 0)];
    });
  return {
    size: ROWS,
    dead,
    rowAt: (number) => block * ROWS + number,
    postings,
    lengths: (field) => cached(`l ${field}`, () => [lengthsOf(ROWS, postings(field, '')), ROWS * 4]),
    vocabularies: (field) => [
      cached(`v ${field}`, () => {
        const sql = `SELECT group_concat(t, '${SEPARATOR}') FROM ${table} WHERE b = ? AND f = ? AND t > ''`;
        const made = new Vocabulary(String(database.get(sql, block, field)?.[0] ?? ''));
        return [made, made.bytes];
      }),
    ],
  };
}

/** A row that is not entered yet: of each field its numbers, and where among them those of a term begin. */
export interface WaitingRow {
  row: number;
  version: number;
  fields: Map<number, { terms: Map<string, number>; numbers: number[]; vocabulary?: Vocabulary }>;
}

/** Terms of waiting rows that are kept at most. */
const MOST_TERMS = 1_000;

export function openWaiting(held: readonly WaitingRow[]): Segment {
  const found = new LRUCache<string, { list: Postings | undefined }>({ max: MOST_TERMS });
  const lengths = new Map<number, Lengths>();
  const collect = (field: number, withPlaces: boolean, pick: (terms: Map<string, number>) => number | undefined) => {
    const [rows, counts, places]: [number[], number[], number[]] = [[], [], []];
    for (const [number, { fields }] of held.entries()) {
      const { terms, numbers } = fields.get(field) ?? { terms: new Map<string, number>(), numbers: [] };
      const at = pick(terms);
      if (at === undefined) continue;
      const count = numbers[at] as number;
      rows.push(number);
      counts.push(count);
      if (withPlaces) for (const place of numbers.slice(at + 1, at + 1 + count)) places.push(place);
    }
    return rows.length > 0 ? { rows: Uint16Array.from(rows), counts, places: Uint32Array.from(places) } : undefined;
  };
  const postings: Segment['postings'] = (field, term, withPlaces = false) => {
    const key = `${withPlaces ? 'o' : 'p'} ${field} ${term}`;
    const known = found.get(key) ?? { list: collect(field, withPlaces, (terms) => terms.get(term)) };
    found.set(key, known);
    return known.list;
  };
  return {
    size: held.length,
    dead: undefined,
    rowAt: (number) => (held[number] as WaitingRow).row,
    postings,
    lengths(field) {
      const known = lengths.get(field) ?? lengthsOf(held.length, postings(field, ''));
      lengths.set(field, known);
      return known;
    },
    vocabularies: (field) =>
      held.flatMap(({ fields }) => {
        const own = fields.get(field);
        return own ? (own.vocabulary ??= new Vocabulary([...own.terms.keys()].join(SEPARATOR))) : [];
      }),
  };
}
