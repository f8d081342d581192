import { setTimeout as pause } from 'node:timers/promises';
import { figureOf } from '#scripts/bench/figures.ts';
import { ingest, readScan, type Scan } from '#scripts/bench/documents/ingest.ts';
import { fixturesFolder, truthOf } from '#scripts/bench/documents/truth.ts';
import { startChild, type Child } from '#scripts/bench/processes/child.ts';
import { startInkgraph } from '#scripts/bench/processes/inkgraph.ts';
import { proportionalBytes } from '#scripts/bench/processes/process-tree.ts';
import { startLoadClient } from '#scripts/bench/processes/load-client.ts';
import { scaled, type BenchContext, type Line, type Row } from '#scripts/bench/row.ts';
import type { Outcome } from '#scripts/bench/targets/corrupted.ts';

const megabyte = 2 ** 20;

/** Memory of all processes that a service keeps when nobody has asked for anything: pages that they share count once. */
async function idleLine(context: BenchContext, service: Child, after: string): Promise<Line> {
  const seconds = context.scale < 1 ? 30 : 600;
  const loaded = await proportionalBytes(service.pid);
  const line = { id: 'G9', what: `memory (PSS) of all processes after ${after} and ${seconds} s idle`, unit: 'MB' };
  if (loaded === 0) return { ...line, ours: null, note: 'the system does not tell it' };
  context.progress(`idle for ${seconds} s`);
  await pause(seconds * 1_000);
  // Rejects if the service has ended.
  const { rssBytes } = await service.usage();
  const idle = await proportionalBytes(service.pid);
  return {
    ...line,
    ours: figureOf([idle / megabyte]),
    goal: { of: 'value', atMost: 350 },
    note: `${(loaded / megabyte).toFixed(0)} MB (PSS) before the idle time, ${(rssBytes / megabyte).toFixed(0)} MB (RSS) after it`,
  };
}

/** Memory of the process after each round of all fixtures, until so many pages were read. */
async function memoryLines(context: BenchContext, scans: readonly Scan[]): Promise<Line[]> {
  const wanted = scaled(context, 200);
  await using inkgraph = await startInkgraph(context, 'api,agents,mcp', { OCR_WORKERS: '1' });
  await using client = startLoadClient();
  const rounds: number[] = [];
  for (let pages = 0; pages < wanted; pages += scans.reduce((sum, scan) => sum + scan.pages, 0)) {
    context.progress(`${pages} of ${wanted} pages`);
    await ingest(inkgraph, client, scans);
    rounds.push((await inkgraph.service.usage()).rssBytes / megabyte);
  }
  const { rssBytes, peakBytes, heapBytes, externalBytes } = await inkgraph.service.usage();
  const megabytes = (bytes: number): string => (bytes / megabyte).toFixed(0);
  const note = `of these ${megabytes(heapBytes)} MB heap of the main thread, ${megabytes(externalBytes)} MB held outside of it`;
  const line = (what: string, values: readonly number[]): Line => {
    return {
      id: 'G9',
      what: `memory (RSS) ${what} ${wanted} mixed pages, 1 worker`,
      unit: 'MB',
      ours: figureOf(values),
    };
  };
  return [
    { ...line('after', [rssBytes / megabyte]), goal: { of: 'value', atMost: 350 }, note },
    line('at its highest in', [peakBytes / megabyte]),
    line('after each round of', rounds),
    await idleLine(context, inkgraph.service, `${wanted} mixed pages`),
  ];
}

/** A process that died is a crash, and the next input gets a new one. */
async function corruptedLine(context: BenchContext, scans: readonly Scan[]): Promise<Line> {
  const inputs = scaled(context, 1_000);
  const counts = { refused: 0, decoded: 0 };
  const broken: string[] = [];
  const start = (): Child => startChild(new URL('../targets/corrupted.ts', import.meta.url));
  let child = start();
  try {
    for (let seed = 0; seed < inputs; seed += 1) {
      if (seed % 100 === 0) context.progress(`${seed} of ${inputs} corrupted inputs`);
      const scan = scans[seed % scans.length];
      try {
        const outcome = await child.ask<Outcome>('attempt', { scan, seed });
        if (typeof outcome === 'string') counts[outcome] += 1;
        else broken.push(`input ${seed}: ${outcome.unexpected}`);
      } catch (error) {
        broken.push(`input ${seed}: ${String(error)}`);
        await child[Symbol.asyncDispose]();
        child = start();
      }
    }
  } finally {
    await child[Symbol.asyncDispose]();
  }
  const note = `${counts.refused} rejected with an AppError, ${counts.decoded} decoded all the same${broken.map((one) => `; ${one}`).join('')}`;
  return {
    id: 'G9',
    what: `crashes and unexpected errors on ${inputs} corrupted inputs`,
    unit: 'count',
    ours: figureOf([broken.length]),
    goal: { of: 'value', atMost: 0 },
    note,
  };
}

/** G9: memory that does not grow, and bytes that were never an image. */
export const endurance: Row = {
  id: 'G9',
  async measure(context) {
    const scans = await Promise.all((await truthOf(fixturesFolder)).map(({ path }) => readScan(path)));
    return [...(await memoryLines(context, scans)), await corruptedLine(context, scans)];
  },
};
