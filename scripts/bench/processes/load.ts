/** The load generator: a process of its own, so that its CPU is not counted as anybody's. */
import { Agent, request as httpRequest, type IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { once } from 'node:events';
import { serve } from '#scripts/bench/processes/serve.ts';

export interface LoadRequest {
  readonly method: 'GET' | 'POST' | 'PUT';
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

export interface LoadJob {
  readonly requests: readonly LoadRequest[];
  /** Connections, each with one request under way at a time. */
  readonly connections: number;
  /** Whether the answers' bodies are wanted. */
  readonly keepBodies: boolean;
}

export interface LoadResult {
  readonly elapsedMs: number;
  readonly latenciesMs: Float64Array;
  /** How many answers had which status. */
  readonly statuses: Readonly<Record<number, number>>;
  readonly bodies: readonly string[];
}

async function send(
  agent: Agent,
  { method, url, headers = {}, body }: LoadRequest,
): Promise<{ status: number; body: string }> {
  const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
  const outgoing = httpRequest(url, { method, agent, headers: { ...headers, ...length } });
  outgoing.end(body);
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
  return { status: response.statusCode ?? 0, body: (await buffer(response)).toString() };
}

/** One connection pool for all jobs, so that no measurement begins with handshakes. */
const agent = new Agent({ keepAlive: true, maxSockets: 64, scheduling: 'fifo' });

async function run({ requests, connections, keepBodies }: LoadJob): Promise<LoadResult> {
  const latenciesMs = new Float64Array(requests.length);
  const statuses: Record<number, number> = {};
  const bodies: string[] = [];
  const left = requests.entries();
  const started = performance.now();
  const connection = async (): Promise<void> => {
    for (const [index, request] of left) {
      const sent = performance.now();
      const { status, body } = await send(agent, request);
      latenciesMs[index] = performance.now() - sent;
      statuses[status] = (statuses[status] ?? 0) + 1;
      if (keepBodies) bodies[index] = body;
    }
  };
  await Promise.all(Array.from({ length: connections }, connection));
  return { elapsedMs: performance.now() - started, latenciesMs, statuses, bodies };
}

serve({ run });
process.channel?.ref();
