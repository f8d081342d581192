import { connect } from 'node:net';
import { once } from 'node:events';
import { EventSource } from 'eventsource';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newId } from '#src/domain/ids.ts';
import { listenTo, type RealtimeClient } from '#test/support/dashboard/realtime-client.ts';
import { realtimePath, serveRealtime } from '#test/support/dashboard/realtime-service.ts';
import { realtimeEvent } from '#test/support/records.ts';
import { collectionsIn } from '#test/support/stored.ts';
import { startTestApp, type TestApp } from '#test/support/test-app.ts';

let app: TestApp;
let cookie: string;
beforeAll(async () => {
  app = await startTestApp({ env: { SERVICES: 'api' } });
  cookie = await app.signIn();
});
afterAll(() => app[Symbol.asyncDispose]());

const listen = (query = '', headers: Record<string, string> = {}): Promise<RealtimeClient> =>
  listenTo(new URL(`${realtimePath}${query}`, app.addresses.api), { cookie, ...headers });

const mine = (more = {}) => realtimeEvent(app.seed.organizationId, { projectId: app.seed.projectId, ...more });

/** Appends so many events in one write; their ids. */
async function append(count: number, more = {}): Promise<string[]> {
  const events = Array.from({ length: count }, () => mine(more));
  await app.app.deps.events.append(events);
  return events.map(({ documentId }) => documentId ?? '');
}
const documents = ({ told }: RealtimeClient): string[] => told.map(({ data }) => data.documentId);
const seqOf = (id: string | undefined): number => Number(id?.split('-')[1]);
const epochOf = (id: string): string => id.split('-')[0] ?? '';

describe('a stream', () => {
  test('says what it is, how soon to come back and where it begins, then tells what happens in order', async () => {
    using client = await listen();
    expect([client.status, client.headers['content-type']]).toEqual([200, 'text/event-stream; charset=utf-8']);
    expect(client.headers['cache-control']).toContain('no-store');
    await client.until(({ lastId }) => lastId !== '');
    expect(client.text).toMatch(/^retry: 2000\n\nid: [0-9a-f]+-\d+\n\n/);
    const ids = [...(await append(3)), ...(await append(2))];
    await client.until(({ told }) => told.length === 5);
    expect(documents(client)).toEqual(ids);
    const numbers = client.told.map(({ id }) => seqOf(id));
    expect(numbers).toEqual(numbers.map((_, at) => (numbers[0] ?? 0) + at));
    const { organizationId, projectId } = app.seed;
    for (const { event, data } of client.told)
      expect(data).toMatchObject({ type: event, organizationId, projectId, at: expect.stringMatching(/Z$/) });
  });

  test('goes on after any id, by header and by query, and the header wins', async () => {
    using first = await listen();
    const ids = await append(6);
    await first.until(({ told }) => told.length === 6);
    for (const [at, { id = '' }] of first.told.entries()) {
      using byHeader = await listen('', { 'last-event-id': id });
      using byQuery = await listen(`?lastEventId=${id}`);
      using both = await listen(`?lastEventId=${first.told[0]?.id}`, { 'last-event-id': id });
      for (const client of [byHeader, byQuery, both]) {
        await client.until(({ told }) => told.length === 5 - at);
        expect(documents(client)).toEqual(ids.slice(at + 1));
      }
    }
  });

  test('breaks off before its first event and loses nothing', async () => {
    const first = await listen();
    await first.until(({ lastId }) => lastId !== '');
    first.close();
    const ids = await append(2);
    using second = await listen('', { 'last-event-id': first.lastId });
    await second.until(({ told }) => told.length === 2);
    expect(documents(second)).toEqual(ids);
  });

  test('pings with an id, so that a reader of quiet projects is never too old', async () => {
    await using service = await serveRealtime(app, { pingMs: 20 });
    using client = await service.listen(cookie, `?projectIds=${app.seed.projectId}`);
    await append(1, { projectId: newId('project') });
    const last = (await app.app.deps.events.position(app.seed.organizationId)).last;
    await client.until(({ lastId, text }) => seqOf(lastId) === last && text.includes(': ping\n\n'));
    expect(client.told).toEqual([]);
  });

  test('is narrowed by projects, and one that is not theirs is refused', async () => {
    const other = newId('project');
    const { organizationId, projectId } = app.seed;
    await app.app.deps.organizations.insertProject({
      _id: other,
      organizationId,
      name: 'Other',
      createdAt: new Date(),
    });
    using one = await listen(`?projectIds=${other}`);
    using two = await listen(`?projectIds=${projectId},${other}`);
    using all = await listen();
    const there = await append(2, { projectId: other });
    const here = await append(1);
    await all.until(({ told }) => told.length === 3);
    await two.until(({ told }) => told.length === 3);
    expect(documents(one)).toEqual(there);
    expect(documents(two)).toEqual([...there, ...here]);
    using resumed = await listen(`?projectIds=${projectId}`, { 'last-event-id': all.told[0]?.id ?? '' });
    await resumed.until(({ told }) => told.length === 1);
    expect(documents(resumed)).toEqual(here);
    const refused = await app.call('GET', `${realtimePath}?projectIds=${projectId},${newId('project')}`, { cookie });
    expect([refused.status, refused.body.code]).toEqual([404, 'project.not_found']);
  });

  test('is read by an EventSource', async () => {
    const fetchWithCookie: typeof fetch = (url, init) =>
      fetch(url, { ...init, headers: { ...(init?.headers as Record<string, string>), cookie } });
    await using service = await serveRealtime(app);
    const source = new EventSource(`${service.origin}${realtimePath}`, { fetch: fetchWithCookie });
    const heard: string[] = [];
    source.addEventListener('document.created', ({ data }) => heard.push(JSON.parse(data).documentId));
    await once(source as never, 'open');
    const ids = await append(3);
    await expect.poll(() => heard).toEqual(ids);
    source.close();
  });

  test('cannot be pipelined behind another answer', async () => {
    const { hostname, port } = new URL(app.addresses.api);
    const socket = connect(Number(port), hostname).setEncoding('utf8');
    const request = `GET ${realtimePath} HTTP/1.1\r\nHost: x\r\nCookie: ${cookie}\r\n\r\n`;
    socket.write(request + request);
    let text = '';
    for await (const chunk of socket) if ((text += chunk).includes('id: ')) break;
    expect(text.split('HTTP/1.1 ')).toHaveLength(2);
    socket.destroy();
  });
});

describe('an id that cannot be resumed', () => {
  test.each(['unknown epoch', 'future', 'too old'])('is told by one reset, then goes on: %s', async (kind) => {
    await append(3);
    const { organizationId } = app.seed;
    const { epoch, last } = await app.app.deps.events.position(organizationId);
    const id = { 'unknown epoch': `deadbeef0-${last}`, future: `${epoch}-${last + 1}`, 'too old': `${epoch}-0` }[kind];
    if (kind === 'too old') await forgetFirst();
    using client = await listen('', { 'last-event-id': id ?? '' });
    const reset = await client.event(({ event }) => event === 'reset');
    expect(reset.data).toEqual({ type: 'reset', at: expect.any(String), organizationId });
    expect([epochOf(reset.id ?? ''), seqOf(reset.id)]).toEqual([epoch, last]);
    const ids = await append(2);
    await client.until(({ told }) => told.length === 3);
    expect(documents(client)).toEqual([undefined, ...ids]);
  });

  async function forgetFirst(): Promise<void> {
    const stored = await collectionsIn(app.dataDir);
    await stored.events.deleteMany({ organizationId: app.seed.organizationId, first: { $lte: 2 } });
    await stored.close();
  }
});

test('streams end when the service stops, without waiting for their readers', async () => {
  const closing = new AbortController();
  await using service = await serveRealtime(app, { closing: closing.signal });
  using client = await service.listen(cookie);
  closing.abort();
  await client.ended;
  // Browsers take an error for final, and come back after an end.
  using late = await service.listen(cookie);
  expect(late.status).toBe(200);
  await late.ended;
  const open = await listen();
  const stopping = performance.now();
  // Must stay the last test of this file.
  await Promise.all([app[Symbol.asyncDispose](), open.ended]);
  expect(performance.now() - stopping).toBeLessThan(4_500);
});
