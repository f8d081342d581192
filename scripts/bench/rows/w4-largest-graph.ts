import { figureOf, median } from '#scripts/bench/figures.ts';
import { startChild } from '#scripts/bench/processes/child.ts';
import { scaled, type Line, type Row } from '#scripts/bench/row.ts';
import type { Editing } from '#scripts/bench/targets/graph-editing.ts';

interface Size {
  readonly nodes: number;
  readonly edges: number;
  readonly operations: number;
  readonly bytes: number;
}

/** W4: what an edit of the largest graph costs. */
export const largestGraph: Row = {
  id: 'W4',
  async measure(context) {
    await using child = startChild(new URL('../targets/graph-editing.ts', import.meta.url), {
      profiles: context.profiles,
    });
    const size = await child.ask<Size>('size');
    const titles: Readonly<Record<Editing, string>> = {
      check: `checking a graph of ${size.nodes} nodes and ${size.edges} edges: p50`,
      compile: 'compiling it: p50',
      apply: `applying ${size.operations} operations to it: p50`,
    };
    const lines: Line[] = [];
    for (const what of ['check', 'compile', 'apply'] as const) {
      const job = { what, count: scaled(context, 20) };
      await child.ask('times', job);
      const runs: number[][] = [];
      for (let run = 1; run <= context.runs; run += 1) {
        context.progress(`${what}, run ${run} of ${context.runs}`);
        runs.push((await child.count(`W4-${what}`, () => child.ask<number[]>('times', job))).result);
      }
      lines.push({
        id: 'W4',
        what: titles[what],
        unit: 'ms',
        ours: figureOf(runs.map(median), runs.flat()),
        detail: size,
      });
    }
    return lines;
  },
};
