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
  /** The only key of a row of the collection in a field; `undefined` if the row is in another segment, or has several. */
  keyOf(field: number, row: number): string | undefined;
}

export interface Lengths {
  of: Uint32Array;
  /** That have the field, also those that are dead. */
  rows: number;
  total: number;
}

/** The lengths of a field are the counts of the rows that have it. */
export function lengthsOf(size: number, list: Postings | undefined): Lengths {
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
/** Estimated memory of a string besides its characters, and of where it stands in an array. */
const POINTER_BYTES = 24;

/** A block that is entered, in one version. */
interface Block {
  block: number;
  version: number;
  dead: Uint8Array | undefined;
}

const keyOfBlock = ({ block, version }: Block, name: string): string => `${block} ${version} ${name}`;
const nameOf = (field: number, term: string, withPlaces: boolean): string =>
  `${withPlaces ? 'o' : 'p'} ${field} ${term}`;
const columnsOf = (withPlaces: boolean): string => (withPlaces ? 'p, o' : 'p');

function readPostings([bytes, places]: readonly unknown[]): [value: Postings | undefined, bytes: number] {
  const made = bytes ? decode(bytes as Uint8Array, places as Uint8Array | undefined) : undefined;
  return [made, (made?.rows.length ?? 0) * 6 + (made?.places?.byteLength ?? 0)];
}

/** Enters the postings of a term into the cache for all blocks that lack them, by one statement in place of one for each. */
export function loadPostings(
  database: Database,
  cache: SegmentCache,
  { table, blocks }: { table: string; blocks: readonly Block[] },
): (field: number, term: string, withPlaces: boolean) => void {
  return (field, term, withPlaces) => {
    const name = nameOf(field, term, withPlaces);
    const missing = blocks.filter((one) => !cache.has(keyOfBlock(one, name)));
    if (missing.length < 2) return;
    const sql = `SELECT b, ${columnsOf(withPlaces)} FROM json_each(?) JOIN ${table} ON b = value AND f = ? AND t = ?`;
    const found = database.all(sql, JSON.stringify(missing.map(({ block }) => block)), field, term);
    const rows = new Map(found.map(([block, ...columns]) => [block, columns]));
    for (const one of missing) {
      const [value, bytes] = readPostings(rows.get(one.block) ?? []);
      cache.set(keyOfBlock(one, name), { value, bytes: bytes + ENTRY_BYTES });
    }
  };
}

/** The rows of a block that are entered. */
export function openBlock(database: Database, cache: SegmentCache, given: Block & { table: string }): Segment {
  const { table, block, dead } = given;
  const cached = <T>(name: string, make: () => [value: T, bytes: number]): T => {
    const key = keyOfBlock(given, name);
    const known = cache.get(key);
    if (known) return known.value as T;
    const [value, bytes] = make();
    cache.set(key, { value, bytes: bytes + ENTRY_BYTES });
    return value;
  };
  const postings: Segment['postings'] = (field, term, withPlaces = false) =>
    cached(nameOf(field, term, withPlaces), () => {
      const sql = `SELECT ${columnsOf(withPlaces)} FROM ${table} WHERE b = ? AND f = ? AND t = ?`;
      return readPostings(database.get(sql, block, field, term) ?? []);
    });
  const keys = (field: number): readonly (string | undefined)[] =>
    cached(`k ${field}`, () => {
      const sql = `SELECT t, p FROM ${table} WHERE b = ? AND f = ? AND t > ''`;
      const made = keysByRow(database.all<[string, Uint8Array]>(sql, block, field));
      return [made, made.reduce((sum, key) => sum + (key?.length ?? 0) + POINTER_BYTES, 0)];
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
    keyOf: (field, row) =>
      Math.floor(row / ROWS) === block && dead?.[row % ROWS] !== 1 ? keys(field)[row % ROWS] : undefined,
  };
}

/** The key of each row that has one alone. */
function keysByRow(terms: Iterable<[key: string, rows: Uint8Array]>): (string | undefined)[] {
  const keys = Array.from<string | undefined>({ length: ROWS });
  const several = new Set<number>();
  for (const [key, bytes] of terms) {
    for (const row of decode(bytes).rows) {
      if (keys[row] !== undefined) several.add(row);
      keys[row] = key;
    }
  }
  for (const row of several) keys[row] = undefined;
  return keys;
}
