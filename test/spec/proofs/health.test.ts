import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { Health } from '#src/contracts/resources/health.ts';
import { version } from '#src/config/version.ts';
import { sharedApp } from '#test/spec/support/shared-app.ts';
import { verifies } from '#test/support/verifies.ts';

const app = await sharedApp({ env: { SERVICES: 'api,agents,mcp', DRAIN_SECONDS: '0' } });
const { addresses, dataDir, seed } = app;
const names = ['api', 'agents', 'mcp'] as const;
type Name = (typeof names)[number];
const health = (name: Name) => app.call('GET', `${addresses[name]}/health`);

async function answers(name: Name): Promise<void> {
  const { status, body } = await health(name);
  expect([status, body.status, body.service]).toEqual([200, 'ok', name]);
}

describe('health', () => {
  verifies('flow.addresses', async () => {
    expect(new Set(names.map((name) => new URL(addresses[name]).host)).size).toBe(3);
    for (const name of names) expect((await health(name)).body.service).toBe(name);
    const status = async (name: Name) => (await app.call('GET', `${addresses[name]}/api/service/workflows`)).status;
    expect([await status('api'), await status('agents'), await status('mcp')]).toEqual([401, 404, 404]);
  });

  verifies('health.api', () => answers('api'));

  verifies('health.agents', () => answers('agents'));

  verifies('health.mcp', () => answers('mcp'));

  verifies('health.body', async () => {
    for (const name of names) {
      const { body, headers } = await health(name);
      expect(headers.get('content-type')).toMatch(/^application\/json/);
      expect(Health.parse(body)).toEqual(body);
      expect(body).toMatchObject({
        status: 'ok',
        service: name,
        version,
        instanceId: expect.stringMatching(/^ins_\w{22}$/),
        checks: {
          database: { status: 'ok' },
          objects: { status: 'ok' },
          storage: {
            status: 'ok',
            bytes: 0,
            objects: 0,
            freeBytes: expect.any(Number),
            minFreeBytes: expect.any(Number),
          },
          queue: { status: 'ok', depth: 0, oldestSeconds: 0 },
          search: { status: 'ok' },
          models: { status: 'ok', ...app.app.deps.modelLabels },
        },
      });
      expect(body.uptimeSeconds).toBeGreaterThanOrEqual(0);
    }
    expect(app.app.deps.modelLabels).toMatchObject({ describer: 'local/heuristic-3' });
  });

  verifies('health.no_key', async () => {
    for (const name of names) {
      const { status, body } = await health(name);
      expect(status).toBe(200);
      const text = JSON.stringify(body);
      for (const hidden of [seed.serviceKey, seed.workflowKey, dataDir, 'mongodb:', '127.0.0.1', seed.organizationId])
        expect(text).not.toContain(hidden);
    }
  });

  verifies('health.down', async () => {
    const objects = join(dataDir, 'objects');
    const statuses = async () => Promise.all(names.map(async (name) => (await health(name)).status));
    await rename(objects, `${objects}.away`);
    try {
      // An answer may be a second old.
      await expect.poll(statuses, { timeout: 10_000 }).toEqual([503, 503, 503]);
      const { body } = await health('api');
      expect(Health.parse(body)).toMatchObject({ status: 'error', checks: { objects: { status: 'error' } } });
      expect(JSON.stringify(body)).not.toContain(dataDir);
    } finally {
      await rename(`${objects}.away`, objects);
    }
    await expect.poll(statuses, { timeout: 10_000 }).toEqual([200, 200, 200]);
  });

  verifies('health.stopping', async () => {
    const ask = (path: string) =>
      Promise.all(names.map(async (name) => (await app.call('GET', `${addresses[name]}${path}`)).status));
    expect(await ask('/readyz')).toEqual([200, 200, 200]);
    // Must stay the last test of this file.
    await app.app.drain();
    expect(await ask('/readyz')).toEqual([503, 503, 503]);
    expect(await ask('/livez')).toEqual([200, 200, 200]);
    const served = await app.call('GET', '/api/service/workflows', { key: seed.serviceKey });
    expect([served.status, served.headers.get('connection')]).toEqual([200, 'close']);
  });
});
