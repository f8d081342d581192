import { startOutside, type OutsideServer, type ReceivedRequest } from '#test/support/servers/outside-server.ts';

/** Somebody outside whom a run calls: each call is answered at once, or kept waiting for as long as the test wants. */
export interface GateServer extends AsyncDisposable {
  readonly url: string;
  readonly listed: string;
  /** Paths of calls in the order they came, without webhooks. */
  calls(): string[];
  /** `webhook-id` and payload of webhooks in the order they came. */
  webhooks(): { id: string; payload: any }[];
  /** The next call of this path is not answered; settles when it came. */
  hold(path: string): { readonly came: Promise<void>; release(): void };
}

/** Webhooks go to `/webhook`. */
export async function startGates(): Promise<GateServer> {
  const gates = new Map<string, { came: PromiseWithResolvers<void>; go: PromiseWithResolvers<void> }>();
  const isWebhook = ({ path }: ReceivedRequest): boolean => path === '/webhook';
  const server: OutsideServer = await startOutside((request, response) => {
    const gate = gates.get(request.path);
    gates.delete(request.path);
    gate?.came.resolve();
    const passed = gate === undefined ? Promise.resolve() : gate.go.promise;
    void passed.then(() => response.end('passed'));
  });
  return {
    url: server.url,
    listed: server.listed,
    calls: () => server.received.filter((one) => !isWebhook(one)).map(({ path }) => path),
    webhooks: () =>
      server.received
        .filter(isWebhook)
        .map(({ headers, body }) => ({ id: String(headers['webhook-id']), payload: JSON.parse(body) })),
    hold(path) {
      const gate = { came: Promise.withResolvers<void>(), go: Promise.withResolvers<void>() };
      gates.set(path, gate);
      return { came: gate.came.promise, release: () => gate.go.resolve() };
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}
