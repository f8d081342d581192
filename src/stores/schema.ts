import type { Db } from 'mongodb';
import { AppError } from '#src/domain/app-error.ts';

/**
 * One ordered change of stored data, which may be begun again after a crash. `to` is the schema version after it. Processes of this release and
 * of the one before work side by side while one after the other is replaced, so a change has two steps, in two releases:
 * - `expand` adds what the release before ignores, and takes nothing away.
 * - `contract` takes away what only releases before the expansion read. `completes` is the version of that expansion.
 * Source: docs/decisions/0221.
 */
export interface Migration {
  readonly to: number;
  readonly title: string;
  readonly step: 'expand' | 'contract';
  readonly completes?: number;
  up(db: Db): Promise<void>;
}

export interface Schema {
  readonly migrations: readonly Migration[];
  /** Version of the release before this one, whose processes may work beside. */
  readonly before: number;
}

/** Marker of the stored data. */
interface SchemaRow {
  readonly _id: 'schema';
  /** Oldest version of programs that can work with the data. Programs before 0.3 know this field only. */
  readonly version: number;
  /** Newest migration that was carried out. Absent: `version`. */
  readonly level?: number;
}

export const currentOf = ({ migrations }: Schema): number => migrations.at(-1)?.to ?? 1;
const oldestOf = ({ migrations }: Schema): number => migrations.findLast(({ step }) => step === 'contract')?.to ?? 1;

/** Changes that the release before could not work beside, one sentence each. */
export function brokenSteps({ migrations, before }: Schema): string[] {
  return migrations.flatMap(({ to, step, completes }, at) => [
    ...(to <= (migrations[at - 1]?.to ?? 1) ? [`migration ${to} does not follow the one before it`] : []),
    ...(to > before && step === 'contract' && (completes === undefined || completes > before)
      ? [
          `migration ${to} takes away what the release before (schema ${before}) reads: expand now, contract in the next release`,
        ]
      : []),
  ]);
}

/** Versions of stored data: the newest migration, and the oldest program that can work with it. null: there is none. */
interface StoredSchema {
  readonly level: number;
  readonly needs: number;
}

const markers = (db: Db) => db.collection<SchemaRow>('meta');
const storedOf = ({ version, level }: Pick<SchemaRow, 'version' | 'level'>): StoredSchema => ({
  level: Math.max(version, level ?? 0),
  needs: version,
});

export async function readSchema(db: Db): Promise<StoredSchema | null> {
  const row = await markers(db).findOne({ _id: 'schema' });
  return row === null ? null : storedOf(row);
}

/** Reads the marker. Data that has none is new, and gets that of this program. */
export async function readOrMark(db: Db, schema: Schema): Promise<StoredSchema> {
  const [version, level] = [oldestOf(schema), currentOf(schema)];
  const row = await markers(db).findOneAndUpdate(
    { _id: 'schema' },
    { $setOnInsert: { version, ...(level > version && { level }) } },
    { upsert: true, returnDocument: 'after' },
  );
  return storedOf(row ?? { version, level });
}

export async function markDone(db: Db, { to, step }: Pick<Migration, 'to' | 'step'>): Promise<void> {
  const update =
    step === 'expand' ? { $set: { level: to } } : { $set: { version: to }, $unset: { level: true } as const };
  await markers(db).updateOne({ _id: 'schema' }, update);
}

/** Throws `service.unavailable` for data that this program is too old for. */
export function refuseTooOld({ needs }: StoredSchema, schema: Schema): void {
  const current = currentOf(schema);
  if (needs <= current) return;
  throw new AppError(
    'service.unavailable',
    `The data was written by a newer Inkgraph (schema ${needs}; this version reads up to ${current}). Run the newer version, or restore a backup.`,
  );
}

/**
 * Throws `service.unavailable` for data that this program is too new for while other processes may work with it: they are older than the
 * release before, and would meet rows that they cannot read.
 */
export function refuseTooNew({ level }: StoredSchema, { before }: Schema): void {
  if (level >= before) return;
  throw new AppError(
    'service.unavailable',
    `The data is older than the release before this one (schema ${level}; this version works beside ${before} or newer). Stop all processes, run npm run db -- migrate, and start them in this version.`,
  );
}
