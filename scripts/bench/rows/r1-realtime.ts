import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { figureOf, median, quantile } from '#scripts/bench/figures.ts';
import { startChild, type Child } from '#scripts/bench/processes/child.ts';
import { serviceEnvironment } from '#scripts/bench/processes/inkgraph.ts';
import type { OpenJob } from '#scripts/bench/processes/stream-readers.ts';
import { interleave, scaled, type BenchContext, type Line, type Row } from '#scripts/bench/row.ts';
import type { TellJob } from '#scripts/bench/processes/stream-events.ts';

const perSession = 10;
const events = 40;
const everyMs = 50;
const path = '/api/dashboard/realtime';
const peerName = 'node:http loop';
const options = { nodeOptions: ['--expose-gc'] };

interface Side {
  readonly label: string;
  readonly child: Child;
  readonly origin: string;
  readonly cookies: readonly string[];
}

interface Told {
  readonly latenciesMs: readonly number[];
  readonly cpuMs: number;
  readonly kibPerStream: number;
}

/** Opens all streams, tells events to them, and closes them: memory is taken while they are open, after they were written to. */
async function broadcast(readers: Child, { label, child, origin, cookies }: Side): Promise<Told> {
  const before = await child.ask<number>('rss');
  await readers.ask('open', { origin, path, cookies } satisfies OpenJob);
  const { result, cpuMs } = await child.count(`R1-${label}`, async () => {
    const collected = readers.ask<Float64Array>('collect', events * cookies.length);
    await child.ask('tell', { count: events, everyMs } satisfies TellJob);
    return collected;
  });
  const after = await child.ask<number>('rss');
  await readers.ask('close');
  const kibPerStream = (after - before) / cookies.length / 1_024;
  return { latenciesMs: [...result], cpuMs: cpuMs / events, kibPerStream };
}

const share = (side: readonly Told[], part: number) =>
  figureOf(
    side.map((one) => quantile(one.latenciesMs, part)),
    side.flatMap((one) => one.latenciesMs),
  );

function linesOf(streams: number, { ours, peer }: { ours: Told[]; peer: Told[] }): Line[] {
  const latency = (part: number) => ({
    ours: share(ours, part),
    cpuMs: median(ours.map((one) => one.cpuMs)),
    peer: { name: peerName, figure: share(peer, part), cpuMs: median(peer.map((one) => one.cpuMs)) },
  });
  const memory = (side: readonly Told[]) => figureOf(side.map((one) => one.kibPerStream));
  const what = `event appended to frame read, ${streams} streams`;
  return [
    { id: 'R1', what: `${what}, p95`, unit: 'ms', ...latency(0.95), goal: { of: 'value', atMost: 100 } },
    { id: 'R1', what: `${what}, p99`, unit: 'ms', ...latency(0.99), goal: { of: 'ratio', atMost: 2 } },
    {
      id: 'R1',
      what: 'memory (RSS) by open stream, after the first time',
      unit: 'KiB',
      ours: memory(ours),
      peer: { name: peerName, figure: memory(peer) },
      goal: { of: 'value', atMost: 30 },
    },
  ];
}

async function target(context: BenchContext): Promise<Child> {
  const dataDir = await mkdtemp(join(context.scratch, 'data-'));
  return startChild(new URL('../targets/streams.ts', import.meta.url), {
    ...options,
    env: { ...serviceEnvironment(dataDir), SERVICES: 'api' },
    profiles: context.profiles,
  });
}

/** R1: what one event costs on its way to a thousand pages that are open, and what each open page costs. */
export const realtime: Row = {
  id: 'R1',
  async measure(context) {
    const streams = scaled(context, 1_000);
    await using readers = startChild(new URL('../processes/stream-readers.ts', import.meta.url));
    await using child = await target(context);
    await using raw = startChild(new URL('../peers/raw-streams.ts', import.meta.url), options);
    context.progress('signing in');
    const sessions = await child.ask<string[]>('signIn', Math.ceil(streams / perSession));
    const cookies = Array.from({ length: streams }, (_, index) => sessions[Math.floor(index / perSession)] ?? '');
    const ours: Side = { label: 'ours', child, origin: await child.ask<string>('where'), cookies };
    const origin = await raw.ask<string>('origin');
    const peer: Side = { label: 'raw', child: raw, origin, cookies: cookies.map(() => '') };
    const results = await interleave(context, {
      ours: () => broadcast(readers, ours),
      peer: () => broadcast(readers, peer),
    });
    return linesOf(streams, results);
  },
};
