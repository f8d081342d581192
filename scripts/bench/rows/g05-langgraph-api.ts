import { existsSync } from 'node:fs';
import { mkdtemp, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { figureOf, median } from '#scripts/bench/figures.ts';
import { startChild, type Child } from '#scripts/bench/processes/child.ts';
import { freePort } from '#scripts/bench/processes/free-port.ts';
import { serviceEnvironment } from '#scripts/bench/processes/inkgraph.ts';
import type { HttpRequest } from '#scripts/bench/processes/http-send.ts';
import type { LoadJob, LoadResult, RunsOverHttp } from '#scripts/bench/processes/load.ts';
import { interleave, scaled, type BenchContext, type Line, type Row } from '#scripts/bench/row.ts';
import type { RunsResult, Whereabouts } from '#scripts/bench/targets/noop-runs.ts';

const lanes = 10;
const peerFolder = new URL('../peers/langgraph-api/', import.meta.url);
const peerPackage = new URL('node_modules/@langchain/langgraph-api/package.json', peerFolder);

type Request = Pick<RunsOverHttp, 'start' | 'poll'>;
const json = { 'content-type': 'application/json' };

function ourRequest({ api, serviceKey, workflowId, documentId }: Whereabouts): Request {
  const headers = { 'x-api-key': serviceKey };
  return {
    start: {
      method: 'POST',
      url: `${api}/api/service/workflow-executions`,
      headers: { ...json, ...headers },
      body: JSON.stringify({ workflowId, documentIds: [documentId] }),
    },
    poll: { origin: api, headers },
  };
}

function peerRequest(origin: string): Request {
  const body = JSON.stringify({ assistant_id: 'noop', input: { n: 0 } });
  return { start: { method: 'POST', url: `${origin}/runs/wait`, headers: json, body }, poll: null };
}

interface Side {
  readonly child: Child;
  readonly request: Request;
  /** Runs of one measurement at one connection, and at ten: the peer, which pauses between runs, gets fewer. */
  readonly counts: readonly [number, number];
}

interface Measured extends RunsResult {
  readonly cpuMs: number;
  readonly count: number;
}

async function compare(context: BenchContext, load: Child, connections: number, sides: Record<'ours' | 'peer', Side>) {
  const measure = async ({ child, request, counts }: Side): Promise<Measured> => {
    const count = counts[connections === 1 ? 0 : 1];
    const job: RunsOverHttp = { ...request, count, connections };
    const { result, cpuMs } = await child.count(`G5-${connections}`, () => load.ask<RunsResult>('runs', job));
    return { ...result, cpuMs: cpuMs / count, count };
  };
  return interleave(context, { ours: () => measure(sides.ours), peer: () => measure(sides.peer) });
}

function linesOf(
  peerName: string,
  latency: Record<'ours' | 'peer', Measured[]>,
  load: Record<'ours' | 'peer', Measured[]>,
): Line[] {
  const cpu = (side: Measured[]): number => median(side.map((one) => one.cpuMs));
  const p50 = (side: Measured[]) =>
    figureOf(
      side.map((one) => median([...one.latenciesMs])),
      side.flatMap((one) => [...one.latenciesMs]),
    );
  const perSecond = (side: Measured[]) => figureOf(side.map((one) => (one.count / one.elapsedMs) * 1_000));
  return [
    {
      id: 'G5',
      what: '5 no-op steps over HTTP, request to result: p50',
      unit: 'ms',
      ours: p50(latency.ours),
      cpuMs: cpu(latency.ours),
      peer: { name: peerName, figure: p50(latency.peer), cpuMs: cpu(latency.peer) },
      goal: { of: 'ratio', atMost: 1 / 60 },
    },
    {
      id: 'G5',
      what: `5 no-op steps over HTTP, ${lanes} at once: throughput`,
      unit: 'runs/s',
      ours: perSecond(load.ours),
      cpuMs: cpu(load.ours),
      peer: { name: peerName, figure: perSecond(load.peer), cpuMs: cpu(load.peer) },
      goal: { of: 'ratio', atLeast: 15 },
    },
  ];
}

/** The request that reads the state of a run, after the run has ended. */
async function readOfOurs(where: Whereabouts): Promise<HttpRequest> {
  const { start, poll } = ourRequest(where);
  const { id } = await answerOf<{ id: string }>(start);
  const read: HttpRequest = {
    method: 'GET',
    url: `${where.api}/api/service/workflow-executions/${id}`,
    headers: poll?.headers ?? {},
  };
  const { status } = await answerOf<{ status: string }>({ ...read, url: `${read.url}?wait=30` });
  if (status !== 'succeeded') throw new Error(`the run is ${status}`);
  return read;
}

/** The same of the peer: it keeps the state of a run in its thread. */
async function readOfPeer(origin: string): Promise<HttpRequest> {
  const post = { method: 'POST', headers: json } as const;
  const thread = await answerOf<{ thread_id: string }>({ ...post, url: `${origin}/threads`, body: '{}' });
  const url = `${origin}/threads/${thread.thread_id}`;
  await answerOf({ ...peerRequest(origin).start, url: `${url}/runs/wait` });
  return { method: 'GET', url };
}

async function answerOf<Body>({ method, url, headers, body }: HttpRequest): Promise<Body> {
  const response = await fetch(url, { method, ...(headers && { headers }), ...(body !== undefined && { body }) });
  const text = await response.text();
  if (!response.ok) throw new Error(`${url} answered ${response.status}: ${text}`);
  return JSON.parse(text) as Body;
}

/** One read after the other, of the same run. */
async function readsLine(
  context: BenchContext,
  load: Child,
  peerName: string,
  sides: Record<'ours' | 'peer', { readonly child: Child; readonly read: HttpRequest }>,
): Promise<Line> {
  const count = scaled(context, 500);
  const measure = async ({ child, read }: (typeof sides)['ours']) => {
    const job: LoadJob = { requests: Array.from({ length: count }, () => read), connections: 1, keepBodies: false };
    const { result, cpuMs } = await child.count('G5-reads', () => load.ask<LoadResult>('run', job));
    if (result.statuses[200] !== count) throw new Error(`${read.url} answered ${JSON.stringify(result.statuses)}`);
    return { latenciesMs: [...result.latenciesMs], cpuMs: cpuMs / count };
  };
  const { ours, peer } = await interleave(context, {
    ours: () => measure(sides.ours),
    peer: () => measure(sides.peer),
  });
  const p50 = (side: typeof ours) =>
    figureOf(
      side.map((one) => median(one.latenciesMs)),
      side.flatMap((one) => one.latenciesMs),
    );
  const cpu = (side: typeof ours): number => median(side.map((one) => one.cpuMs));
  return {
    id: 'G5',
    what: 'read of a run that has ended, over HTTP: p50',
    unit: 'ms',
    ours: p50(ours),
    cpuMs: cpu(ours),
    peer: { name: `${peerName}, GET /threads/:id`, figure: p50(peer), cpuMs: cpu(peer) },
    note: 'ours reads key and execution from the database; the peer reads its memory and asks for no key.',
  };
}

const missing: Line = {
  id: 'G5',
  what: '5 no-op steps over HTTP',
  unit: '',
  ours: null,
  goal: { of: 'ratio', atMost: 1 / 60 },
  note: 'peer not installed: npm run bench:peers',
};

/** G5: the same five steps through both servers' HTTP interfaces; ours durable, the peer in memory. */
export const langgraphApi: Row = {
  id: 'G5',
  async measure(context) {
    if (!existsSync(peerPackage)) return [missing];
    const { version } = JSON.parse(await readFile(peerPackage, 'utf8')) as { version: string };
    const folder = (): Promise<string> => mkdtemp(join(context.scratch, 'data-'));
    await using ours = startChild(new URL('../targets/noop-runs.ts', import.meta.url), {
      env: { ...serviceEnvironment(await folder()), SERVICES: 'api,agents', RUN_CONCURRENCY: String(lanes) },
      profiles: context.profiles,
    });
    await using peer = startChild(new URL('../peers/langgraph-api/server.ts', import.meta.url), {
      args: [await folder(), String(await freePort()), String(lanes)],
      env: { LOG_LEVEL: 'error' },
    });
    await using load = startChild(new URL('../processes/load.ts', import.meta.url));
    const where = await ours.ask<Whereabouts>('where');
    const origin = await peer.ask<string>('origin');
    const peerName = `langgraph-api ${version}`;
    const sides = {
      ours: {
        child: ours,
        request: ourRequest(where),
        counts: [scaled(context, 200), scaled(context, 500)],
      },
      peer: { child: peer, request: peerRequest(origin), counts: [10, 40] },
    } satisfies Record<'ours' | 'peer', Side>;
    const latency = await compare(context, load, 1, sides);
    const runs = linesOf(peerName, latency, await compare(context, load, lanes, sides));
    const reads = {
      ours: { child: ours, read: await readOfOurs(where) },
      peer: { child: peer, read: await readOfPeer(origin) },
    };
    return [...runs, await readsLine(context, load, peerName, reads)];
  },
};
