import { mkdtemp } from 'node:fs/promises';
import { get } from 'node:http';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { figureOf, median } from '#scripts/bench/figures.ts';
import { startChild, type Child } from '#scripts/bench/processes/child.ts';
import { freePort } from '#scripts/bench/processes/free-port.ts';
import { serviceEnvironment } from '#scripts/bench/processes/inkgraph.ts';
import { proportionalBytes } from '#scripts/bench/processes/process-tree.ts';
import { interleave, type BenchContext, type Line, type Row } from '#scripts/bench/row.ts';

const idleAfterMs = 5_000;
const askEveryMs = 5;
const giveUpMs = 30_000;
const megabyte = 2 ** 20;

interface Start {
  readonly ms: number;
  readonly cpuMs: number;
  /** Resident memory, in which pages that processes share count for each. */
  readonly rssMegabytes: number;
  /** Proportional memory, in which they count once; 0 where the system does not tell it. */
  readonly pssMegabytes: number;
}

/** The status, or null while nobody listens. */
function statusOf(url: string): Promise<number | null> {
  const { promise, resolve } = Promise.withResolvers<number | null>();
  get(url, { agent: false }, (response) => resolve(response.resume().statusCode ?? null)).on('error', () =>
    resolve(null),
  );
  return promise;
}

async function untilHealthy(url: string): Promise<void> {
  const until = performance.now() + giveUpMs;
  while ((await statusOf(url)) !== 200) {
    if (performance.now() > until) throw new Error(`no 200 from ${url} within ${giveUpMs} ms`);
    await pause(askEveryMs);
  }
}

async function timeStart(start: (port: number) => Child, { idle }: { idle: boolean }): Promise<Start> {
  const port = await freePort();
  const started = performance.now();
  await using child = start(port);
  await untilHealthy(`http://127.0.0.1:${port}/health`);
  const ms = performance.now() - started;
  const { cpuMs } = await child.usage();
  if (idle) await pause(idleAfterMs);
  const { rssBytes } = await child.usage();
  const pssBytes = await proportionalBytes(child.pid);
  return { ms, cpuMs, rssMegabytes: rssBytes / megabyte, pssMegabytes: pssBytes / megabyte };
}

function serviceOn(context: BenchContext, dataDir: string): (port: number) => Child {
  const env = serviceEnvironment(dataDir);
  const script = new URL('../../../app/main.ts', import.meta.url);
  return (port) => startChild(script, { env: { ...env, API_PORT: String(port) }, profiles: context.profiles });
}

function linesOf(what: string, { ours, peer }: { ours: Start[]; peer: Start[] }): Line[] {
  const memory = (name: string, of: (one: Start) => number): Line => ({
    id: 'G14',
    what: `memory (${name}) of all processes ${idleAfterMs / 1_000} s after the start, ${what}`,
    unit: 'MB',
    ours: figureOf(ours.map(of)),
    peer: { name: 'bare Express', figure: figureOf(peer.map(of)) },
    goal: { of: 'value', atMost: 190 },
  });
  return [
    {
      id: 'G14',
      what: `start to first 200 on /health, ${what}`,
      unit: 'ms',
      ours: figureOf(ours.map((one) => one.ms)),
      cpuMs: median(ours.map((one) => one.cpuMs)),
      peer: {
        name: 'bare Express',
        figure: figureOf(peer.map((one) => one.ms)),
        cpuMs: median(peer.map((one) => one.cpuMs)),
      },
      goal: { of: 'value', atMost: 600 },
    },
    memory('RSS', (one) => one.rssMegabytes),
    // Not told by every system: all zeros would meet any goal.
    ...(ours.every((one) => one.pssMegabytes > 0) ? [memory('PSS', (one) => one.pssMegabytes)] : []),
  ];
}

/** G14: from the command to the first answer, and what an idle service keeps. All services, nothing of OCR loaded. */
export const start: Row = {
  id: 'G14',
  async measure(context) {
    const folder = (): Promise<string> => mkdtemp(join(context.scratch, 'data-'));
    const script = new URL('../peers/json-server.ts', import.meta.url);
    const bare = (port: number): Child => startChild(script, { env: { PORT: String(port) } });
    const used = await folder();
    const again = await interleave(context, {
      ours: () => timeStart(serviceOn(context, used), { idle: true }),
      peer: () => timeStart(bare, { idle: true }),
    });
    const fresh = await interleave(context, {
      ours: async () => timeStart(serviceOn(context, await folder()), { idle: false }),
      peer: () => timeStart(bare, { idle: false }),
    });
    return [...linesOf('used data folder', again), ...linesOf('empty data folder', fresh).slice(0, 1)];
  },
};
