import { once } from 'node:events';
import { request as httpRequest, type Agent, type IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';

export interface HttpRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

/** One request on a connection of the agent. */
export async function httpSend(
  agent: Agent,
  { method, url, headers = {}, body }: HttpRequest,
): Promise<{ status: number; body: string }> {
  const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
  const outgoing = httpRequest(url, { method, agent, headers: { ...headers, ...length } });
  outgoing.end(body);
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
  return { status: response.statusCode ?? 0, body: (await buffer(response)).toString() };
}

/** Calls `run` for 0..count-1, `lanes` at once; answers each call's time and the whole, in milliseconds. */
export async function inLanes(
  count: number,
  lanes: number,
  run: (index: number) => Promise<void>,
): Promise<{ elapsedMs: number; latenciesMs: Float64Array }> {
  const latenciesMs = new Float64Array(count);
  const left = Array.from({ length: count }).keys();
  const started = performance.now();
  const lane = async (): Promise<void> => {
    for (const index of left) {
      const begun = performance.now();
      await run(index);
      latenciesMs[index] = performance.now() - begun;
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return { elapsedMs: performance.now() - started, latenciesMs };
}
