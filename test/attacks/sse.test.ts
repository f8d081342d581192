import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addNeighbour } from '#test/support/neighbour.ts';
import { listenTo, type RealtimeClient } from '#test/support/dashboard/realtime-client.ts';
import { realtimePath, serveRealtime } from '#test/support/dashboard/realtime-service.ts';
import { realtimeEvent } from '#test/support/records.ts';
import { startTestApp, type TestApp } from '#test/support/test-app.ts';

const proxyPath = '/api/realtime/dashboard';

let app: TestApp;
let cookie: string;
beforeAll(async () => {
  app = await startTestApp({ env: { SERVICES: 'api' } });
  cookie = await app.signIn();
});
afterAll(() => app[Symbol.asyncDispose]());

const listen = (
  as: string,
  { query = '', headers = {} }: { query?: string; headers?: Record<string, string> } = {},
): Promise<RealtimeClient> =>
  listenTo(new URL(`${realtimePath}${query}`, app.addresses.api), { cookie: as, ...headers });
const mine = (more = {}) => realtimeEvent(app.seed.organizationId, { projectId: app.seed.projectId, ...more });

/** Open, and told what happens. */
async function live(client: RealtimeClient): Promise<RealtimeClient> {
  await client.until(({ lastId }) => lastId !== '');
  return client;
}

describe('59: without a session nothing is told', () => {
  test.each([realtimePath, proxyPath])('%s', async (path) => {
    const [value = '', signature = ''] = (cookie.split('=')[1] ?? '').split('.');
    const forged = [undefined, 'app.session_token=', `app.session_token=${value}.x${signature}`, 'other=1'];
    for (const bad of forged) {
      const { status, headers, body } = await app.call('GET', path, { cookie: bad });
      expect([status, body.code]).toEqual([401, 'auth.unauthorized']);
      expect(headers.get('content-type')).toMatch(/^application\/problem\+json/);
    }
    const key = await app.call('GET', path, { key: app.seed.serviceKey });
    expect([key.status, key.body.code]).toEqual([403, 'auth.forbidden']);
  });

  test('nor to a user of another organization, which looks as if there were none', async () => {
    const neighbour = await addNeighbour(app, 'organization');
    const [foreign, unknown] = [neighbour.organizationId, `${neighbour.organizationId.slice(0, -1)}_`];
    const answers = [];
    for (const id of [foreign, unknown]) {
      const { status, body } = await app.call('GET', `${realtimePath}?organizationId=${id}`, { cookie });
      answers.push({ ...body, requestId: '', status });
    }
    expect(answers[0]).toMatchObject({ status: 404, code: 'organization.not_found' });
    expect(answers[1]).toEqual(answers[0]);
  });
});

describe('60: a Last-Event-ID that is none of ours', () => {
  test.each(['abc', '-1', 'x-1', '1', 'a-b', `${'a'.repeat(40)}-1`, 'ab-1; drop', 'ab-1e9', 'ab--1'])(
    '%s is refused, by header and by query',
    async (id) => {
      const byHeader = await app.call('GET', realtimePath, { cookie, headers: { 'last-event-id': id } });
      const byQuery = await app.call('GET', `${realtimePath}?lastEventId=${encodeURIComponent(id)}`, { cookie });
      for (const { status, body } of [byHeader, byQuery])
        expect([status, body.code, body.errors[0].pointer]).toEqual([400, 'request.invalid', '/lastEventId']);
    },
  );

  test.each(['?lastEventId=a-1&lastEventId=a-2', '?projectIds=', '?unknown=1', `?projectIds=${'p,'.repeat(6_000)}`])(
    'so is the query %s',
    async (query) => {
      const { status, body } = await app.call('GET', realtimePath + query, { cookie });
      expect([status, body.code]).toEqual([400, 'request.invalid']);
    },
  );

  test.each(['0-1', 'deadbeef-3', 'ffffffff-999999999999999'])('%s is told by one reset', async (id) => {
    using client = await listen(cookie, { headers: { 'last-event-id': id } });
    const event = mine();
    await client.until(({ told }) => told.length === 1);
    await app.app.deps.events.append([event]);
    await client.until(({ told }) => told.length === 2);
    expect(client.told.map((told) => told.event)).toEqual(['reset', 'document.created']);
  });
});

test('61: an id of another organization shows nothing of it', async () => {
  const neighbour = await addNeighbour(app, 'organization');
  const theirs = [1, 2, 3].map(() => realtimeEvent(neighbour.organizationId, { projectId: neighbour.projectId }));
  await app.app.deps.events.append(theirs);
  const { epoch } = await app.app.deps.events.position(neighbour.organizationId);
  using client = await listen(cookie, { headers: { 'last-event-id': `${epoch}-1` } });
  const event = mine();
  await client.until(({ told }) => told.length === 1);
  await app.app.deps.events.append([realtimeEvent(neighbour.organizationId), event]);
  await client.until(({ told }) => told.length === 2);
  expect(client.told.map(({ event: name }) => name)).toEqual(['reset', 'document.created']);
  expect(client.told[1]?.data.documentId).toBe(event.documentId);
  expect(client.text).not.toContain(neighbour.organizationId);
  for (const { documentId } of theirs) expect(client.text).not.toContain(documentId);
});

describe('62: a reader who lost access', () => {
  test('is cut off within the interval when a member is removed behind the back of this process', async () => {
    await using service = await serveRealtime(app, { checkMs: 20 });
    const person = await app.addPerson('viewer');
    using theirs = await live(await service.listen(person.cookie));
    using others = await live(await service.listen(cookie));
    const { organizationId } = app.seed;
    const membership = await app.app.deps.members.membership(organizationId, person.userId);
    await app.app.deps.members.remove(organizationId, membership?.memberId ?? '', 'viewer');
    await theirs.ended;
    const event = mine();
    await app.app.deps.events.append([event]);
    await others.until(({ told }) => told.length === 1);
    expect(theirs.told).toEqual([]);
    await expect(service.listen(person.cookie)).resolves.toMatchObject({ status: 404 });
  });

  test('is cut off at once when a member is removed here', async () => {
    const person = await app.addPerson('editor');
    using theirs = await live(await listen(person.cookie));
    using others = await live(await listen(cookie));
    const membership = await app.app.deps.members.membership(app.seed.organizationId, person.userId);
    const removed = await app.call('DELETE', `/api/dashboard/members/${membership?.memberId}`, { cookie });
    expect(removed.status).toBe(200);
    await theirs.ended;
    await app.app.deps.events.append([mine()]);
    await others.until(({ told }) => told.length === 1);
    expect(theirs.told).toEqual([]);
  });

  test('is cut off at once at sign-out, in all windows of the session and in no other', async () => {
    const person = await app.addPerson('viewer');
    const another = await app.signIn(person);
    using one = await live(await listen(person.cookie));
    using two = await live(await listen(person.cookie));
    using other = await live(await listen(another));
    const answer = await app.call('POST', '/api/auth/sign-out', { cookie: person.cookie, body: {} });
    expect(answer.status).toBe(200);
    await Promise.all([one.ended, two.ended]);
    await app.app.deps.events.append([mine()]);
    await other.until(({ told }) => told.length === 1);
    expect([one.told, two.told]).toEqual([[], []]);
  });
});

test('63: nothing in the data breaks out of its frame', async () => {
  const evil = 'x\n\nevent: reset\ndata: {}\nid: ffff-1\n\r\n\r: \u2028\u0000\u0085';
  using client = await live(await listen(cookie));
  const bad = mine({ type: 'workflow.emitted', runId: evil, data: { event: evil, [evil.replace('\0', '')]: [evil] } });
  const good = mine();
  await app.app.deps.events.append([bad, good]);
  await client.until(({ told }) => told.length === 2);
  expect(client.told.map(({ event }) => event)).toEqual(['workflow.emitted', 'document.created']);
  expect(client.told[0]?.data).toMatchObject({ runId: evil, event: evil });
  expect(client.text).not.toContain('\r');
  expect(client.lastId).toBe(client.told[1]?.id);
});

test('64: a reader that never reads is dropped, and the others get everything', async () => {
  await using service = await serveRealtime(app, { maxBuffered: 200_000 });
  const { hostname, port } = new URL(service.origin);
  const silent = connect(Number(port), hostname);
  const gone = Promise.withResolvers<void>();
  silent.on('error', () => undefined).on('close', () => gone.resolve());
  silent.write(`GET ${realtimePath} HTTP/1.1\r\nHost: x\r\nCookie: ${cookie}\r\n\r\n`);
  silent.pause();
  using reading = await live(await service.listen(cookie));
  const text = 'y'.repeat(400_000);
  let dropped = false;
  for (let sent = 1; sent <= 60; sent += 1) {
    await app.app.deps.events.append([mine({ data: { text } })]);
    await reading.until(({ told }) => told.length === sent);
  }
  // Bytes already handed to the operating system can still be read; then the stream ends, long before all events.
  let bytes = 0;
  silent.on('data', (chunk) => {
    bytes += chunk.length;
  });
  silent.resume();
  await gone.promise.then(() => {
    dropped = true;
  });
  expect(dropped).toBe(true);
  expect(bytes).toBeLessThan(50 * text.length);
  expect(reading.told).toHaveLength(60);
});

test('65: an eleventh stream of a session is 429 until another is closed', async () => {
  const person = await app.addPerson('viewer');
  const clients = await Promise.all(Array.from({ length: 10 }, () => listen(person.cookie)));
  expect(clients.map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 200));
  const refused = await app.call('GET', proxyPath, { cookie: person.cookie });
  expect([refused.status, refused.body.code]).toEqual([429, 'request.rate_limited']);
  expect(refused.headers.get('retry-after')).not.toBeNull();
  using another = await listen(await app.signIn(person));
  expect(another.status).toBe(200);
  clients[0]?.close();
  await expect
    .poll(async () => {
      using again = await listen(person.cookie);
      return again.status;
    })
    .toBe(200);
  for (const client of clients) client.close();
});
