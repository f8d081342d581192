/** Loaded with `--import` before a process under test: reports its resource usage, and ends it together with the benchmark. */
import { isMainThread, type Worker } from 'node:worker_threads';
import { usageOfDescendants } from '#scripts/bench/processes/process-tree.ts';
import { serve } from '#scripts/bench/processes/serve.ts';

/** Usage of the process and its child processes since their start. Memory that they share counts for each. */
export interface Usage {
  readonly cpuMs: number;
  /** The part of `cpuMs` that Tesseract's threads used; those that have ended are not counted. */
  readonly tesseractMs: number;
  readonly rssBytes: number;
  /** JavaScript heap of the main thread of the first process, and what its objects hold outside of it. */
  readonly heapBytes: number;
  readonly externalBytes: number;
  readonly peakBytes: number;
}

const milliseconds = ({ user, system }: NodeJS.CpuUsage): number => (user + system) / 1_000;

async function usageWith(tesseract: ReadonlySet<Worker>): Promise<Usage> {
  const [descendants, ...threads] = await Promise.all([
    usageOfDescendants(process.pid),
    ...[...tesseract].map((worker) => worker.cpuUsage()),
  ]);
  const { rss, heapTotal, external } = process.memoryUsage();
  return {
    cpuMs: milliseconds(process.cpuUsage()) + descendants.cpuMs,
    tesseractMs: threads.reduce((sum, thread) => sum + milliseconds(thread), descendants.tesseractMs),
    rssBytes: rss + descendants.rssBytes,
    heapBytes: heapTotal,
    externalBytes: external,
    peakBytes: process.resourceUsage().maxRSS * 1_024 + descendants.peakBytes,
  };
}

if (isMainThread) {
  const tesseract = new Set<Worker>();
  process.on('worker', (worker) => {
    if (worker.threadName !== 'tesseract') return;
    tesseract.add(worker);
    worker.once('exit', () => tesseract.delete(worker));
  });
  serve({ usage: () => usageWith(tesseract) });
  process.once('disconnect', () => process.exit());
  // A service under test ends by a signal, while the channel is still open.
  process.channel?.unref();
}
