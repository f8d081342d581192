import type { Db } from 'mongodb';
import { ensureCheckpointIndexes } from '#src/stores/checkpoints/rows.ts';
import { refuseUnfinishedCopy } from '#src/stores/copy-mark.ts';
import { dropRecordExpiry, dropUploadExpiry } from '#src/stores/drop-expiry.ts';
import { gatherOlderSteps } from '#src/stores/gather-older-steps.ts';
import { ensureIndexes } from '#src/stores/indexes.ts';
import { hasMarkedIndexes, markIndexes } from '#src/stores/index-mark.ts';
import { migrationHolder, underMigrationLease, type StillHeld } from '#src/stores/migration-lease.ts';
import { ensureSearchIndexes, findSearchIndexes, type VectorIndexOptions } from '#src/stores/search/definitions.ts';
import { noteOlderRuns } from '#src/stores/note-older-runs.ts';
import { queueOlderRuns } from '#src/stores/queue-older-runs.ts';
import {
  brokenSteps,
  currentOf,
  markDone,
  readOrMark,
  readSchema,
  refuseTooNew,
  refuseTooOld,
  type Migration,
  type Schema,
} from '#src/stores/schema.ts';
import { widenSearchRows } from '#src/stores/search/rows/widen-rows.ts';
import { lexicalDimensions } from '#src/domain/embed-locally/lexical-vector.ts';
import { visualDimensions } from '#src/domain/embed-locally/visual-vector.ts';

const contract = 'contract';
/** Those up to 7 are from before releases worked side by side. */
const migrations: readonly Migration[] = [
  { to: 2, step: contract, title: 'Search rows find evened-out words and spaced numbers', up: widenSearchRows },
  { to: 3, step: contract, title: 'Queued runs have a place, running ones a sign of life', up: queueOlderRuns },
  {
    to: 4,
    step: contract,
    title: 'A sweep removes uploads that were never acknowledged, with their bytes',
    up: dropUploadExpiry,
  },
  {
    to: 5,
    step: contract,
    title: 'A sweep removes events and deliveries after the time that is set',
    up: dropRecordExpiry,
  },
  { to: 6, step: contract, title: 'Steps are stored with their runs, events in buckets', up: gatherOlderSteps },
  {
    to: 7,
    step: contract,
    title: 'Documents name their latest run, runs the key that started them',
    up: noteOlderRuns,
  },
];

/** Schema of this program. `before` is that of 0.2.0. */
export const programSchema: Schema = { migrations, before: 7 };

/** Vector lengths of the local models. */
const localVectors: VectorIndexOptions = { text: lexicalDimensions, image: visualDimensions };

interface MigrateOptions {
  /** true: processes of the release before may work with the data meanwhile. Default: all others are stopped. */
  readonly besideOthers?: boolean;
  /** Default: that of this program. */
  readonly schema?: Schema;
}

/**
 * Migrates the data to this program's schema: pending migrations in order, then indexes, in one process at a time. Changes nothing of data
 * that the next release has expanded. Refuses data that this program is too old or too new for. Returns false for a server without search.
 */
export async function migrate(
  db: Db,
  vectors: VectorIndexOptions = localVectors,
  { besideOthers = false, schema = programSchema }: MigrateOptions = {},
): Promise<boolean> {
  const broken = brokenSteps(schema);
  if (broken.length > 0) throw new Error(broken.join('; '));
  return underMigrationLease(db, (stillHeld) => migrateAlone(db, vectors, { besideOthers, schema, stillHeld }));
}

/**
 * Looks with a few commands whether `migrate` has anything to do. False also where another process migrates, or where there is no search. Does
 * not see an index that was dropped without its collection. Source: docs/decisions/0229.
 */
export async function isUpToDate(
  db: Db,
  vectors: VectorIndexOptions = localVectors,
  schema: Schema = programSchema,
): Promise<boolean> {
  const stored = await readSchema(db);
  if (stored?.level !== currentOf(schema) || stored.needs > stored.level) return false;
  if ((await migrationHolder(db)) !== null || !(await hasMarkedIndexes(db))) return false;
  await refuseUnfinishedCopy(db);
  const search = await findSearchIndexes(db, vectors);
  return search?.every(({ state }) => state === 'ready' || state === 'building') ?? false;
}

/** State of the stored data (null: there is none) and of this program, and the titles of the migrations between them. */
export interface SchemaState {
  /** Newest migration that was carried out. */
  readonly stored: number | null;
  /** Oldest version of programs that can work with the data. */
  readonly needs: number | null;
  readonly current: number;
  readonly pending: readonly string[];
}

export async function readSchemaState(db: Db): Promise<SchemaState> {
  const found = await readSchema(db);
  const pending = migrations.filter(({ to }) => found !== null && to > found.level).map(({ title }) => title);
  const stored = found?.level ?? null;
  return { stored, needs: found?.needs ?? null, current: currentOf(programSchema), pending };
}

async function migrateAlone(
  db: Db,
  vectors: VectorIndexOptions,
  { besideOthers, schema, stillHeld }: Required<MigrateOptions> & { readonly stillHeld: StillHeld },
): Promise<boolean> {
  await refuseUnfinishedCopy(db);
  const stored = await readOrMark(db, schema);
  refuseTooOld(stored, schema);
  if (besideOthers) refuseTooNew(stored, schema);
  // The next release made its indexes: those of this one would take them back.
  if (stored.level > currentOf(schema)) return (await findSearchIndexes(db, vectors)) !== null;
  for (const migration of schema.migrations) {
    if (migration.to <= stored.level) continue;
    await stillHeld();
    await migration.up(db);
    await stillHeld();
    await markDone(db, migration);
  }
  await ensureIndexes(db);
  await ensureCheckpointIndexes(db);
  const hasSearch = await ensureSearchIndexes(db, vectors);
  await markIndexes(db);
  return hasSearch;
}
