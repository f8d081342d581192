import { once } from 'node:events';
import { setFlagsFromString } from 'node:v8';
import { Worker } from 'node:worker_threads';
import { expect, test } from 'vitest';

/** A thread that lets go of an array, and reports when it was collected. */
const script = (release: string) => `
  const { parentPort } = require('node:worker_threads');
  import(${JSON.stringify(release)}).then(({ releaseMemoryWhenIdle }) => {
    const make = () => new WeakRef(Array.from({ length: 100_000 }, (_, at) => ({ at })));
    const left = make();
    releaseMemoryWhenIdle({ everyMs: 20, growth: 0 });
    const timer = setInterval(() => {
      if (left.deref() !== undefined) return;
      clearInterval(timer);
      parentPort.postMessage('collected');
    }, 50);
  });
`;

test('an idle thread collects the garbage of what it did', async () => {
  const release = new URL('../src/release-memory.ts', import.meta.url).href;
  setFlagsFromString('--expose-gc');
  const worker = new Worker(script(release), { eval: true });
  await expect(once(worker, 'message')).resolves.toEqual(['collected']);
  await worker.terminate();
});
