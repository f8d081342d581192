import { decode } from '../bson/decode.ts';
import { eachRow } from '../plan/rows.ts';
import { parseFilter } from '../query/filter.ts';
import type { Collection } from './collection.ts';
import type { Database } from './database.ts';
import type { Engine } from './engine.ts';
import type { Index } from './index.ts';
import { forgetOldWrites } from './retryable.ts';

const SWEEP_MS = 60_000;
/** Number of expired documents deleted at once. Other commands get their turn before the next batch. */
const BATCH = 1000;

/** Free pages in a file of 8 KiB pages that are left for the next writes: 8 MiB, and a tenth of a larger file. */
const SPARE = 1024;
/** Number of free pages that leave the file at once, 4 MiB. */
const SHRINK = 512;

/** Once a minute: expired documents, old retryable replies, idle cursors and idle vectors go, and free pages leave the file. */
export function startUpkeep(engine: Engine): () => void {
  const submit = (): void => {
    let more = false;
    engine.submit({
      write: true,
      durable: false,
      run: () => {
        const swept = sweep(engine, Date.now());
        more = shrink(engine.database) || swept.more;
        return { ok: 1 };
      },
      done: () => more && submit(),
      // A sweep that could not run is made up for by the next.
      failed: () => undefined,
    });
  };
  const timer = setInterval(submit, SWEEP_MS);
  timer.unref();
  return () => clearInterval(timer);
}

/** Gives free pages back to the file system, some at a time. True when there are more to give. */
export function shrink(database: Database): boolean {
  const spare = ({ total }: { total: number }): number => Math.max(SPARE, Math.floor(total / 10));
  const before = database.pages();
  const surplus = before.free - spare(before);
  if (surplus <= 0) return false;
  database.shrink(Math.min(SHRINK, surplus));
  const after = database.pages();
  return after.free < before.free && after.free > spare(after);
}

export function sweep(engine: Engine, now: number): { expired: number; more: boolean } {
  let expired = 0;
  let more = false;
  for (const collection of engine.catalog.all()) {
    for (const index of collection.indexes) {
      if (index.spec['expireAfterSeconds'] === undefined) continue;
      const removed = expire(engine.database, collection, index, now);
      expired += removed;
      more ||= removed === BATCH;
    }
  }
  forgetOldWrites(engine.database, now);
  engine.cursors.killIdle(now);
  engine.database.vectors.dropIdle(now);
  return { expired, more };
}

/** `$lte` a date meets dates only; of an array of dates the earliest counts, as on MongoDB. The index has no others than its own. */
function expire(database: Database, collection: Collection, index: Index, now: number): number {
  const before = new Date(now - Number(index.spec['expireAfterSeconds']) * 1000);
  const filter = parseFilter({ [index.fields[0]?.path ?? '']: { $lte: before } });
  const rows = [...eachRow(database, collection, { filter, sort: [], skip: 0, limit: BATCH, hint: index.name })];
  for (const row of rows) collection.remove(row.id, decode(row.bytes));
  return rows.length;
}
