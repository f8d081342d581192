import { parseFilter } from '../query/filter.ts';
import type { Collection } from './collection.ts';
import type { Engine } from './engine.ts';
import type { Index } from './index.ts';
import { forgetOldWrites } from './retryable.ts';
import { deleteMatching } from './writes.ts';

const SWEEP_MS = 60_000;

/** Once a minute: expired documents, old retryable replies and idle cursors go. */
export function startUpkeep(engine: Engine): () => void {
  const timer = setInterval(() => {
    engine.submit({
      write: true,
      durable: false,
      run: () => sweep(engine, Date.now()),
      done: () => undefined,
      // A sweep that could not run is made up for by the next.
      failed: () => undefined,
    });
  }, SWEEP_MS);
  timer.unref();
  return () => clearInterval(timer);
}

export function sweep(engine: Engine, now: number): { expired: number; ok: number } {
  let expired = 0;
  for (const collection of engine.catalog.all()) {
    for (const index of collection.indexes) {
      const seconds = index.spec['expireAfterSeconds'];
      if (seconds !== undefined) expired += expire(engine, collection, index, new Date(now - Number(seconds) * 1000));
    }
  }
  forgetOldWrites(engine.database, now);
  engine.cursors.killIdle(now);
  return { expired, ok: 1 };
}

/** `$lte` a date meets dates only; of an array of dates the earliest counts, as on MongoDB. */
function expire(engine: Engine, collection: Collection, index: Index, before: Date): number {
  const path = index.fields[0]?.path ?? '';
  const conditions = [{ [path]: { $lte: before } }];
  const partial = index.spec['partialFilterExpression'];
  if (partial !== undefined) conditions.push(partial as (typeof conditions)[0]);
  return deleteMatching(engine.database, collection, {
    filter: parseFilter({ $and: conditions }),
    sort: [],
    multi: true,
  });
}
