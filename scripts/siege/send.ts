import { Agent } from 'node:http';
import { httpSend, type HttpRequest } from '#scripts/bench/processes/http-send.ts';

/** Connections from one address of this machine: on Linux, all of 127.0.0.0/8 are its own. */
export interface Sender extends Disposable {
  /** Status and body; status 0 when the connection broke. */
  readonly send: (request: HttpRequest) => Promise<{ status: number; body: string }>;
}

export function senderFrom(localAddress: string, maxSockets = 64): Sender {
  const agent = new Agent({ keepAlive: true, maxSockets, localAddress });
  return {
    send: (request) => httpSend(agent, request).catch(() => ({ status: 0, body: '' })),
    [Symbol.dispose]: () => agent.destroy(),
  };
}

/** Sends over and over in so many lanes until the signal. A refused lane waits as a client would that reads Retry-After. */
export async function flood(
  lanes: number,
  signal: AbortSignal,
  once: (turn: number) => Promise<unknown>,
): Promise<void> {
  let turn = 0;
  const lane = async (): Promise<void> => {
    while (!signal.aborted) await once(turn++);
  };
  await Promise.all(Array.from({ length: lanes }, lane));
}
