import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { figureOf } from '#scripts/bench/figures.ts';
import { startChild } from '#scripts/bench/processes/child.ts';
import { serviceEnvironment } from '#scripts/bench/processes/inkgraph.ts';
import { scaled, type Row } from '#scripts/bench/row.ts';
import type { Memory, RunsJob } from '#scripts/bench/targets/noop-runs.ts';

const lanes = 10;
const mebibyte = 1024 * 1024;

/** W3: whether runs leave something behind in memory. The engine is in the process, as with every service that is started alone. */
export const memory: Row = {
  id: 'W3',
  async measure(context) {
    const dataDir = await mkdtemp(join(context.scratch, 'data-'));
    await using child = startChild(new URL('../targets/noop-runs.ts', import.meta.url), {
      env: { ...serviceEnvironment(dataDir), SERVICES: 'agents', RUN_CONCURRENCY: String(lanes) },
      nodeOptions: ['--expose-gc'],
    });
    const after: Memory[] = [];
    const part = scaled(context, 1_000);
    for (let thousand = 1; thousand <= 5; thousand += 1) {
      context.progress(`${thousand * part} runs`);
      await child.ask('ours', { count: part, atOnce: lanes } satisfies RunsJob);
      await child.ask('idle');
      after.push(await child.ask<Memory>('memory'));
    }
    const grown = (of: (one: Memory) => number): number =>
      after.map(of).reduce((sum, bytes, at) => sum + (at === 0 ? -bytes : at === 4 ? bytes : 0), 0) / mebibyte;
    const listed = after.map(({ rssBytes }) => Math.round(rssBytes / mebibyte)).join(', ');
    return [
      {
        id: 'W3',
        what: `resident memory after ${5 * part} runs of five steps, over that after ${part}`,
        unit: 'MiB',
        ours: figureOf([grown((one) => one.rssBytes)]),
        goal: { of: 'value', atMost: 20 },
        note: `MiB after each ${part} runs and a full collection: ${listed}`,
        detail: after,
      },
      {
        id: 'W3',
        what: 'the same: heap of the main thread',
        unit: 'MiB',
        ours: figureOf([grown((one) => one.heapBytes)]),
        goal: { of: 'value', atMost: 20 },
      },
    ];
  },
};
