import { createHmac, timingSafeEqual } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createDeliveryStore } from '#src/stores/deliveries.ts';
import { createPinoLogger } from '#src/adapters/logger/pino-logger.ts';
import { createOutbound } from '#src/adapters/outbound/create-outbound.ts';
import { createDeliverySender, type DeliverySenderParts } from '#app/agents/delivery-sender.ts';
import { newId } from '#src/domain/ids.ts';
import { webhookSecret } from '#src/domain/webhooks/sign.ts';
import { testDatabase, type TestDatabase } from '#test/support/database.ts';
import {
  errorOf,
  startOutside,
  type OutsideServer,
  type ReceivedRequest,
} from '#test/support/servers/outside-server.ts';

const key = Buffer.alloc(32, 7);
const minute = 60_000;
const hour = 60 * minute;

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.close());
beforeEach(async () => {
  await database.collections.deliveries.deleteMany({});
});

/** As a receiver of Standard Webhooks checks it, with nothing but the specification and the secret it was told. */
function isGenuine({ headers, body }: ReceivedRequest, secret: string): boolean {
  const signed = `${String(headers['webhook-id'])}.${String(headers['webhook-timestamp'])}.${body}`;
  const expected = createHmac('sha256', Buffer.from(secret.replace(/^whsec_/, ''), 'base64'))
    .update(signed)
    .digest();
  return String(headers['webhook-signature'])
    .split(' ')
    .some((one) => {
      const [version, signature = ''] = one.split(',');
      const given = Buffer.from(signature, 'base64');
      return version === 'v1' && given.length === expected.length && timingSafeEqual(given, expected);
    });
}

/** A sender whose clock stands until a timer is let ring. */
function senderTo(receiver: Pick<OutsideServer, 'listed'>, more: Partial<DeliverySenderParts> = {}) {
  const timers: { at: number; work: () => void }[] = [];
  let now = Date.parse('2026-01-01T00:00:00.500Z');
  const store = createDeliveryStore(database.collections);
  const sender = createDeliverySender({
    deliveries: store,
    outbound: createOutbound({ mode: 'public', allow: [receiver.listed] }),
    secretsOf: (projectId) => [webhookSecret(key, projectId)],
    logger: createPinoLogger('silent'),
    leaseMs: 20_000,
    now: () => new Date(now),
    schedule(ms, work) {
      const one = { at: now + ms, work };
      timers.push(one);
      return () => void timers.splice(timers.indexOf(one), 1);
    },
    ...more,
  });
  return {
    sender,
    store,
    timers,
    now: () => now,
    pass(ms: number) {
      now += ms;
    },
    /** Lets the one timer ring, and answers how long it had been set for. */
    async ring(): Promise<number> {
      const [next, ...others] = timers.splice(0);
      if (next === undefined || others.length > 0) throw new Error(`${others.length} timers besides ${next ? 1 : 0}`);
      const waited = next.at - now;
      now = next.at;
      next.work();
      await sender.idle();
      return waited;
    },
  };
}

function delivery(receiver: Pick<OutsideServer, 'url'>, more: { url?: string; payload?: string } = {}) {
  const place = { organizationId: 'org_a', projectId: 'prj_a' };
  return {
    _id: newId('delivery'),
    ...place,
    url: `${receiver.url}/hook`,
    type: 'run.emitted',
    payload: '{"a":"ü"}',
    ...more,
  };
}

const stored = async (id: string) => database.collections.deliveries.findOne({ _id: id });

test('a webhook arrives once, whole, and signed so that its receiver can tell it from a forged or changed one', async () => {
  await using receiver = await startOutside((_request, response) => response.writeHead(204).end());
  const { sender } = senderTo(receiver);
  const one = delivery(receiver);
  await Promise.all([sender.deliver(one), sender.deliver({ ...one, payload: '{}' })]);
  await sender.idle();
  const [got] = receiver.received;
  expect(receiver.received).toHaveLength(1);
  expect(got).toMatchObject({
    method: 'POST',
    path: '/hook',
    headers: { 'content-type': 'application/json', 'webhook-id': one._id },
  });
  expect(got?.headers['webhook-timestamp']).toBe('1767225600');
  const secret = webhookSecret(key, 'prj_a');
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  const request = got as ReceivedRequest;
  expect(isGenuine(request, secret)).toBe(true);
  expect(isGenuine(request, webhookSecret(key, 'prj_b'))).toBe(false);
  expect(isGenuine({ ...request, body: `${request.body} ` }, secret)).toBe(false);
  expect(isGenuine({ ...request, headers: { ...request.headers, 'webhook-timestamp': '1767225601' } }, secret)).toBe(
    false,
  );
  const row = await stored(one._id);
  expect(row).toMatchObject({ status: 'delivered', attempts: 1, lastError: null });
  expect(row).not.toHaveProperty('dueAt');
});

test('a receiver that fails is tried again after 5 s, 30 s, 2 min, 10 min, 1 h and 6 h under the same id, then given up', async () => {
  await using receiver = await startOutside((_request, response) => response.writeHead(500).end('no'));
  const { sender, ring, timers } = senderTo(receiver);
  const one = delivery(receiver);
  await sender.deliver(one);
  await sender.idle();
  expect(await stored(one._id)).toMatchObject({ status: 'pending', lastError: 'The receiver answered 500.' });
  const waits: number[] = [];
  while (timers.length > 0) waits.push(await ring());
  expect(waits).toEqual([5_000, 30_000, 2 * minute, 10 * minute, hour, 6 * hour]);
  expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id']))).toEqual(new Set([one._id]));
  expect(new Set(receiver.received.map(({ headers }) => headers['webhook-timestamp'])).size).toBe(7);
  const row = await stored(one._id);
  expect(row).toMatchObject({ status: 'failed', attempts: 7 });
  expect(row).not.toHaveProperty('dueAt');
});

test('a receiver that recovers is told, and a redirect is no success', async () => {
  const answers = [302, 503, 200];
  await using receiver = await startOutside((_request, response) => {
    response.writeHead(answers.shift() ?? 500, { location: '/elsewhere' }).end();
  });
  const { sender, ring } = senderTo(receiver);
  const one = delivery(receiver);
  await sender.deliver(one);
  await sender.idle();
  expect(await stored(one._id)).toMatchObject({ lastError: 'The receiver answered 302.' });
  await ring();
  await ring();
  expect(await stored(one._id)).toMatchObject({ status: 'delivered', attempts: 3, lastError: null });
  expect(receiver.received.map(({ path }) => path)).toEqual(['/hook', '/hook', '/hook']);
});

test('a receiver that answers 410 is not tried again', async () => {
  await using receiver = await startOutside((_request, response) => response.writeHead(410).end());
  const { sender, timers } = senderTo(receiver);
  const one = delivery(receiver);
  await sender.deliver(one);
  await sender.idle();
  expect(await stored(one._id)).toMatchObject({
    status: 'failed',
    attempts: 1,
    lastError: 'The receiver answered 410.',
  });
  expect(timers).toEqual([]);
});

test('an address inside the network is refused when it is told, and when it is sent, with a reason and without a try', async () => {
  await using receiver = await startOutside((_request, response) => response.end());
  const { sender, store, timers, now } = senderTo({ listed: 'elsewhere.example' });
  const one = delivery(receiver);
  expect(await errorOf(sender.deliver(one))).toMatch(
    /^outbound\.refused: The webhook's address cannot be called: .*not public/,
  );
  expect(await stored(one._id)).toBeNull();
  // Stored under another list of the operator, or by a name that leads inside.
  const at = new Date(now());
  await store.add({ ...one, attempts: 0, status: 'pending', lastError: null, createdAt: at, dueAt: at });
  sender.sweep();
  await sender.idle();
  expect(await stored(one._id)).toMatchObject({
    status: 'failed',
    attempts: 1,
    lastError: expect.stringContaining('it leads to an address that is not public'),
  });
  expect([timers.length, receiver.connections()]).toEqual([0, 0]);
});

test('what a process had claimed when it died is sent again under the same id, after its lease and not before', async () => {
  await using receiver = await startOutside((_request, response) => response.end());
  const dead = createDeliveryStore(database.connect().collections);
  const { sender, store, now, pass } = senderTo(receiver);
  const one = delivery(receiver);
  const at = new Date(now());
  await store.add({ ...one, attempts: 0, status: 'pending', lastError: null, createdAt: at, dueAt: at });
  expect(await dead.claim(20_000, at)).toMatchObject({ _id: one._id, attempts: 1 });
  pass(19_999);
  sender.sweep();
  await sender.idle();
  expect(receiver.received).toEqual([]);
  pass(1);
  sender.sweep();
  await sender.idle();
  expect(receiver.received.map(({ headers }) => headers['webhook-id'])).toEqual([one._id]);
  expect(await stored(one._id)).toMatchObject({ status: 'delivered', attempts: 2 });
  // The dead one was only slow: what is over stays over.
  await dead.settle(one._id, { delivered: false, error: 'late', retryAt: at });
  expect(await stored(one._id)).toMatchObject({ status: 'delivered', lastError: null });
});

test('one receiver that hangs does not hold the others up, and a stop leaves it due', async () => {
  const hanging = Promise.withResolvers<void>();
  await using slow = await startOutside(() => hanging.resolve());
  await using quick = await startOutside((_request, response) => response.end());
  const outbound = createOutbound({ mode: 'public', allow: [slow.listed, quick.listed] });
  const { sender, now } = senderTo(slow, { outbound });
  const stuck = delivery(slow);
  await sender.deliver(stuck);
  await hanging.promise;
  const others = Array.from({ length: 30 }, () => delivery(quick));
  await Promise.all(others.map((one) => sender.deliver(one)));
  const deliveredCount = () => database.collections.deliveries.countDocuments({ status: 'delivered' });
  await expect.poll(deliveredCount).toBe(30);
  await sender.stop();
  expect(await stored(stuck._id)).toMatchObject({ status: 'pending', dueAt: new Date(now()) });
  expect(quick.received).toHaveLength(30);
  sender.push();
  await sender.idle();
  expect(slow.received).toHaveLength(1);
});

test('one sweep takes up everything that is due, also when the first receiver hangs', async () => {
  await using slow = await startOutside(() => undefined);
  await using quick = await startOutside((_request, response) => response.end());
  const outbound = createOutbound({ mode: 'public', allow: [slow.listed, quick.listed] });
  const { sender, store, now } = senderTo(slow, { outbound });
  for (const [place, one] of [delivery(slow), delivery(quick), delivery(quick)].entries()) {
    const at = new Date(now() - 10 + place);
    await store.add({ ...one, attempts: 0, status: 'pending', lastError: null, createdAt: at, dueAt: at });
  }
  sender.sweep();
  const delivered = () => database.collections.deliveries.countDocuments({ status: 'delivered' });
  await expect.poll(delivered).toBe(2);
  await sender.stop();
});

test('a database that does not answer leaves everything to the next sweep', async () => {
  await using receiver = await startOutside((_request, response) => response.end());
  const store = createDeliveryStore(database.collections);
  let broken = true;
  const { sender } = senderTo(receiver, {
    deliveries: {
      ...store,
      claim: (leaseMs, at) => (broken ? Promise.reject(new Error('connection lost')) : store.claim(leaseMs, at)),
    },
  });
  const one = delivery(receiver);
  await sender.deliver(one);
  await sender.idle();
  expect(receiver.received).toEqual([]);
  broken = false;
  sender.sweep();
  await sender.idle();
  expect(await stored(one._id)).toMatchObject({ status: 'delivered' });
});

test('while the key rotates, receivers with the old secret and with the new one accept a webhook', async () => {
  await using receiver = await startOutside((_request, response) => response.writeHead(204).end());
  const [old, fresh] = ['old', 'new'].map((name) => webhookSecret(Buffer.from(name), 'prj_a')) as [string, string];
  const { sender } = senderTo(receiver, { secretsOf: () => [fresh, old] });
  await sender.deliver(delivery(receiver));
  await sender.idle();
  const [request] = receiver.received;
  if (request === undefined) throw new Error('nothing arrived');
  expect([old, fresh].map((secret) => isGenuine(request, secret))).toEqual([true, true]);
  expect(isGenuine(request, webhookSecret(Buffer.from('other'), 'prj_a'))).toBe(false);
});
