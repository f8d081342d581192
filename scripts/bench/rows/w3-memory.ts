import { figureOf } from '#scripts/bench/figures.ts';
import { startChild } from '#scripts/bench/processes/child.ts';
import { serviceEnvironment, startInkgraph } from '#scripts/bench/processes/inkgraph.ts';
import { scaled, type Row } from '#scripts/bench/row.ts';
import type { Memory, RunsJob } from '#scripts/bench/targets/noop-runs.ts';

const lanes = 10;
const mebibyte = 1024 * 1024;

/** W3: whether runs leave something behind in memory: of the process that runs them, and of the one that has the database. */
export const memory: Row = {
  id: 'W3',
  async measure(context) {
    await using inkgraph = await startInkgraph(context, 'api');
    await using child = startChild(new URL('../targets/noop-runs.ts', import.meta.url), {
      env: { ...serviceEnvironment(inkgraph.dataDir), SERVICES: 'agents', RUN_CONCURRENCY: String(lanes) },
      nodeOptions: ['--expose-gc'],
    });
    const part = scaled(context, 1_000);
    // Compilers and allocators settle in the first runs.
    await child.ask('ours', { count: part, atOnce: lanes } satisfies RunsJob);
    const agents: number[] = [];
    const engine: number[] = [];
    for (let thousand = 1; thousand <= 5; thousand += 1) {
      context.progress(`${thousand * part} runs`);
      await child.ask('ours', { count: part, atOnce: lanes } satisfies RunsJob);
      await child.ask('idle');
      agents.push((await child.ask<Memory>('memory')).rssBytes / mebibyte);
      engine.push((await inkgraph.service.usage()).rssBytes / mebibyte);
    }
    const grown = (sizes: readonly number[]) => figureOf([(sizes.at(-1) ?? 0) - (sizes[0] ?? 0)]);
    const listed = (sizes: readonly number[]): string =>
      `MiB after each ${part} runs: ${sizes.map((size) => Math.round(size)).join(', ')}`;
    const what = `resident memory after ${5 * part} runs of five steps, over that after ${part}`;
    return [
      {
        id: 'W3',
        what: `${what}: agents`,
        unit: 'MiB',
        ours: grown(agents),
        goal: { of: 'value', atMost: 20 },
        note: listed(agents),
      },
      {
        id: 'W3',
        what: 'the same: the process with API and database',
        unit: 'MiB',
        ours: grown(engine),
        note: listed(engine),
      },
    ];
  },
};
