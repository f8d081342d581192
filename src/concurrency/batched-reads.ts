import DataLoader from 'dataloader';

/**
 * Batches reads across requests. One batch is in flight; keys that are requested meanwhile go into the next one, each key once. A read
 * begins after it was requested, so a result is never older than that of a read of one's own. `load` leaves out keys that do not exist.
 */
export function batchedReads<Value>(
  load: (keys: readonly string[]) => Promise<ReadonlyMap<string, Value>>,
  maxBatchSize = 100,
): (key: string) => Promise<Value | undefined> {
  let inFlight: Promise<unknown> = Promise.resolve();
  const loader = new DataLoader<string, Value | undefined>(
    async (keys) => {
      // DataLoader merges equal keys through its cache, which must not outlive the batch.
      for (const key of keys) loader.clear(key);
      const found = load(keys);
      inFlight = found.catch(() => undefined);
      const values = await found;
      return keys.map((key) => values.get(key));
    },
    // A turn of the event loop lets requests of the same moment share a batch.
    { maxBatchSize, batchScheduleFn: (dispatch) => void inFlight.then(() => setImmediate(dispatch)) },
  );
  return (key) => loader.load(key);
}
