import { Batcher } from '#src/concurrency/batcher.ts';

interface Asked<Value> {
  readonly key: string;
  value: Value | undefined;
}

/**
 * Reads that are asked for while one is in flight travel together with the next. Each begins after it was asked for, so that nothing
 * is older than a read of one's own would be.
 */
export class BatchedReads<Value> {
  readonly #batcher: Batcher<Asked<Value>>;

  constructor(load: (keys: readonly string[]) => Promise<ReadonlyMap<string, Value>>, most = 100) {
    this.#batcher = new Batcher(async (asked) => {
      const found = await load([...new Set(asked.map(({ key }) => key))]);
      for (const one of asked) one.value = found.get(one.key);
    }, most);
  }

  async get(key: string): Promise<Value | undefined> {
    const asked: Asked<Value> = { key, value: undefined };
    await this.#batcher.add(asked);
    return asked.value;
  }
}
