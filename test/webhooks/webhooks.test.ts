import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { verifyWebhook, WebhookError } from 'inkgraph/client';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { catalogOf } from '#graphs/catalog.ts';
import { serviceWebhooks } from '#src/contracts/webhooks/rows.ts';
import { webhookEvents, webhookLimits } from '#src/contracts/webhooks/webhook.ts';
import { graphOf, noop, testNode } from '#test/graphs/support/graph-fixtures.ts';
import { addNeighbour } from '#test/support/neighbour.ts';
import { startOutside, type OutsideServer, type ReceivedRequest } from '#test/support/servers/outside-server.ts';
import { startTestApp, tinyPng, type TestApp } from '#test/support/test-app.ts';
import { verifies } from '#test/support/verifies.ts';
import { addWorkflow } from '#test/support/workflows.ts';

const base = '/api/service/webhooks';
const fails = testNode('fails', () => Promise.reject(new Error('broken')));

let outside: OutsideServer;
let app: TestApp;
let fine: string;
let broken: string;
let answerWith = 204;
const waiting = new Set<() => void>();
/** Requests to a path, as soon as there are `count`. */
async function requestsTo(path: string, count = 1): Promise<readonly ReceivedRequest[]> {
  for (;;) {
    const found = outside.received.filter((one) => one.path === path);
    if (found.length >= count) return found;
    const { promise, resolve } = Promise.withResolvers<void>();
    waiting.add(resolve);
    await promise;
  }
}

beforeAll(async () => {
  outside = await startOutside((_, response) => {
    response.statusCode = answerWith;
    response.end(answerWith < 300 ? '' : 'Not now.\0');
    for (const wake of waiting) wake();
    waiting.clear();
  });
  app = await startTestApp({
    // The relay sees a new webhook at its sweep, half a lease later at most.
    env: { SERVICES: 'api,agents', OUTBOUND_ALLOW: outside.listed, RUN_LEASE_MS: '1000' },
    overrides: { catalog: catalogOf([noop, fails]) },
  });
  fine = await addWorkflow(app, graphOf({ a: 'noop' }, ['START>a', 'a>END']));
  broken = await addWorkflow(app, graphOf({ a: 'fails' }, ['START>a', 'a>END']));
});
afterAll(async () => {
  await app[Symbol.asyncDispose]();
  await outside[Symbol.asyncDispose]();
});
beforeEach(() => {
  answerWith = 204;
});

const ask = (method: string, path: string, body?: object, key = app.seed.agentKey) =>
  app.call(method, `${base}${path}`, { key, ...(body !== undefined && { body }) });

async function subscribe(path: string, events: readonly string[], more: object = {}) {
  const { status, body } = await ask('POST', '', { url: `${outside.url}${path}`, events, ...more });
  expect(status).toBe(201);
  return { id: body.webhook.id as string, secret: body.secret as string, webhook: body.webhook };
}

async function run(workflowId: string): Promise<string> {
  const { id } = await app.store(tinyPng, 'image/png');
  const body = { workflowId, documentIds: [id] };
  await app.call('POST', '/api/service/workflow-executions', { key: app.seed.serviceKey, body });
  return id;
}

const headersOf = ({ headers }: ReceivedRequest): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
const removeAll = async (): Promise<void> => {
  const { body } = await ask('GET', '');
  for (const { id } of body.webhooks) await ask('DELETE', `/${id}`);
};

describe('webhooks of a project', () => {
  verifies('webhooks.subscribe', async () => {
    const { id, secret, webhook } = await subscribe('/a', ['run.completed'], { description: 'Orders' });
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(webhook).toMatchObject({ enabled: true, description: 'Orders', events: ['run.completed'] });
    const listed = await ask('GET', '');
    expect(listed.body.webhooks).toMatchObject([{ id, url: `${outside.url}/a` }]);
    expect(JSON.stringify(listed.body)).not.toContain('whsec_');
    const changed = await ask('PATCH', `/${id}`, { events: ['run.failed'], enabled: false });
    expect(changed.body.webhook).toMatchObject({ events: ['run.failed'], enabled: false, disabledReason: 'request' });
    expect((await ask('PATCH', `/${id}`, { events: ['no.such'] })).status).toBe(400);
    // Neither a key without the scope, nor a member who is no admin, nor a neighbour.
    expect((await ask('GET', '', undefined, app.seed.serviceKey)).status).toBe(403);
    const { cookie } = await app.addPerson('editor');
    expect((await app.call('GET', '/api/dashboard/webhooks', { cookie })).status).toBe(403);
    const admin = await app.signIn();
    expect((await app.call('GET', '/api/dashboard/webhooks', { cookie: admin })).body.webhooks).toHaveLength(1);
    const other = await addNeighbour(app, 'project');
    for (const { method, path } of Object.values(serviceWebhooks)) {
      if (!path.includes(':')) continue;
      const asked = path.replace(base, '').replace(':webhookId', id).replace(':deliveryId', 'dlv_x');
      const { status } = await ask(
        method,
        asked,
        method === 'GET' || method === 'DELETE' ? undefined : {},
        other.agentKey,
      );
      expect([path, status]).toEqual([path, 404]);
    }
    await Promise.all(
      Array.from({ length: webhookLimits.ofProject - 1 }, (_, at) => subscribe(`/full/${at}`, ['run.failed'])),
    );
    const tooMany = await ask('POST', '', { url: `${outside.url}/b`, events: ['run.failed'] });
    expect([tooMany.status, tooMany.body.code]).toEqual([409, 'webhook.too_many']);
    expect((await ask('DELETE', `/${id}`)).body).toEqual({ id, deleted: true });
    expect((await ask('PATCH', `/${id}`, {})).status).toBe(404);
    await removeAll();
  });

  verifies('webhooks.address', async () => {
    const { id } = await subscribe('/kept', ['run.failed']);
    for (const url of ['http://example.com/', 'https://169.254.169.254/', 'https://10.0.0.1/', 'javascript:alert(1)']) {
      const added = await ask('POST', '', { url, events: ['run.failed'] });
      expect([url, added.status, added.body.code]).toEqual([url, 422, 'webhook.url']);
      expect([url, (await ask('PATCH', `/${id}`, { url })).status]).toEqual([url, 422]);
    }
    await removeAll();
  });
});

describe('deliveries', () => {
  verifies('webhooks.events', async () => {
    const { id } = await subscribe('/all', webhookEvents);
    const off = await subscribe('/off', webhookEvents, { enabled: false });
    const failures = await subscribe('/failures', ['run.failed']);
    const other = await addNeighbour(app, 'project');
    const theirs = { url: `${outside.url}/theirs`, events: webhookEvents };
    expect((await ask('POST', '', theirs, other.agentKey)).status).toBe(201);
    const documentId = await run(fine);
    await run(broken);
    const failed = JSON.parse((await requestsTo('/failures'))[0]?.body ?? '');
    expect(failed).toMatchObject({ type: 'run.failed', data: { status: 'failed', workflowId: broken } });
    await requestsTo('/all', 7);
    await app.app.idle();
    const all = (await requestsTo('/all')).map(({ body }) => JSON.parse(body));
    const types = all.map(({ type }) => type);
    // The store announces, then the run begins and ends; and so again for the run that fails.
    const of = (type: string) => types.filter((one) => one === type).length;
    expect([of('document.created'), of('run.created'), of('run.completed'), of('run.failed')]).toEqual([2, 2, 2, 1]);
    const completed = all.find(({ type, data }) => type === 'run.completed' && data.documentId === documentId);
    expect(completed.data).toMatchObject({
      projectId: app.seed.projectId,
      status: 'succeeded',
      links: { document: expect.stringMatching(new RegExp(`^http.*/api/service/documents/${documentId}$`)) },
    });
    const link = new URL(completed.data.links.run).pathname;
    expect((await app.call('GET', link, { key: app.seed.serviceKey })).status).toBe(200);
    expect(outside.received.filter(({ path }) => path === '/off' || path === '/theirs')).toEqual([]);
    const ids = (await requestsTo('/all')).map(({ headers }) => headers['webhook-id']);
    expect(new Set(ids).size).toBe(ids.length);
    for (const one of [id, off.id, failures.id]) await ask('DELETE', `/${one}`);
  });

  verifies('webhooks.receiver', async () => {
    const { id, secret } = await subscribe('/receiver', ['document.created']);
    // As docs/guide/webhooks.md has it.
    const heard = Promise.withResolvers<{ type: string; data: any }>();
    const server: Server = createServer((request, response) => {
      void buffer(request)
        .then((body) => verifyWebhook(request.headers, body, secret))
        .then((event) => {
          heard.resolve(event as never);
          response.writeHead(204).end();
        })
        .catch((error: unknown) => response.writeHead(error instanceof WebhookError ? 400 : 500).end());
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const send = (body: string, headers: Record<string, string>) =>
      fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`, { method: 'POST', headers, body });
    const { id: documentId } = await app.store(tinyPng, 'image/png');
    const [request] = await requestsTo('/receiver');
    if (request === undefined) throw new Error('nothing came');
    const headers = Object.fromEntries(
      Object.entries(headersOf(request)).filter(([name]) => name.startsWith('webhook-')),
    );
    expect((await send(request.body, headers)).status).toBe(204);
    expect(await heard.promise).toMatchObject({ type: 'document.created', data: { documentId } });
    expect((await send(request.body.replace(documentId, 'doc_other'), headers)).status).toBe(400);
    expect((await send(request.body, { ...headers, 'webhook-id': 'dlv_other' })).status).toBe(400);
    server.close();
    await ask('DELETE', `/${id}`);
  });

  verifies('webhooks.rotate', async () => {
    const { id, secret } = await subscribe('/rotated', ['run.failed']);
    const rotated = await ask('POST', `/${id}/rotate?overlapHours=1`, {});
    expect(rotated.status).toBe(201);
    expect(rotated.body.webhook.previousSecretUntil).not.toBeNull();
    expect(rotated.body.secret).not.toBe(secret);
    await ask('POST', `/${id}/test`, {});
    const [both] = await requestsTo('/rotated');
    if (both === undefined) throw new Error('nothing came');
    for (const one of [secret, rotated.body.secret])
      expect(await verifyWebhook(headersOf(both), both.body, one)).toMatchObject({ type: 'ping' });
    const again = await ask('POST', `/${id}/rotate?overlapHours=0`, {});
    await ask('POST', `/${id}/test`, {});
    const last = (await requestsTo('/rotated', 2))[1];
    if (last === undefined) throw new Error('nothing came');
    await expect(verifyWebhook(headersOf(last), last.body, rotated.body.secret)).rejects.toThrow(WebhookError);
    expect(await verifyWebhook(headersOf(last), last.body, again.body.secret)).toMatchObject({ type: 'ping' });
    await ask('DELETE', `/${id}`);
  });

  verifies('webhooks.log', async () => {
    const { id } = await subscribe('/log', ['run.failed'], { enabled: false });
    answerWith = 500;
    const sent = await ask('POST', `/${id}/test`, {});
    expect([sent.status, sent.body.delivery.status]).toEqual([202, 'pending']);
    await requestsTo('/log');
    await app.app.idle();
    const [failed] = (await ask('GET', `/${id}/deliveries?status=pending`)).body.deliveries;
    expect(failed).toMatchObject({ type: 'ping', attempts: 1, responseStatus: 500, responseText: 'Not now.' });
    expect(failed.error).toContain('500');
    expect(Date.parse(failed.nextAttemptAt)).toBeGreaterThan(Date.now());
    const redeliver = `/${id}/deliveries/${failed.id}/redeliver`;
    expect((await ask('POST', redeliver, {})).body.code).toBe('webhook.disabled');
    await ask('PATCH', `/${id}`, { enabled: true });
    answerWith = 200;
    expect((await ask('POST', redeliver, {})).status).toBe(202);
    const requests = await requestsTo('/log', 2);
    expect(new Set(requests.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    await app.app.idle();
    await ask('POST', `/${id}/test`, {});
    await requestsTo('/log', 3);
    await app.app.idle();
    const first = await ask('GET', `/${id}/deliveries?status=delivered&limit=1`);
    expect(first.body.deliveries).toHaveLength(1);
    const next = await ask('GET', `/${id}/deliveries?status=delivered&limit=1&cursor=${first.body.nextCursor}`);
    expect(next.body).toMatchObject({ deliveries: [{ id: failed.id, status: 'delivered' }], nextCursor: null });
    await ask('DELETE', `/${id}`);
  });

  verifies('webhooks.disabled', async () => {
    const { webhooks, audit } = app.app.deps;
    const { organizationId } = app.seed;
    const disabledBy = async (path: string, status: number, failingSince: Date | null) => {
      const { id } = await subscribe(path, ['run.failed']);
      if (failingSince !== null) await webhooks.change(organizationId, id, { failingSince });
      answerWith = status;
      await ask('POST', `/${id}/test`, {});
      await requestsTo(path);
      await app.app.idle();
      const now = await webhooks.find(organizationId, id);
      await ask('DELETE', `/${id}`);
      return { id, enabled: now?.enabled, reason: now?.disabledReason ?? null };
    };
    const ago = (days: number) => new Date(Date.now() - days * 86_400_000);
    const young = await disabledBy('/young', 500, ago(webhookLimits.failureDays - 1));
    expect(young).toMatchObject({ enabled: true, reason: null });
    const failing = await disabledBy('/failing', 500, ago(webhookLimits.failureDays + 1));
    expect(failing).toMatchObject({ enabled: false, reason: 'failing' });
    const gone = await disabledBy('/gone', 410, null);
    expect(gone).toMatchObject({ enabled: false, reason: 'gone' });
    const records = await audit.list(organizationId, { action: 'webhook.disable' }, null, 10);
    expect(records.map(({ target, actor }) => [target, actor])).toEqual([
      [gone.id, 'system'],
      [failing.id, 'system'],
    ]);
  });

  test('an unchanged webhook that works is not written', async () => {
    const { id } = await subscribe('/quiet', ['run.failed']);
    await ask('POST', `/${id}/test`, {});
    await requestsTo('/quiet');
    await app.app.idle();
    expect(await app.app.deps.webhooks.find(app.seed.organizationId, id)).toMatchObject({ failingSince: null });
    await ask('DELETE', `/${id}`);
  });
});
