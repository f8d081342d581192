import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { compose } from '#app/compose.ts';
import { loadConfig } from '#src/config/config.ts';
import { LogBook } from '#test/mcp/listener.ts';
import { startTestApp, tinyPng } from '#test/support/test-app.ts';

test('when the process that runs the embedded database ends, another one on the folder takes it over, and a third goes on', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'inkgraph-'));
  try {
    const first = await startTestApp({ dataDir });
    const log = new LogBook();
    await using second = await startTestApp({ dataDir, overrides: { logger: log } });
    await using third = await startTestApp({ dataDir, env: { SERVICES: 'api' }, overrides: { logger: log } });
    await first.store(tinyPng, 'image/png');
    await first[Symbol.asyncDispose]();
    for (const app of [second, third]) {
      await expect.poll(async () => (await app.call('GET', '/readyz')).status, { timeout: 10_000 }).toBe(200);
      const { id } = await app.store(tinyPng, 'image/png');
      const read = await app.call('GET', `/api/service/documents/${id}`, { key: app.seed.serviceKey });
      expect(read.status).toBe(200);
    }
    expect(log.lines.filter(({ message }) => message.includes('this process runs it now'))).toHaveLength(1);
    const died = Promise.race([second.app.failed, third.app.failed, Promise.resolve(null)]);
    expect(await died).toBeNull();
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
});

test('a process that only connects ends with its host', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'inkgraph-'));
  try {
    const host = await startTestApp({ dataDir });
    const config = loadConfig({ DATA_DIR: dataDir });
    await using visitor = await compose({ ...config, services: new Set() }, { logger: new LogBook() });
    await host[Symbol.asyncDispose]();
    expect((await visitor.failed).message).toContain('start this process again');
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
});
