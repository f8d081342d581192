import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, describe, expect, vi } from 'vitest';
import { ingestion } from '#src/contracts/ingestion.ts';
import { serviceWebhooks } from '#src/contracts/webhooks/rows.ts';
import { serviceResults } from '#src/contracts/results/service-rows.ts';
import type { Route } from '#src/contracts/route.ts';
import { service } from '#src/contracts/service.ts';
import { hashKey, newKeySecret } from '#src/domain/access/api-key.ts';
import { issueKey, revokeKey, rotateKey, type NewKey } from '#tools/keys/issue-key.ts';
import { keysCommand } from '#test/spec/support/keys-command.ts';
import { addNeighbour } from '#test/support/neighbour.ts';
import { createProbe } from '#test/spec/support/probe.ts';
import { problemOf, replyOf } from '#test/spec/support/replies.ts';
import { sharedApp, type Client } from '#test/spec/support/shared-app.ts';
import { tinyPng } from '#test/support/test-app.ts';
import { verifies } from '#test/support/verifies.ts';

const probe = createProbe();
const app = await sharedApp({ overrides: { catalog: probe.catalog } });
const { seed } = app;
const { deps } = app.app;
const { organizationId, projectId } = seed;
const { echo } = await probe.publish(app);

const issue = (more: Partial<NewKey> = {}) =>
  issueKey(deps, { organizationId, projectId, createdBy: 'test', kind: 'service', name: 'Test', ...more });
const tiny = { contentType: 'image/png', size: tinyPng.length };
const workflowsBy = (key?: string) => app.client(key).get('/api/service/workflows');
const presignBy = (key?: string) => app.client(key).post('/api/uploads/presign', tiny);
const hours = (count: number): number => count * 3_600_000;

/** Each address of a family, with something in the place of ids. */
function addressesOf(...families: readonly object[]) {
  const rows = families.flatMap((family) => Object.values(family) as Route[]);
  return rows.map((row) => ({
    row,
    ask: (by: Client) => {
      const path = row.path.replace(':id', 'doc_0000000000000000000000').replace(':page', '0');
      return by.ask(row.method, path, row.method === 'GET' ? undefined : {});
    },
  }));
}

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

describe('families of addresses', () => {
  verifies('auth.ingestion', async () => {
    const rows = addressesOf(ingestion);
    expect(rows.map(({ row }) => row.path)).toEqual(['/api/uploads/presign', '/api/uploads/ack', '/api/uploads/:id']);
    for (const { row, ask } of rows) {
      problemOf(await ask(app.client()), 'auth.unauthorized');
      problemOf(await ask(app.uploader), row.method === 'GET' ? 'document.not_found' : 'request.invalid');
    }
    expect((await presignBy(seed.workflowKey)).status).toBe(200);
  });

  verifies('auth.service', async () => {
    const rows = addressesOf(service, serviceResults);
    expect(rows).toHaveLength(30);
    for (const { row, ask } of rows) {
      expect(row.path).toMatch(/^\/api\/service\//);
      problemOf(await ask(app.client()), 'auth.unauthorized');
      expect([200, 400, 404]).toContain((await ask(app.service)).status);
    }
    // These need a scope that the key does not have.
    for (const { ask } of addressesOf(serviceWebhooks)) problemOf(await ask(app.client()), 'auth.unauthorized');
    expect((await workflowsBy(seed.serviceKey)).status).toBe(200);
  });

  verifies('auth.family', async () => {
    for (const { ask } of addressesOf(ingestion)) problemOf(await ask(app.service), 'auth.forbidden');
    for (const { ask } of addressesOf(service, serviceResults, serviceWebhooks))
      problemOf(await ask(app.uploader), 'auth.forbidden');
  });

  verifies('auth.header_only', async () => {
    for (const name of ['x-api-key', 'api_key', 'key', 'apiKey'])
      problemOf(await app.client().get(`/api/service/workflows?${name}=${seed.serviceKey}`), 'auth.unauthorized');
    const bearer = await app.client().get('/api/service/workflows', { authorization: `Bearer ${seed.serviceKey}` });
    problemOf(bearer, 'auth.unauthorized');
    const cookie = await app.client().get('/api/service/workflows', { cookie: `x-api-key=${seed.serviceKey}` });
    problemOf(cookie, 'auth.unauthorized');
    const header = await app.client().get('/api/service/workflows', { 'X-API-KEY': seed.serviceKey });
    expect(header.status).toBe(200);
  });
});

describe('what a key reaches', () => {
  verifies('auth.ingestion.scope', async () => {
    const neighbour = await addNeighbour(app, 'project');
    const objectKey = await app.put(tinyPng, 'image/png', neighbour.workflowKey);
    const acked = await app.client(neighbour.workflowKey).post('/api/uploads/ack', { objectKey });
    const { document } = replyOf(ingestion.ack, acked);
    expect(document.projectId).toBe(neighbour.projectId);
    const stored = await (await app.stored()).documents.findOne({ _id: document.id });
    expect(stored).toMatchObject({ organizationId: neighbour.organizationId, projectId: neighbour.projectId });
    expect((await app.client(neighbour.serviceKey).get(`/api/service/documents/${document.id}`)).status).toBe(200);
    problemOf(await app.service.get(`/api/service/documents/${document.id}`), 'document.not_found');
    await app.app.idle();
  });

  verifies('auth.ingestion.binding', async () => {
    const failing = (await probe.publish(app)).failing;
    const documents = [];
    for (const workflowId of [echo, failing]) {
      const { secret } = await issue({ kind: 'workflow', workflowId });
      const objectKey = await app.put(tinyPng, 'image/png', secret);
      documents.push((await app.client(secret).post('/api/uploads/ack', { objectKey })).body.document.id);
    }
    await app.app.idle();
    const { runs } = await app.stored();
    const bound = [];
    for (const documentId of documents) bound.push(await runs.findOne({ documentId }));
    expect(bound).toMatchObject([
      { workflowId: echo, status: 'succeeded' },
      { workflowId: failing, status: 'failed' },
    ]);
  });

  verifies('auth.service.scope', async () => {
    const { id } = await app.store(tinyPng, 'image/png');
    const body = { workflowId: echo, documentIds: [id] };
    const execution = await app.service.post('/api/service/workflow-executions', body);
    expect(execution.status).toBe(202);
    for (const where of ['project', 'organization'] as const) {
      const theirs = await addNeighbour(app, where);
      const stranger = app.client(theirs.serviceKey);
      expect((await stranger.get('/api/service/documents')).body.documents).toEqual([]);
      const { workflows } = (await stranger.get('/api/service/workflows')).body;
      expect(workflows).toMatchObject([{ workflowId: theirs.workflowId }]);
      problemOf(await stranger.get(`/api/service/documents/${id}`), 'document.not_found');
      problemOf(await stranger.get(execution.body.links.self), 'execution.not_found');
      problemOf(await stranger.post('/api/service/workflow-executions', body), 'workflow.not_found');
      const own = { ...body, workflowId: theirs.workflowId };
      problemOf(await stranger.post('/api/service/workflow-executions', own), 'document.not_found');
      const change = { documentIds: [id], visibility: 'public' };
      problemOf(await stranger.post('/api/service/documents/visibility', change), 'document.not_found');
    }
  });

  verifies('auth.device', async () => {
    const { secret, record } = await issue({ deviceId: 'scanner-7' });
    expect((await deps.apiKeys.find(organizationId, record._id))?.deviceId).toBe('scanner-7');
    expect((await workflowsBy(secret)).body).toEqual((await workflowsBy(seed.serviceKey)).body);
    const uploader = await issue({ kind: 'workflow', workflowId: echo, deviceId: 'scanner-8' });
    const objectKey = await app.put(tinyPng, 'image/png', uploader.secret);
    const { body } = await app.client(uploader.secret).post('/api/uploads/ack', { objectKey });
    expect(body.document.apiKeyId).toBe(uploader.record._id);
    const rotated = await rotateKey(deps, organizationId, record._id, { actor: 'test' });
    expect(rotated.record.deviceId).toBe('scanner-7');
  });
});

describe('the life of a key', () => {
  verifies('auth.hash', async () => {
    const { secret } = await issue();
    await workflowsBy(secret);
    const secrets = [secret, seed.serviceKey, seed.workflowKey];
    // Copied by another process: the engine's POSIX lock falls when the process that holds it closes any handle of the file.
    const folder = join(app.dataDir, 'database-copy');
    await promisify(execFile)('cp', ['-r', join(app.dataDir, 'database'), folder]);
    const files = await Promise.all((await readdir(folder)).map((name) => readFile(join(folder, name))));
    const holds = (text: string): boolean => files.some((bytes) => bytes.includes(text));
    for (const one of secrets) {
      expect(holds(hashKey(one))).toBe(true);
      expect(holds(one)).toBe(false);
      // Nor what makes it secret, without its family and check digits.
      expect(holds(one.slice(-34, -6))).toBe(false);
    }
  });

  verifies('auth.each_call', async () => {
    const { secret, record } = await issue();
    for (let call = 0; call < 3; call += 1) expect((await workflowsBy(secret)).status).toBe(200);
    await revokeKey(deps, organizationId, record._id, 'test');
    problemOf(await workflowsBy(secret), 'auth.unauthorized');
  });

  verifies('auth.key.format', async () => {
    const looks = vi.spyOn(deps.apiKeys, 'findByHash');
    const { serviceKey } = seed;
    const swapped = serviceKey.slice(0, 20) + (serviceKey[20] === 'a' ? 'b' : 'a') + serviceKey.slice(21);
    for (const mistyped of [
      swapped,
      serviceKey.slice(0, -1),
      `${serviceKey}0`,
      serviceKey.toUpperCase(),
      'secret',
      ' ',
    ])
      problemOf(await workflowsBy(mistyped), 'auth.unauthorized');
    expect(looks).not.toHaveBeenCalled();
    const unknown = await workflowsBy(newKeySecret('service'));
    problemOf(unknown, 'auth.unauthorized');
    expect(unknown.body.detail).toBe(
      'Send a valid API key in the x-api-key header. `npm run seed` or `npm run keys` prints one.',
    );
    expect(looks).toHaveBeenCalledTimes(1);
    expect(serviceKey).toMatch(/^ink_svc_[0-9A-Za-z]{38}$/);
    expect(seed.workflowKey).toMatch(/^ink_wf_[0-9A-Za-z]{38}$/);
  });

  verifies('auth.key.issue', async () => {
    const issued = JSON.parse(
      await keysCommand(app.dataDir, 'create', '--kind', 'service', '--name', 'From the command line', '--json'),
    );
    expect(replyOf(service.listWorkflows, await workflowsBy(issued.secret)).workflows).not.toEqual([]);
    const listed = await keysCommand(app.dataDir, 'list', '--json');
    expect(listed).toContain(issued.id);
    expect(listed).not.toContain(issued.secret);
    await keysCommand(app.dataDir, 'revoke', issued.id);
    problemOf(await workflowsBy(issued.secret), 'auth.unauthorized');
    const { audit } = await app.stored();
    const actions = await audit.find({ target: issued.id }).sort({ at: 1 }).toArray();
    expect(actions.map(({ actor, action }) => [actor, action])).toEqual([
      ['cli', 'key.issue'],
      ['cli', 'key.revoke'],
    ]);
  });

  verifies('auth.key.rotate', async () => {
    const old = await issue();
    const renewed = await rotateKey(deps, organizationId, old.record._id, { actor: 'test' });
    expect(renewed.secret).not.toBe(old.secret);
    const now = Date.now();
    for (const [ahead, status] of [
      [0, 200],
      [hours(23.9), 200],
      [hours(24.1), 401],
    ] as const) {
      vi.setSystemTime(now + ahead);
      expect((await workflowsBy(old.secret)).status).toBe(status);
      expect((await workflowsBy(renewed.secret)).status).toBe(200);
    }
    vi.useRealTimers();
    await expect(rotateKey(deps, organizationId, old.record._id, { actor: 'test' })).rejects.toThrow('rotated already');
  });
});
