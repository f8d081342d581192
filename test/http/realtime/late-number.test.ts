import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { EventSourceParserStream } from 'eventsource-parser/stream';
import { newId } from '#src/domain/ids.ts';
import type { LoggedEvent, RealtimeEvent } from '#src/domain/events/events.ts';
import { bucketsOf, eventsOf } from '#src/stores/event-buckets.ts';
import { catalogOf } from '#graphs/catalog.ts';
import { graphOf, testNode } from '#test/graphs/support/graph-fixtures.ts';
import { modernClient } from '#test/mcp/listener.ts';
import { documentUri } from '#test/mcp/reading/watched-documents.ts';
import { listenTo, type RealtimeClient } from '#test/support/dashboard/realtime-client.ts';
import { realtimePath } from '#test/support/dashboard/realtime-service.ts';
import { realtimeEvent } from '#test/support/records.ts';
import { startOutside, type OutsideServer } from '#test/support/servers/outside-server.ts';
import { collectionsIn } from '#test/support/stored.ts';
import { startTestApp, tinyPng, type TestApp } from '#test/support/test-app.ts';
import { verifies } from '#test/support/verifies.ts';
import { addWorkflow } from '#test/support/workflows.ts';

let gate = Promise.withResolvers<void>();
const gated = testNode('gated', async () => {
  await gate.promise;
  return { update: {} };
});

let outside: OutsideServer;
let app: TestApp;
let stored: Awaited<ReturnType<typeof collectionsIn>>;
let cookie: string;
beforeAll(async () => {
  outside = await startOutside((_, response) => void response.writeHead(204).end());
  app = await startTestApp({
    // The relay looks at its sweep for what nobody tells, half a lease later at most.
    env: { OUTBOUND_ALLOW: outside.listed, RUN_LEASE_MS: '1000' },
    overrides: { catalog: catalogOf([gated]) },
  });
  stored = await collectionsIn(app.dataDir);
  cookie = await app.signIn();
});
afterAll(async () => {
  await stored.close();
  await app[Symbol.asyncDispose]();
  await outside[Symbol.asyncDispose]();
});
beforeEach(() => {
  gate = Promise.withResolvers();
});

const eventOf = (documentId: string, more: Partial<RealtimeEvent> = {}): RealtimeEvent =>
  realtimeEvent(app.seed.organizationId, {
    projectId: app.seed.projectId,
    documentId,
    type: 'document.changed',
    dedupeId: newId('event'),
    ...more,
  });
/** Stores an event at a number, and tells the app of it as another process does. */
async function put(seq: number, event: RealtimeEvent): Promise<LoggedEvent> {
  const [row] = bucketsOf(app.seed.organizationId, seq - 1, [event]);
  if (row === undefined) throw new Error('no row');
  await stored.events.insertOne(row);
  const [logged] = eventsOf(row);
  if (logged === undefined) throw new Error('no event');
  app.app.deps.events.receive([logged]);
  return logged;
}
const lastNumber = async (): Promise<number> => {
  await app.app.idle();
  return (await app.app.deps.events.position(app.seed.organizationId)).last;
};
/** Documents that a webhook was told of, in the order of the calls. */
const delivered = (path: string): string[] =>
  outside.received.filter((one) => one.path === path).map(({ body }) => JSON.parse(body).data.documentId);
const toldOf = ({ told }: RealtimeClient, ids: readonly string[]): string[] =>
  told.map(({ data }) => data.documentId).filter((id) => ids.includes(id));

async function subscribe(path: string): Promise<void> {
  const body = { url: `${outside.url}${path}`, events: ['document.changed'] };
  expect((await app.call('POST', '/api/service/webhooks', { key: app.seed.agentKey, body })).status).toBe(201);
}

/** Everything that reads the log for somebody, on two documents. */
async function readers(path: string) {
  const ids = [(await app.store(tinyPng, 'image/png')).id, (await app.store(tinyPng, 'image/png')).id];
  const [first = '', second = ''] = ids;
  await app.app.idle();
  await subscribe(path);
  const feed = await listenTo(new URL(realtimePath, app.addresses.api), { cookie });
  await feed.until(({ lastId }) => lastId !== '');
  const client = await modernClient(new URL('/mcp', app.addresses.mcp), app.seed.agentKey);
  const heard: string[] = [];
  client.setNotificationHandler('notifications/resources/updated', ({ params }) => void heard.push(params.uri));
  const uris = ids.map(documentUri);
  const stream = await client.listen({ resourceSubscriptions: uris });
  const close = async (): Promise<void> => {
    feed.close();
    await stream.close();
    await client.close();
  };
  return { ids, first, second, feed, heard, uris, close };
}

verifies('events.late_number', async () => {
  const { ids, first, second, feed, heard, uris, close } = await readers('/late');
  const from = feed.lastId;
  const last = await lastNumber();
  await put(last + 2, eventOf(second));
  await app.app.idle();
  expect([delivered('/late'), toldOf(feed, ids)]).toEqual([[], []]);
  // A reader that begins now, from where the first one is.
  using resumed = await listenTo(new URL(realtimePath, app.addresses.api), { cookie, 'last-event-id': from });
  await put(last + 1, eventOf(first));
  await expect.poll(() => delivered('/late')).toHaveLength(2);
  await feed.until((client) => toldOf(client, ids).length === 2);
  await resumed.until((client) => toldOf(client, ids).length === 2);
  expect(new Set(delivered('/late'))).toEqual(new Set(ids));
  expect([toldOf(feed, ids), toldOf(resumed, ids)]).toEqual([ids, ids]);
  await expect.poll(() => heard.toSorted()).toEqual(uris.toSorted());
  // A third event comes behind them, and nothing a second time.
  await put(last + 3, eventOf(first));
  await expect.poll(() => delivered('/late')).toHaveLength(3);
  await feed.until((client) => toldOf(client, ids).length === 3);
  await close();
});

test('a number that never comes keeps the others back for a bounded time, and no later event is lost', async () => {
  const { ids, first, second, feed, heard, uris, close } = await readers('/never');
  const last = await lastNumber();
  await put(last + 2, eventOf(second));
  await expect.poll(() => delivered('/never'), { timeout: 20_000 }).toEqual([second]);
  await feed.until((client) => toldOf(client, ids).length === 1);
  await expect.poll(() => heard).toEqual([uris[1]]);
  // A process that still takes the number for free stores its event at the end.
  await expect(put(last + 1, eventOf(first))).rejects.toThrow('E11000');
  await app.app.deps.events.append([eventOf(first)]);
  await expect.poll(() => delivered('/never')).toEqual([second, first]);
  await feed.until((client) => toldOf(client, ids).length === 2);
  expect(toldOf(feed, ids)).toEqual([second, first]);
  await close();
}, 60_000);

test('the stream of an execution tells a late number in its place, and waits for it before it ends', async () => {
  const workflowId = await addWorkflow(app, graphOf({ a: 'gated' }, ['START>a', 'a>END']));
  const documentIds = [(await app.store(tinyPng, 'image/png')).id];
  const key = app.seed.serviceKey;
  const path = '/api/service/workflow-executions';
  const { body } = await app.call('POST', path, { key, body: { workflowId, documentIds } });
  const executionId: string = body.id;
  const answer = await fetch(new URL(`${path}/${executionId}/events`, app.addresses.api), {
    headers: { 'x-api-key': key },
  });
  if (answer.body === null) throw new Error('no stream');
  const told: string[] = [];
  let late: number | null = null;
  const putLate = async (): Promise<void> => {
    const { last } = await app.app.deps.events.position(app.seed.organizationId);
    const about = { executionId, type: 'run.step.changed' as const };
    const reads = vi.spyOn(app.app.deps.events, 'read');
    await put(last + 2, eventOf(documentIds[0] ?? '', about));
    const isRead = (): boolean =>
      reads.mock.settledResults.some(
        ({ type }, index) => type === 'fulfilled' && reads.mock.calls[index]?.[3]?.executionId === executionId,
      );
    // The stream has looked at the log.
    await expect.poll(isRead).toBe(true);
    reads.mockRestore();
    await put(last + 1, eventOf(documentIds[0] ?? '', about));
    late = last + 1;
    gate.resolve();
  };
  for await (const { id, event, data } of answer.body
    .pipeThrough(new TextDecoderStream())
    .pipeThrough(new EventSourceParserStream())) {
    told.push(id ?? event ?? '');
    if (late === null && JSON.parse(data).status === 'running') await putLate();
  }
  expect(told.at(-1)).toBe('execution.completed');
  const numbers = told.filter((id) => /-\d+$/.test(id)).map((id) => Number(id.split('-')[1]));
  expect(numbers).toContain(late);
  expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
  expect(new Set(numbers).size).toBe(numbers.length);
});
