import { Agent } from 'node:http';
import { httpSend, type HttpRequest } from '#scripts/bench/processes/http-send.ts';

/** Number of responses by status; 0 are connections that broke. */
export type Statuses = Map<number, number>;

/** Connections from one address of this machine: on Linux, all of 127.0.0.0/8 are its own. */
export interface Sender extends Disposable {
  /** Status and body; status 0 when the connection broke. */
  readonly send: (request: HttpRequest) => Promise<{ status: number; body: string }>;
}

export function senderFrom(localAddress: string, statuses: Statuses = new Map(), maxSockets = 64): Sender {
  const agent = new Agent({ keepAlive: true, maxSockets, localAddress });
  return {
    async send(request) {
      const response = await httpSend(agent, request).catch(() => ({ status: 0, body: '' }));
      statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1);
      return response;
    },
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
