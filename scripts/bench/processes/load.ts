/** The load generator: a process of its own, so that its CPU is not counted as anybody's. */
import { Agent } from 'node:http';
import { httpSend, inLanes, type HttpRequest } from '#scripts/bench/processes/http-send.ts';
import { serve } from '#scripts/bench/processes/serve.ts';

export interface LoadJob {
  readonly requests: readonly HttpRequest[];
  /** Connections, each with one request under way at a time. */
  readonly connections: number;
  /** true: returns the response bodies. */
  readonly keepBodies: boolean;
}

export interface LoadResult {
  readonly elapsedMs: number;
  readonly latenciesMs: Float64Array;
  /** Number of responses by status. */
  readonly statuses: Readonly<Record<number, number>>;
  readonly bodies: readonly string[];
}

/** One workflow run over HTTP, asked for `count` times. */
export interface RunsOverHttp {
  readonly count: number;
  readonly connections: number;
  readonly start: HttpRequest;
  /** Members of the response with its id and status, to poll until the end; null: the first response is final. */
  readonly poll: { readonly headers: Readonly<Record<string, string>>; readonly origin: string } | null;
}

/** One connection pool for all jobs, so that no measurement begins with handshakes. */
const agent = new Agent({ keepAlive: true, maxSockets: 64, scheduling: 'fifo' });

async function run({ requests, connections, keepBodies }: LoadJob): Promise<LoadResult> {
  const statuses: Record<number, number> = {};
  const bodies: string[] = [];
  const times = await inLanes(requests.length, connections, async (index) => {
    const { status, body } = await httpSend(agent, requests[index] as HttpRequest);
    statuses[status] = (statuses[status] ?? 0) + 1;
    if (keepBodies) bodies[index] = body;
  });
  return { ...times, statuses, bodies };
}

/** Asks for the run until it says that it is over; each question waits for the end on the server's side. */
async function untilOver(first: string, { origin, headers }: NonNullable<RunsOverHttp['poll']>): Promise<void> {
  for (let body = first; ;) {
    const { status, links } = JSON.parse(body) as { status: string; links: { self: string } };
    if (status === 'succeeded') return;
    if (status !== 'queued' && status !== 'running') throw new Error(`a run ended as ${status}`);
    const url = `${new URL(links.self, origin).href}?wait=30`;
    ({ body } = await httpSend(agent, { method: 'GET', url, headers }));
  }
}

async function runs({ count, connections, start, poll }: RunsOverHttp) {
  return inLanes(count, connections, async () => {
    const { status, body } = await httpSend(agent, start);
    if (status >= 300) throw new Error(`${start.url} answered ${status}: ${body}`);
    if (poll !== null) await untilOver(body, poll);
  });
}

serve({ run, runs });
process.channel?.ref();
