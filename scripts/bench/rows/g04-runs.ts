import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { figureOf, median } from '#scripts/bench/figures.ts';
import { startChild, type Child } from '#scripts/bench/processes/child.ts';
import { serviceEnvironment } from '#scripts/bench/processes/inkgraph.ts';
import { interleave, scaled, type Line, type Row } from '#scripts/bench/row.ts';
import type { RunsJob, RunsResult } from '#scripts/bench/targets/noop-runs.ts';

const peerName = 'LangGraph + MemorySaver';
const lanes = 10;

interface Measured {
  readonly p50Ms: number;
  readonly perSecond: number;
  readonly cpuMs: number;
  readonly latenciesMs: readonly number[];
}

async function measure(child: Child, side: 'ours' | 'raw', job: RunsJob): Promise<Measured> {
  const { result, cpuMs } = await child.count(`G4-${side}-${job.atOnce}`, async () => {
    const runs = await child.ask<RunsResult>(side, job);
    // Tidying up after the runs is part of what they cost, and must not be the next one's.
    await child.ask('idle');
    return runs;
  });
  const { elapsedMs } = result;
  const latenciesMs = [...result.latenciesMs];
  return {
    p50Ms: median(latenciesMs),
    perSecond: (job.count / elapsedMs) * 1_000,
    cpuMs: cpuMs / job.count,
    latenciesMs,
  };
}

type Sides = Record<'ours' | 'peer', Measured[]>;
const cpuOf = (side: Measured[]): number => median(side.map((one) => one.cpuMs));

function latencyLines({ ours, peer }: Sides): Line[] {
  const figure = (side: Measured[]) =>
    figureOf(
      side.map((one) => one.p50Ms),
      side.flatMap((one) => one.latenciesMs),
    );
  const measured = { unit: 'ms', ours: figure(ours), cpuMs: cpuOf(ours) };
  const other = { name: peerName, figure: figure(peer), cpuMs: cpuOf(peer) };
  const what = '5 no-op steps, accepted to completed';
  return [
    { id: 'G4', what: `${what}: p50`, ...measured, peer: other, goal: { of: 'ratio', atMost: 3 } },
    { id: 'G4', what: `${what}: p50, absolute`, ...measured, goal: { of: 'value', atMost: 15 } },
  ];
}

function throughputLine({ ours, peer }: Sides): Line {
  const figure = (side: Measured[]) => figureOf(side.map((one) => one.perSecond));
  return {
    id: 'G4',
    what: `5 no-op steps, ${lanes} at once: throughput`,
    unit: 'runs/s',
    ours: figure(ours),
    cpuMs: cpuOf(ours),
    peer: { name: peerName, figure: figure(peer), cpuMs: cpuOf(peer) },
    goal: { of: 'ratio', atLeast: 0.4 },
    note:
      'ours: execution, run, claim and end each durable (fdatasync) before they are acknowledged, checkpoints and steps survive a ' +
      'killed process; the peer keeps everything in memory and records nothing.',
  };
}

/** G4: what durability, leases, steps and events add to LangGraph. */
export const noopRuns: Row = {
  id: 'G4',
  async measure(context) {
    const dataDir = await mkdtemp(join(context.scratch, 'data-'));
    await using child = startChild(new URL('../targets/noop-runs.ts', import.meta.url), {
      env: { ...serviceEnvironment(dataDir), SERVICES: 'agents', RUN_CONCURRENCY: String(lanes) },
      profiles: context.profiles,
    });
    const one: RunsJob = { count: scaled(context, 300), atOnce: 1 };
    const many: RunsJob = { count: scaled(context, 1_000), atOnce: lanes };
    const compare = (job: RunsJob): Promise<Sides> =>
      interleave(context, { ours: () => measure(child, 'ours', job), peer: () => measure(child, 'raw', job) });
    const latency = await compare(one);
    return [...latencyLines(latency), throughputLine(await compare(many))];
  },
};
