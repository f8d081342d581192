import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import type { Collection, Db } from 'mongodb';
import { isDuplicateKey } from '#src/stores/connect.ts';

/** Sign of the process that changes stored data and indexes. `beat` grows while it lives. */
interface LeaseRow {
  readonly _id: 'migrating';
  /** `<host>/<process>/<random>`. */
  readonly holder: string;
  readonly beat: number;
}

/** Times in milliseconds. */
export interface LeaseTimes {
  /** Between two beats of the holder. */
  readonly beatMs: number;
  /** Time without a beat, on the clock of the process that waits, after which the holder counts as dead. */
  readonly deadMs: number;
  /** Between two looks of a process that waits. */
  readonly lookMs: number;
}

const usualTimes: LeaseTimes = { beatMs: 1_000, deadMs: 15_000, lookMs: 100 };

/** Throws when another process took over, as it does from one that stood still. */
export type StillHeld = () => Promise<void>;

/**
 * Runs `work` in one process at a time for a database. Others wait; a process that dies is replaced when its beats stay out. Compares
 * no clocks of two machines. Source: docs/decisions/0122.
 */
export async function underMigrationLease<Result>(
  db: Db,
  work: (stillHeld: StillHeld) => Promise<Result>,
  { beatMs, ...times }: LeaseTimes = usualTimes,
): Promise<Result> {
  const rows = db.collection<LeaseRow>('meta');
  const mine = { _id: 'migrating', holder: `${hostname()}/${process.pid}/${randomUUID()}` } as const;
  await take(rows, mine, times);
  const beats = setInterval(() => {
    // A beat that is lost is made up by the next. An outage ends the work itself.
    rows.updateOne(mine, { $inc: { beat: 1 } }).catch(() => undefined);
  }, beatMs);
  try {
    return await work(async () => {
      if ((await rows.countDocuments(mine, { limit: 1 })) === 0)
        throw new Error('another process took over the migration. Start this process again');
    });
  } finally {
    clearInterval(beats);
    // The next process takes over from a row that stays, so the reason of a failure is told instead.
    await rows.deleteOne(mine).catch(() => undefined);
  }
}

/** Host and process that hold the lease; null: none. One that died holds it until another process wants it. */
export async function migrationHolder(db: Db): Promise<{ readonly host: string; readonly pid: string } | null> {
  const row = await db.collection<LeaseRow>('meta').findOne({ _id: 'migrating' });
  if (row === null) return null;
  const [host = 'unknown', pid = 'unknown'] = row.holder.split('/');
  return { host, pid };
}

async function take(
  rows: Collection<LeaseRow>,
  mine: Pick<LeaseRow, '_id' | 'holder'>,
  { deadMs, lookMs }: Omit<LeaseTimes, 'beatMs'>,
): Promise<void> {
  let seen: { readonly row: LeaseRow | null; readonly since: number } = { row: null, since: 0 };
  while (!(await inserted(rows, { ...mine, beat: 0 }))) {
    const row = await rows.findOne({ _id: mine._id });
    if (row?.holder !== seen.row?.holder || row?.beat !== seen.row?.beat) seen = { row, since: performance.now() };
    // Only as it was seen: of two processes that wait, one removes it.
    else if (row !== null && performance.now() - seen.since > deadMs) await rows.deleteOne({ ...row });
    await delay(lookMs);
  }
}

async function inserted(rows: Collection<LeaseRow>, row: LeaseRow): Promise<boolean> {
  try {
    await rows.insertOne(row);
    return true;
  } catch (error) {
    if (isDuplicateKey(error)) return false;
    throw error;
  }
}
