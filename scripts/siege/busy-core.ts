import { Worker } from 'node:worker_threads';

const spin = `const end = performance.now() + require('node:worker_threads').workerData; while (performance.now() < end);`;

/** Uses a core like another program of the machine, for so many seconds at most. */
export function keepCoreBusy(seconds: number): Disposable {
  const worker = new Worker(spin, { eval: true, workerData: seconds * 1_000 });
  worker.unref();
  return { [Symbol.dispose]: () => void worker.terminate() };
}
