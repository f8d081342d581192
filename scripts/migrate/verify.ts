import { createHash } from 'node:crypto';
import type { Db, Document } from 'mongodb';
import { rowsFor, type Copying } from '#scripts/migrate/copy.ts';
import { fewAtATime } from '#scripts/migrate/few-at-a-time.ts';
import { lostObjects } from '#scripts/migrate/objects.ts';
import { collectionsToCopy } from '#scripts/migrate/progress.ts';
import { encode, nameOfRow, readBatches } from '#scripts/migrate/rows.ts';

/** Rows and digest of one side: SHA-256 over the stored bytes of its rows, in the order of `_id`. */
interface Side {
  readonly rows: number;
  readonly digest: string;
}

interface Compared {
  readonly source: Side;
  readonly target: Side;
  /** First rows that differ; null: none do. */
  readonly first: string | null;
  /** Objects that the target should have, and the key of one. */
  readonly lost: Lost;
}

interface Lost {
  count: number;
  key: string;
}

/** A collection that is not the same on both sides, with the reason. */
export interface Difference {
  readonly collection: string;
  readonly why: string;
}

/** Rows that the database deletes by itself within this time are left out: one side may be a minute ahead of the other. */
const aboutToExpireMs = 3_600_000;
const rowsAtOnce = 500;
/** Requests for the heads of objects at a time. */
const looksAtOnce = 16;

/** Filter for rows that no index with an age deletes soon. */
async function staying(db: Db, collection: string, now: Date): Promise<Document> {
  const found = await db.collection(collection).listIndexes().toArray();
  const expired = found.flatMap(({ key, expireAfterSeconds }: Document) => {
    const [field] = Object.keys(key as Document);
    if (typeof expireAfterSeconds !== 'number' || field === undefined) return [];
    return [{ [field]: { $lt: new Date(now.getTime() + aboutToExpireMs - expireAfterSeconds * 1_000) } }];
  });
  return expired.length === 0 ? {} : { $nor: expired };
}

/** Rows of the source as bytes, as the target is to have them. Counts in `lost` the objects that the target lacks. */
async function* expectedRows(
  copying: Copying,
  collection: string,
  where: Document,
  lost: Lost,
): AsyncGenerator<Uint8Array> {
  const { source, move } = copying;
  for await (const batch of readBatches(source, collection, { where, most: rowsAtOnce })) {
    if (move === null || collection !== 'documents') yield* batch;
    else yield* (await rowsFor(copying, collection, batch)).map(encode);
    if (move === null) continue;
    const keys = (await fewAtATime(batch, looksAtOnce, (bytes) => lostObjects(move, collection, bytes))).flat();
    lost.count += keys.length;
    lost.key = keys[0] ?? lost.key;
  }
}

async function* storedRows({ target }: Copying, collection: string, where: Document): AsyncGenerator<Uint8Array> {
  for await (const batch of readBatches(target, collection, { where, most: rowsAtOnce })) yield* batch;
}

const nameOf = (bytes: Uint8Array | undefined): string => (bytes === undefined ? 'none' : nameOfRow(bytes));

/** Reads both sides in step, and remembers the first rows that differ. */
async function compare(copying: Copying, collection: string, where: Document): Promise<Compared> {
  const hashes = { source: createHash('sha256'), target: createHash('sha256') };
  const counts = { source: 0, target: 0 };
  const lost: Lost = { count: 0, key: '' };
  let first: string | null = null;
  const expected = expectedRows(copying, collection, where, lost);
  const stored = storedRows(copying, collection, where);
  for (;;) {
    const [left, right] = await Promise.all([expected.next(), stored.next()]);
    const source = left.done === true ? undefined : left.value;
    const target = right.done === true ? undefined : right.value;
    if (source === undefined && target === undefined) break;
    if (source !== undefined) hashes.source.update(source);
    if (target !== undefined) hashes.target.update(target);
    counts.source += source === undefined ? 0 : 1;
    counts.target += target === undefined ? 0 : 1;
    const isSame = source !== undefined && target !== undefined && Buffer.compare(source, target) === 0;
    if (!isSame) first ??= `${nameOf(source)} in the source, ${nameOf(target)} in the target`;
  }
  const sideOf = (side: 'source' | 'target'): Side => ({ rows: counts[side], digest: hashes[side].digest('hex') });
  return { source: sideOf('source'), target: sideOf('target'), first, lost };
}

const whyOf = ({ source, target, first, lost }: Compared): string =>
  [
    ...(first === null ? [] : [`${source.rows} and ${target.rows} rows, the first difference at ${first}`]),
    ...(lost.count === 0 ? [] : [`${lost.count} objects are not in the target, such as ${lost.key}`]),
  ].join('; ');

/** Compares both sides, collection by collection. Returns those that differ. */
export async function verifyAll(copying: Copying): Promise<readonly Difference[]> {
  const { source, collections, say, stillHeld } = copying;
  const now = new Date();
  const there = new Set(await collectionsToCopy(source));
  const differences: Difference[] = [];
  for (const collection of collections) {
    await stillHeld();
    const where = there.has(collection) ? await staying(source, collection, now) : {};
    const found = await compare(copying, collection, where);
    const isEqual = found.source.digest === found.target.digest && found.source.rows === found.target.rows;
    const all = await source.collection(collection).countDocuments(where);
    if (!isEqual || found.lost.count > 0) differences.push({ collection, why: whyOf(found) });
    else if (all !== found.source.rows)
      // Both sides are read in the order of `_id` from one to the next of its kind.
      differences.push({ collection, why: `${all} rows, of which ${found.source.rows} have an _id of the same kind` });
    else if (found.source.rows > 0)
      say(`${collection}: equal, ${found.source.rows} rows, sha256 ${found.source.digest}`);
  }
  return differences;
}
