import { test, vi } from 'vitest';
import { releaseMemoryWhenIdle } from '#app/supervisor/release-memory.ts';

test('an idle process collects the garbage of what it did', async () => {
  const garbage = (): WeakRef<object> => new WeakRef(Array.from({ length: 100_000 }, (_, at) => ({ at })));
  const left = garbage();
  using _release = releaseMemoryWhenIdle({ everyMs: 20, growthBytes: 0 });
  // A failed assertion costs more than an idle process uses.
  await vi.waitUntil(() => left.deref() === undefined, { timeout: 10_000, interval: 100 });
});
