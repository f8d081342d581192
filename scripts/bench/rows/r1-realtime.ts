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
/** Memory is taken where nothing was opened before: a process that had streams has room for others. */
const processes = 3;
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
}

/** Opens all streams, sends events to them, and closes them. */
async function broadcast(readers: Child, { label, child, origin, cookies }: Side): Promise<Told> {
  await readers.ask('open', { origin, path, cookies } satisfies OpenJob);
  const { result, cpuMs } = await child.count(`R1-${label}`, () => tell(readers, child, cookies.length));
  await readers.ask('close');
  return { latenciesMs: [...result], cpuMs: cpuMs / events };
}

async function tell(readers: Child, child: Child, streams: number): Promise<Float64Array> {
  const collected = readers.ask<Float64Array>('collect', events * streams);
  await child.ask('tell', { count: events, everyMs } satisfies TellJob);
  return collected;
}

/** KiB that one stream more takes, in a process that is warm and has a few: after it was written to, and after full collections. */
async function memoryOf(readers: Child, { child, origin, cookies }: Side): Promise<number> {
  for (let time = 0; time < 2; time += 1)
    await readers.ask('warm', { origin, path: '/api/dashboard/context', cookies } satisfies OpenJob);
  const few = Math.ceil(cookies.length / 10);
  const opened = async (part: readonly string[], all: number): Promise<number> => {
    await readers.ask('open', { origin, path, cookies: part } satisfies OpenJob);
    await tell(readers, child, all);
    return child.ask<number>('rss');
  };
  const before = await opened(cookies.slice(0, few), few);
  const after = await opened(cookies.slice(few), cookies.length);
  await readers.ask('close');
  return (after - before) / (cookies.length - few) / 1_024;
}

const share = (side: readonly Told[], part: number) =>
  figureOf(
    side.map((one) => quantile(one.latenciesMs, part)),
    side.flatMap((one) => one.latenciesMs),
  );

function latencies(streams: number, { ours, peer }: { ours: Told[]; peer: Told[] }): Line[] {
  const latency = (part: number) => ({
    ours: share(ours, part),
    cpuMs: median(ours.map((one) => one.cpuMs)),
    peer: { name: peerName, figure: share(peer, part), cpuMs: median(peer.map((one) => one.cpuMs)) },
  });
  const what = `event appended to frame read, ${streams} streams`;
  return [
    { id: 'R1', what: `${what}, p95`, unit: 'ms', ...latency(0.95), goal: { of: 'value', atMost: 100 } },
    { id: 'R1', what: `${what}, p99`, unit: 'ms', ...latency(0.99), goal: { of: 'ratio', atMost: 2 } },
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

async function sides(context: BenchContext, streams: number): Promise<Record<'ours' | 'peer', Side> & AsyncDisposable> {
  await using stack = new AsyncDisposableStack();
  const child = stack.use(await target(context));
  const raw = stack.use(startChild(new URL('../peers/raw-streams.ts', import.meta.url), options));
  const sessions = await child.ask<string[]>('signIn', Math.ceil(streams / perSession));
  const cookies = Array.from({ length: streams }, (_, index) => sessions[Math.floor(index / perSession)] ?? '');
  const ours: Side = { label: 'ours', child, origin: await child.ask<string>('where'), cookies };
  const origin = await raw.ask<string>('origin');
  const peer: Side = { label: 'raw', child: raw, origin, cookies: cookies.map(() => '') };
  const owned = stack.move();
  return { ours, peer, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

/** R1: what one event costs on its way to a thousand pages that are open, and what each open page costs. */
export const realtime: Row = {
  id: 'R1',
  async measure(context) {
    const streams = scaled(context, 1_000);
    await using readers = startChild(new URL('../processes/stream-readers.ts', import.meta.url));
    const memory: Record<'ours' | 'peer', number[]> = { ours: [], peer: [] };
    for (let process = 1; process <= processes; process += 1) {
      context.progress(`memory of a new process, ${process} of ${processes}`);
      await using both = await sides(context, streams);
      for (const side of ['ours', 'peer'] as const) memory[side].push(await memoryOf(readers, both[side]));
    }
    await using both = await sides(context, streams);
    const results = await interleave(context, {
      ours: () => broadcast(readers, both.ours),
      peer: () => broadcast(readers, both.peer),
    });
    return [
      ...latencies(streams, results),
      {
        id: 'R1',
        what: 'memory (RSS) by open stream, new processes',
        unit: 'KiB',
        ours: figureOf(memory.ours),
        peer: { name: peerName, figure: figureOf(memory.peer) },
        goal: { of: 'value', atMost: 30 },
      },
    ];
  },
};
