import { randomUUID } from 'node:crypto';
import type { Db } from 'mongodb';
import { refuseUnfinishedCopy, type CopyMark } from '#src/stores/copy-mark.ts';
import { migrate, readSchemaState } from '#src/stores/migrate.ts';
import type { VectorIndexOptions } from '#src/stores/search/definitions.ts';
import { UsageError } from '#scripts/cli/with-app.ts';

/** State of one collection, in the target's `meta`. `_id` is `copy/<collection>`. */
export interface Progress {
  readonly _id: string;
  /** `_id` of the last row that is copied; absent before the first one. */
  readonly last?: unknown;
  readonly rows: number;
  readonly objects: number;
  readonly bytes: number;
  /** `differs`: the verification found other rows, so that the next run begins anew. */
  readonly state: 'copying' | 'copied' | 'differs';
}

interface InstallationRow {
  readonly _id: 'installation';
  readonly id: string;
}

/** Random name of an installation, which its `meta` keeps: hosts, ports and folders change. */
export async function installationOf(source: Db): Promise<string> {
  const row = await source
    .collection<InstallationRow>('meta')
    .findOneAndUpdate(
      { _id: 'installation' },
      { $setOnInsert: { id: randomUUID() } },
      { upsert: true, returnDocument: 'after' },
    );
  if (row === null) throw new Error('the row installation was not stored');
  return row.id;
}

/** Collections of an installation, but for the one that describes the database itself. */
export async function collectionsToCopy(db: Db): Promise<string[]> {
  const stored = await db.listCollections({ type: 'collection' }, { nameOnly: true }).toArray();
  return stored
    .map(({ name }) => name)
    .filter((name) => name !== 'meta' && !name.startsWith('system.'))
    .toSorted();
}

const unusedTarget =
  'Copy into an empty database: name another one, or drop this one if nothing in it is needed any more';

async function refuseData(target: Db, name: string): Promise<void> {
  for (const collection of await collectionsToCopy(target))
    if ((await target.collection(collection).countDocuments({}, { limit: 1 })) > 0)
      throw new UsageError(`${name} has data already (${collection}), and nothing was changed. ${unusedTarget}.`);
}

/** Refuses a mark of another copy, or of one that is over. */
function refuseOther(mark: CopyMark, { installation, schema }: Pick<CopyMark, 'installation' | 'schema'>): void {
  const { from, finishedAt } = mark;
  if (finishedAt !== null)
    throw new UsageError(
      `The target holds the whole copy of ${from}, finished ${finishedAt.toISOString()}: nothing was changed. Start the services on it. ${unusedTarget}.`,
    );
  if (mark.installation !== installation)
    throw new UsageError(`The target holds a part of another installation, ${from}. ${unusedTarget}.`);
  if (mark.schema !== schema)
    throw new UsageError(
      `The copy was begun by another version (schema ${mark.schema}, now ${schema}): go on with that version. Or begin anew: ${unusedTarget}.`,
    );
}

/** True for a target that holds a part of this copy. Throws UsageError for one with other data. Changes nothing. */
export async function isBegun(
  target: Db,
  name: string,
  expected: Pick<CopyMark, 'installation' | 'schema'>,
): Promise<boolean> {
  const mark = await target.collection<CopyMark>('meta').findOne({ _id: 'copy' });
  if (mark === null) await refuseData(target, name);
  else refuseOther(mark, expected);
  return mark !== null;
}

/** Makes indexes in an empty target, and marks it: no service starts on it before the copy is whole. */
export async function begin(
  target: Db,
  vectors: VectorIndexOptions,
  mark: Pick<CopyMark, 'installation' | 'from' | 'schema'>,
): Promise<void> {
  await migrate(target, vectors);
  await target.collection<CopyMark>('meta').insertOne({ _id: 'copy', ...mark, beganAt: new Date(), finishedAt: null });
}

/** Progress of all collections, by name. */
export async function readProgress(target: Db): Promise<ReadonlyMap<string, Progress>> {
  const rows = await target
    .collection<Progress>('meta')
    .find({ _id: { $gt: 'copy/', $lt: 'copy0' } })
    .toArray();
  return new Map(rows.map((row) => [row._id.slice('copy/'.length), row]));
}

export async function saveProgress(target: Db, collection: string, progress: Omit<Progress, '_id'>): Promise<void> {
  await target
    .collection<Progress>('meta')
    .replaceOne({ _id: `copy/${collection}` }, { ...progress }, { upsert: true });
}

/** Lets services start on the target. */
export async function finish(target: Db): Promise<void> {
  const meta = target.collection<CopyMark | Progress>('meta');
  await meta.updateOne({ _id: 'copy' }, { $set: { finishedAt: new Date() } });
  await meta.deleteMany({ _id: { $gt: 'copy/', $lt: 'copy0' } });
}

/** Refuses a source that is no whole installation, and rows of another schema version, which the target would call its own. */
export async function schemaToCopy(source: Db, name: string): Promise<number> {
  await refuseUnfinishedCopy(source);
  const { stored, current, pending } = await readSchemaState(source);
  if (stored === null) throw new UsageError(`${name} holds no installation of Inkgraph. Correct the settings.`);
  if (stored > current)
    throw new UsageError(`${name} was written by a newer Inkgraph (schema ${stored}). Use that version.`);
  if (pending.length > 0)
    throw new UsageError(`${name} has pending migrations. Back it up, then run npm run db -- migrate.`);
  return current;
}
