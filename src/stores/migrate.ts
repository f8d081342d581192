import type { Db } from 'mongodb';
import { ensureCheckpointIndexes } from '#src/stores/checkpoints/rows.ts';
import { refuseUnfinishedCopy } from '#src/stores/copy-mark.ts';
import { dropRecordExpiry, dropUploadExpiry } from '#src/stores/drop-expiry.ts';
import { gatherOlderSteps } from '#src/stores/gather-older-steps.ts';
import { ensureIndexes } from '#src/stores/indexes.ts';
import { underMigrationLease, type StillHeld } from '#src/stores/migration-lease.ts';
import { ensureSearchIndexes, type VectorIndexOptions } from '#src/stores/search/definitions.ts';
import { noteOlderRuns } from '#src/stores/note-older-runs.ts';
import { queueOlderRuns } from '#src/stores/queue-older-runs.ts';
import { widenSearchRows } from '#src/stores/search/widen-rows.ts';
import { lexicalDimensions } from '#src/domain/embed-locally/lexical-vector.ts';
import { visualDimensions } from '#src/domain/embed-locally/visual-vector.ts';
import { AppError } from '#src/domain/app-error.ts';

/** One ordered change of stored data, which may be begun again after a crash. `to` is the schema version after it. */
interface Migration {
  readonly to: number;
  readonly title: string;
  up(db: Db): Promise<void>;
}

const migrations: readonly Migration[] = [
  { to: 2, title: 'Search rows find evened-out words and spaced numbers', up: widenSearchRows },
  { to: 3, title: 'Queued runs have a place, running ones a sign of life', up: queueOlderRuns },
  { to: 4, title: 'A sweep removes uploads that were never acknowledged, with their bytes', up: dropUploadExpiry },
  { to: 5, title: 'A sweep removes events and deliveries after the time that is set', up: dropRecordExpiry },
  { to: 6, title: 'Steps are stored with their runs, events in buckets', up: gatherOlderSteps },
  { to: 7, title: 'Documents name their latest run, runs the key that started them', up: noteOlderRuns },
];
const firstVersion = 1;
const currentVersion = migrations.at(-1)?.to ?? firstVersion;

/** Vector lengths of the local models. */
const localVectors: VectorIndexOptions = { text: lexicalDimensions, image: visualDimensions };

interface SchemaRow {
  readonly _id: 'schema';
  readonly version: number;
}

/**
 * Migrates the data to this program's schema: pending migrations in order, then indexes, in one process at a time. Refuses data of a
 * newer version. Returns false for a server without search.
 */
export async function migrate(db: Db, vectors: VectorIndexOptions = localVectors): Promise<boolean> {
  return underMigrationLease(db, (stillHeld) => migrateAlone(db, vectors, stillHeld));
}

/** Version of the stored data (null: there is none), that of this program, and the titles of the migrations between them. */
export interface SchemaState {
  readonly stored: number | null;
  readonly current: number;
  readonly pending: readonly string[];
}

export async function readSchemaState(db: Db): Promise<SchemaState> {
  const row = await db.collection<SchemaRow>('meta').findOne({ _id: 'schema' });
  const stored = row?.version ?? null;
  const pending = migrations.filter(({ to }) => stored !== null && to > stored).map(({ title }) => title);
  return { stored, current: currentVersion, pending };
}

async function migrateAlone(db: Db, vectors: VectorIndexOptions, stillHeld: StillHeld): Promise<boolean> {
  await refuseUnfinishedCopy(db);
  const meta = db.collection<SchemaRow>('meta');
  const found = await meta.findOneAndUpdate(
    { _id: 'schema' },
    { $setOnInsert: { version: currentVersion } },
    { upsert: true, returnDocument: 'after' },
  );
  const version = found?.version ?? currentVersion;
  if (version > currentVersion)
    throw new AppError(
      'service.unavailable',
      `The data was written by a newer Inkgraph (schema ${version}; this version reads up to ${currentVersion}). Run the newer version, or restore a backup.`,
    );
  for (const migration of migrations) {
    if (migration.to <= version) continue;
    await stillHeld();
    await migration.up(db);
    await stillHeld();
    await meta.updateOne({ _id: 'schema' }, { $set: { version: migration.to } });
  }
  await ensureIndexes(db);
  await ensureCheckpointIndexes(db);
  return ensureSearchIndexes(db, vectors);
}
