import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { figureOf, median } from '#scripts/bench/figures.ts';
import { startChild, type Child } from '#scripts/bench/processes/child.ts';
import { serviceEnvironment } from '#scripts/bench/processes/inkgraph.ts';
import { interleave, scaled, type BenchContext, type Line, type Row } from '#scripts/bench/row.ts';
import type { RunsResult } from '#scripts/bench/targets/noop-runs.ts';
import { criticalPathMs, thirtyNodes } from '#scripts/bench/targets/timed-workflow.ts';

const peerName = 'LangGraph + MemorySaver';
const chainSteps = 30;

interface Measured {
  readonly median: number;
  readonly single: readonly number[];
}

async function target(context: BenchContext, script: string): Promise<Child> {
  const dataDir = await mkdtemp(join(context.scratch, 'data-'));
  return startChild(new URL(`../targets/${script}`, import.meta.url), {
    env: { ...serviceEnvironment(dataDir), SERVICES: 'agents' },
    profiles: context.profiles,
  });
}

/** Milliseconds of each run by `unit`. */
async function measured(child: Child, label: string, unit: number, work: () => Promise<RunsResult>): Promise<Measured> {
  const { result } = await child.count(label, async () => {
    const runs = await work();
    await child.ask('idle');
    return runs;
  });
  const single = [...result.latenciesMs].map((ms) => ms / unit);
  return { median: median(single), single };
}

const figure = (side: readonly Measured[]) =>
  figureOf(
    side.map((one) => one.median),
    side.flatMap((one) => one.single),
  );

async function wholeRun(context: BenchContext): Promise<Line> {
  await using child = await target(context, 'timed-runs.ts');
  const path = criticalPathMs(thirtyNodes.graph);
  const count = scaled(context, 25);
  const side = (name: 'ours' | 'raw') => () =>
    measured(child, `W1-timed-${name}`, path, () => child.ask<RunsResult>(name, count));
  const { ours, peer } = await interleave(context, { ours: side('ours'), peer: side('raw') });
  return {
    id: 'W1',
    what: `30 nodes, two maps over 50 items, accepted to completed, by the critical path's ${path} ms`,
    unit: 'x',
    ours: figure(ours),
    peer: { name: peerName, figure: figure(peer) },
    goal: { of: 'value', atMost: 1.15 },
  };
}

async function perStep(context: BenchContext): Promise<Line> {
  await using child = await target(context, 'noop-runs.ts');
  const job = { count: scaled(context, 100), atOnce: 1, steps: chainSteps };
  const side = (name: 'chain' | 'raw') => () =>
    measured(child, `W1-chain-${name}`, chainSteps, () => child.ask<RunsResult>(name, job));
  const { ours, peer } = await interleave(context, { ours: side('chain'), peer: side('raw') });
  return {
    id: 'W1',
    what: `${chainSteps} no-op steps in a row, accepted to completed, by step: p50`,
    unit: 'ms',
    ours: figure(ours),
    peer: { name: peerName, figure: figure(peer) },
    goal: { of: 'value', atMost: 3 },
  };
}

/** W1: what the engine adds to the time that nodes take, everything durable. */
export const overhead: Row = {
  id: 'W1',
  async measure(context) {
    return [await wholeRun(context), await perStep(context)];
  },
};
