import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { catalogOf } from '#graphs/catalog.ts';
import { graphOf, noop, testNode } from '#test/graphs/support/graph-fixtures.ts';
import { startOutside, type OutsideServer, type ReceivedRequest } from '#test/support/servers/outside-server.ts';
import { startTestApp, tinyPng, type TestApp } from '#test/support/test-app.ts';
import { verifies } from '#test/support/verifies.ts';
import { addWorkflow } from '#test/support/workflows.ts';

const executions = '/api/service/workflow-executions';
const hold = testNode('hold', async ({ signal }) => {
  await once(signal, 'abort');
  throw signal.reason;
});

let outside: OutsideServer;
let app: TestApp;
let fine: string;
let held: string;
let documentIds: string[];
let heard = Promise.withResolvers<ReceivedRequest>();
beforeAll(async () => {
  outside = await startOutside((request, response) => {
    response.statusCode = 204;
    response.end();
    heard.resolve(request);
  });
  app = await startTestApp({
    // The callback of what was canceled waits for the sweep, half a lease.
    env: { SERVICES: 'api,agents', OUTBOUND_ALLOW: outside.listed, RUN_LEASE_MS: '1000' },
    overrides: { catalog: catalogOf([noop, hold]) },
  });
  fine = await addWorkflow(app, graphOf({ a: 'noop' }, ['START>a', 'a>END']));
  held = await addWorkflow(app, graphOf({ a: 'hold' }, ['START>a', 'a>END']));
  documentIds = [(await app.store(tinyPng, 'image/png')).id, (await app.store(tinyPng, 'image/png')).id];
});
afterAll(async () => {
  await app[Symbol.asyncDispose]();
  await outside[Symbol.asyncDispose]();
});

async function start(workflowId: string, callbackUrl: string) {
  heard = Promise.withResolvers<ReceivedRequest>();
  const body = { workflowId, documentIds, callbackUrl };
  return app.call('POST', executions, { key: app.seed.serviceKey, body });
}

/** As a receiver checks it, with the project's secret. Source: standardwebhooks.com. */
function signatureOf({ headers, body }: ReceivedRequest): string {
  const secret = app.app.deps.webhookSecretOf(app.seed.projectId).replace('whsec_', '');
  const signed = `${String(headers['webhook-id'])}.${String(headers['webhook-timestamp'])}.${body}`;
  return `v1,${createHmac('sha256', Buffer.from(secret, 'base64')).update(signed).digest('base64')}`;
}

describe('The callback of a workflow key', () => {
  verifies('ingest.callback', async () => {
    heard = Promise.withResolvers<ReceivedRequest>();
    const cookie = await app.signIn();
    const create = (more: object) =>
      app.call('POST', '/api/dashboard/keys', { cookie, body: { name: 'Scanner', ...more } });
    const callbackUrl = `${outside.url}/scanned`;
    const made = await create({ kind: 'workflow', workflowId: fine, callbackUrl });
    expect(made).toMatchObject({ status: 201, body: { key: { callbackUrl } } });
    const objectKey = await app.put(tinyPng, 'image/png', made.body.secret);
    const ack = await app.call('POST', '/api/uploads/ack', { key: made.body.secret, body: { objectKey } });
    const request = await heard.promise;
    expect(request.headers['webhook-signature']).toBe(signatureOf(request));
    expect(JSON.parse(request.body).data).toMatchObject({ executionId: ack.body.execution.id, status: 'succeeded' });
    const rotated = await app.call('POST', `/api/dashboard/keys/${made.body.key.id}/rotate`, { cookie, body: {} });
    expect(rotated.body.key.callbackUrl).toBe(callbackUrl);
    const refused = await create({ kind: 'workflow', workflowId: fine, callbackUrl: 'http://10.0.0.1/' });
    expect(refused.body.errors).toMatchObject([{ pointer: '/callbackUrl', code: 'outbound_refused' }]);
    const service = await create({ kind: 'service', callbackUrl });
    expect(service.body.errors).toMatchObject([{ pointer: '/callbackUrl' }]);
  });
});

describe('The callback of an execution', () => {
  test('is signed, comes once when the last run has ended, and finds the results stored', async () => {
    const { status, body } = await start(fine, `${outside.url}/done?x=1`);
    expect(status).toBe(202);
    const request = await heard.promise;
    expect(request).toMatchObject({ method: 'POST', path: '/done?x=1' });
    expect(request.headers['webhook-signature']).toBe(signatureOf(request));
    const told = JSON.parse(request.body);
    expect(told).toMatchObject({ type: 'execution.completed', data: { executionId: body.id, status: 'succeeded' } });
    expect(told.data.counts).toMatchObject({ total: 2, succeeded: 2 });
    const read = await app.call('GET', `${executions}/${body.id}`, { key: app.seed.serviceKey });
    expect(read.body.status).toBe('succeeded');
    await app.app.idle();
    expect(outside.received.filter(({ path }) => path === '/done?x=1')).toHaveLength(1);
  });

  test('comes for what was canceled, too', async () => {
    const { body } = await start(held, `${outside.url}/canceled`);
    await app.call('POST', `${executions}/${body.id}/cancel`, { key: app.seed.serviceKey, body: {} });
    expect(JSON.parse((await heard.promise).body)).toMatchObject({
      data: { executionId: body.id, status: 'canceled' },
    });
  });

  test.each([
    ['http://127.0.0.1:1/', 'a private address that nobody listed'],
    ['http://example.com/', 'an address without encryption'],
    ['https://169.254.169.254/latest', 'the metadata service of a cloud'],
    ['javascript:alert(1)', 'no address at all'],
  ])('%s is refused before anything starts: it is %s', async (callbackUrl) => {
    const { status, body } = await start(fine, callbackUrl);
    expect(status).toBeGreaterThanOrEqual(400);
    expect(status).toBeLessThan(500);
    expect(JSON.stringify(body.errors)).toContain('/callbackUrl');
  });
});
