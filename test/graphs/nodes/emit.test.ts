import { expect, test } from 'vitest';
import { emit } from '#graphs/nodes/emit.ts';
import { callNode } from '#test/graphs/support/call-node.ts';
import { errorOf } from '#test/support/servers/outside-server.ts';
import type { NodeDeps, RunFacts } from '#graphs/node-deps.ts';

/** Remembers what the node tells. */
function told() {
  const deliveries: Parameters<NodeDeps['deliver']>[0][] = [];
  const events: [RunFacts, string, Readonly<Record<string, unknown>>][] = [];
  const deps: Partial<NodeDeps> = {
    deliver: (delivery) => Promise.resolve(void deliveries.push(delivery)),
    announce: (run, path, data) => Promise.resolve(void events.push([run, path, data])),
  };
  return { deliveries, events, deps };
}

const webhook = { channel: 'webhook', url: 'https://example.com/hook', type: 'receipt.read', data: { total: 4 } };

test('a webhook goes into the outbox with the facts of its run, and tells nothing to the realtime feed', async () => {
  const { deliveries, events, deps } = told();
  const { update } = await callNode(emit, { config: webhook, deps, path: 'pages[2]/tell' });
  expect(update).toEqual({});
  expect(events).toEqual([]);
  const [one] = deliveries;
  expect(one).toMatchObject({ organizationId: 'org_a', projectId: 'prj_a', url: webhook.url, type: 'receipt.read' });
  expect(JSON.parse(one?.payload ?? '')).toEqual({
    type: 'receipt.read',
    timestamp: expect.stringMatching(/^\d{4}-.*Z$/),
    projectId: 'prj_a',
    executionId: 'exec_a',
    runId: 'run_a',
    documentId: 'doc_a',
    nodePath: 'pages[2]/tell',
    data: { total: 4 },
  });
});

test('the same telling has the same id; another place or another content has another', async () => {
  const { deliveries, deps } = told();
  const send = (path: string, data: unknown) => callNode(emit, { config: { ...webhook, data }, deps, path });
  await send('a', { total: 4, currency: 'EUR' });
  await send('a', { currency: 'EUR', total: 4 });
  await send('a', { total: 5 });
  await send('b', { total: 4, currency: 'EUR' });
  const ids = deliveries.map(({ _id }) => _id);
  expect(ids[0]).toMatch(/^dlv_[0-9A-Za-z]{22}$/);
  expect(ids[1]).toBe(ids[0]);
  expect(new Set(ids).size).toBe(3);
});

test('the realtime feed is told the type and the data; both means both', async () => {
  const { deliveries, events, deps } = told();
  await callNode(emit, { config: { data: 'done' }, deps });
  await callNode(emit, { config: { ...webhook, channel: 'both' }, deps });
  expect(events.map(([run, path, data]) => [run.runId, path, data])).toEqual([
    ['run_a', 'node_a', { type: 'run.emitted', data: 'done' }],
    ['run_a', 'node_a', { type: 'receipt.read', data: { total: 4 } }],
  ]);
  expect(deliveries).toHaveLength(1);
});

test('data over 32 KiB is refused before anybody is told', async () => {
  const { deliveries, events, deps } = told();
  const config = { ...webhook, channel: 'both', data: 'x'.repeat(33_000) };
  expect(await errorOf(callNode(emit, { config, deps }))).toMatch(/^workflow\.invalid: "data" is larger than 32 KiB/);
  expect([deliveries, events]).toEqual([[], []]);
});

test.each([
  [{ channel: 'webhook' }, 'url'],
  [{ channel: 'both' }, 'url'],
  [{ channel: 'mail' }, 'channel'],
  [{ type: 'Not a type' }, 'type'],
])('config %j does not check, and the problem names "%s"', (config, field) => {
  const { error } = emit.params.safeParse(config);
  expect(error?.issues.map(({ path }) => path[0])).toEqual([field]);
});
