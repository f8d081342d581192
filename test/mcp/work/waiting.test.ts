import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { catalogOf } from '#graphs/catalog.ts';
import { graphOf, noop, testNode } from '#test/graphs/support/graph-fixtures.ts';
import { legacyClient, modernClient } from '#test/mcp/listener.ts';
import { ask, callTool, send, type Wire } from '#test/mcp/work/modern-wire.ts';
import { startTestApp, tinyPng, type TestApp } from '#test/support/test-app.ts';
import { addWorkflow } from '#test/support/workflows.ts';

let at: TestApp;
let wire: Wire;
let documentIds: string[];
let workflowId: string;

/** Gate of the document whose turn it is: the node `gate` holds it until the gate opens or its run is canceled. */
interface Gate {
  readonly arrived: PromiseWithResolvers<void>;
  readonly open: PromiseWithResolvers<void>;
  readonly stopped: PromiseWithResolvers<void>;
}
const gates = new Map<string, Gate>();
const gateOf = (documentId: string): Gate => {
  const fresh = {
    arrived: Promise.withResolvers<void>(),
    open: Promise.withResolvers<void>(),
    stopped: Promise.withResolvers<void>(),
  };
  const gate = gates.get(documentId) ?? fresh;
  gates.set(documentId, gate);
  return gate;
};
const gate = testNode(
  'gate',
  async ({ signal, run }) => {
    const own = gateOf(run.documentId);
    own.arrived.resolve();
    signal.addEventListener('abort', () => own.stopped.resolve(), { once: true });
    await Promise.race([own.open.promise, own.stopped.promise]);
    signal.throwIfAborted();
    return { update: {} };
  },
  { defaultTimeoutMs: 60_000 },
);

beforeAll(async () => {
  at = await startTestApp({ overrides: { catalog: catalogOf([noop, gate]) } });
  wire = { url: new URL('/mcp', at.addresses.mcp), secret: at.seed.serviceKey };
  const stored = await Promise.all(Array.from({ length: 6 }, () => at.store(tinyPng, 'image/png')));
  documentIds = stored.map(({ id }) => id as string);
  workflowId = await addWorkflow(at, graphOf({ a: 'noop', b: 'gate', c: 'noop' }, ['START>a', 'a>b', 'b>c', 'c>END']));
});
afterEach(() => void vi.restoreAllMocks());
afterAll(() => at[Symbol.asyncDispose]());

const pick = (...places: number[]): [string, ...string[]] =>
  places.map((place) => documentIds[place] ?? '') as [string, ...string[]];

interface Told {
  readonly progress: number;
  readonly total?: number | undefined;
  readonly message?: string | undefined;
}
const rises = (told: readonly Told[]) =>
  told.every(({ progress }, index) => index === 0 || progress > (told[index - 1]?.progress ?? 0));

describe('a call that waits, of a client that asks how far it is', () => {
  it('tells steps done of those there are, ever more, to the end', async () => {
    const [one, two] = pick(0, 1) as unknown as [string, string];
    gateOf(one).open.resolve();
    const reply = ask(wire, {
      method: 'tools/call',
      params: { name: 'run_workflow', arguments: { workflowId, documentIds: [one, two], waitSeconds: 25 } },
      meta: { progressToken: 'mine' },
    });
    await gateOf(two).arrived.promise;
    gateOf(two).open.resolve();
    const { notifications, result } = await reply;
    expect(result.structuredContent.status).toBe('succeeded');
    const told = notifications.map(({ params }): Told => params);
    expect(
      notifications.every(
        ({ method, params }) => method === 'notifications/progress' && params.progressToken === 'mine',
      ),
    ).toBe(true);
    expect(told.at(-1)).toMatchObject({ progress: 6, total: 6, message: '6 of 6 steps; 2 of 2 documents have ended' });
    expect(rises(told)).toBe(true);
    // Far fewer than there were events: what comes soon after another waits for its turn.
    expect(told.length).toBeLessThan(8);
  });

  it('does so in sessions of older clients, also for get_run that comes later', async () => {
    const documents = pick(2);
    const { client } = await legacyClient(wire.url, wire.secret);
    const started = await client.callTool({ name: 'run_workflow', arguments: { workflowId, documentIds: documents } });
    const { id: executionId } = started.structuredContent as { id: string };
    await gateOf(documents[0]).arrived.promise;
    const told: Told[] = [];
    const first = Promise.withResolvers<void>();
    const over = client.callTool({ name: 'get_run', arguments: { executionId, waitSeconds: 25 } }, undefined, {
      onprogress: (progress) => {
        told.push(progress);
        first.resolve();
      },
    });
    await first.promise;
    // Steps that ended before the call count.
    expect(told[0]).toMatchObject({ progress: expect.any(Number), total: 3 });
    gateOf(documents[0]).open.resolve();
    expect((await over).structuredContent).toMatchObject({ execution: { status: 'succeeded' } });
    expect(told.at(-1)).toMatchObject({ progress: 3, total: 3 });
    expect(rises(told)).toBe(true);
    await client.close();
  });

  it('says nothing to one that did not ask, in one plain answer', async () => {
    const [one] = pick(0);
    const response = await send(wire, {
      method: 'tools/call',
      params: { name: 'run_workflow', arguments: { workflowId, documentIds: [one], waitSeconds: 25 } },
    });
    expect(response.headers.get('content-type')).toContain('application/json');
    expect(await response.json()).toMatchObject({ result: { structuredContent: { status: 'succeeded' } } });
  });
});

describe('a client that goes away while its call waits', () => {
  /** Listeners of the event log that come and go: a call that waits has one. */
  function watchListeners() {
    const { events } = at.app.deps;
    const subscribe = events.subscribe.bind(events);
    const gone = Promise.withResolvers<void>();
    let open = 0;
    vi.spyOn(events, 'subscribe').mockImplementation((organizationId, listener) => {
      open += 1;
      const stop = subscribe(organizationId, listener);
      return () => {
        stop();
        open -= 1;
        gone.resolve();
      };
    });
    return { gone: gone.promise, open: () => open };
  }

  it.each(['a closed request of 2026-07-28', 'notifications/cancelled in a session'] as const)(
    'by %s ends the wait at once, and the run goes on',
    async (how) => {
      const place = how.startsWith('a closed') ? 3 : 4;
      const documents = pick(place);
      const leaving = new AbortController();
      const modern = place === 3 ? await modernClient(wire.url, wire.secret) : null;
      const legacy = place === 4 ? (await legacyClient(wire.url, wire.secret)).client : null;
      const input = { name: 'run_workflow', arguments: { workflowId, documentIds: documents, waitSeconds: 25 } };
      const listeners = watchListeners();
      const { signal } = leaving;
      const call = modern?.callTool(input, { signal }) ?? legacy?.callTool(input, undefined, { signal });
      const failed = expect(call).rejects.toThrow();
      await gateOf(documents[0]).arrived.promise;
      // The run may be there before its call waits.
      await expect.poll(listeners.open).toBe(1);
      const left = performance.now();
      leaving.abort('enough');
      await failed;
      await listeners.gone;
      expect(listeners.open()).toBe(0);
      // It was going to wait for 25 s.
      expect(performance.now() - left).toBeLessThan(5_000);
      const { result } = await callTool(wire, 'list_runs', { documentId: documents[0] });
      expect(result.structuredContent.runs).toMatchObject([{ status: 'running' }]);
      const { executionId } = result.structuredContent.runs[0];
      gateOf(documents[0]).open.resolve();
      const over = await callTool(wire, 'get_run', { executionId, waitSeconds: 25 });
      expect(over.result.structuredContent.execution.status).toBe('succeeded');
      await Promise.all([modern?.close(), legacy?.close()]);
    },
  );

  it('leaves it to cancel_run to stop the run, which then stops its node', async () => {
    const documents = pick(5);
    const started = await callTool(wire, 'run_workflow', { workflowId, documentIds: documents });
    const { id: executionId } = started.result.structuredContent;
    await gateOf(documents[0]).arrived.promise;
    const waits = callTool(wire, 'get_run', { executionId, waitSeconds: 25 });
    await callTool(wire, 'cancel_run', { executionId });
    await gateOf(documents[0]).stopped.promise;
    expect((await waits).result.structuredContent.execution.status).toBe('canceled');
  });
});
