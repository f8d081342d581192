import { createHash } from 'node:crypto';
import type { Db } from 'mongodb';
import { checkpointIndexes } from '#src/stores/checkpoints/rows.ts';
import { indexes } from '#src/stores/indexes.ts';

/** Part of the marker of the stored data: the indexes that were made. Absent: unknown, as after an earlier program. */
interface MarkedRow {
  readonly _id: 'schema';
  readonly indexes?: string;
}

const markers = (db: Db) => db.collection<MarkedRow>('meta');

/**
 * Digest of the definitions and of the collections that have them, told by their UUIDs: a collection that was dropped and written to
 * again has another one, and no indexes. null: a collection is missing, or the server gives no UUIDs.
 */
async function digestOf(db: Db): Promise<string | null> {
  const stored = await db.listCollections({}, { nameOnly: false }).toArray();
  const uuids = new Map(stored.map(({ name, info }) => [name, info?.uuid?.toString('hex')]));
  const hash = createHash('sha256').update(JSON.stringify([indexes, checkpointIndexes]));
  for (const name of [...Object.keys(indexes), ...Object.keys(checkpointIndexes)].toSorted()) {
    const uuid = uuids.get(name);
    if (uuid === undefined) return null;
    hash.update(`${name}\0${uuid}\0`);
  }
  return hash.digest('base64url');
}

/** To be called when all indexes are made. */
export async function markIndexes(db: Db): Promise<void> {
  const digest = await digestOf(db);
  if (digest !== null) await markers(db).updateOne({ _id: 'schema' }, { $set: { indexes: digest } });
}

/** True if the indexes of this program were made in the collections that are there. Does not see an index that was dropped by itself. */
export async function hasMarkedIndexes(db: Db): Promise<boolean> {
  const marked = (await markers(db).findOne({ _id: 'schema' }))?.indexes;
  return marked !== undefined && marked === (await digestOf(db));
}
