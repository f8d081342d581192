import { afterAll, beforeAll, expect, test } from 'vitest';
import { createNodeCache } from '#src/stores/node-cache.ts';
import { createPinoLogger } from '#src/adapters/logger/pino-logger.ts';
import type { Logger } from '#src/domain/ports/logger.ts';
import { testDatabase, type TestDatabase } from '#test/support/database.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.close());

const logger = createPinoLogger('silent');
const place = { organizationId: 'org_a', projectId: 'prj_a', documentId: 'doc_a' };
const outcome = (update: Record<string, unknown>) => ({ update, modelLabel: null, usage: null, runId: 'run_a' });

test('an outcome comes back as it was put, in its own project only', async () => {
  const cache = createNodeCache(database.collections, logger);
  const kept = {
    update: { ocr: { 'a.b': 1, $c: [0.5, null], '': 'ü' } },
    modelLabel: 'tesseract.js/7.0.0',
    usage: { provider: 'local', model: 'm', ms: 3 },
    runId: 'run_a',
  };
  cache.put(place, 'key', outcome({}));
  cache.put(place, 'key', kept);
  await cache.idle();
  expect(await cache.get('org_a', 'prj_a', 'key')).toEqual(kept);
  const others = [
    cache.get('org_b', 'prj_a', 'key'),
    cache.get('org_a', 'prj_b', 'key'),
    cache.get('org_a', 'prj_a', 'x'),
  ];
  expect(await Promise.all(others)).toEqual([null, null, null]);
});

test('an entry goes with its document, and after 30 days', async () => {
  const cache = createNodeCache(database.collections, logger);
  cache.put({ ...place, documentId: 'doc_b' }, 'of b', outcome({}));
  await cache.idle();
  const row = await database.collections.nodeCache.findOne({ organizationId: 'org_a', documentId: 'doc_b' });
  expect(row?._id).toBe('prj_a:of b');
  expect(((row?.forgetAt.getTime() ?? 0) - Date.now()) / 86_400_000).toBeCloseTo(30, 2);
  const indexes = await database.collections.nodeCache.indexes();
  expect(indexes).toContainEqual(expect.objectContaining({ key: { forgetAt: 1 }, expireAfterSeconds: 0 }));
});

test('an outcome over 64 KiB is not kept', async () => {
  const cache = createNodeCache(database.collections, logger);
  cache.put(place, 'large', outcome({ text: 'ü'.repeat(33_000) }));
  cache.put(place, 'small', outcome({ text: 'ü'.repeat(32_000) }));
  await cache.idle();
  expect(await cache.get('org_a', 'prj_a', 'large')).toBeNull();
  expect(await cache.get('org_a', 'prj_a', 'small')).not.toBeNull();
});

test('a write that fails is a line in the log and nobody else notices', async () => {
  const lines: string[] = [];
  const told: Logger = { ...logger, warn: (_fields, message) => void lines.push(message) };
  const { client, collections } = database.connect();
  await client.close();
  const cache = createNodeCache(collections, told);
  cache.put(place, 'lost', outcome({}));
  await cache.idle();
  await expect.poll(() => lines).toEqual(['outcome of a node could not be cached']);
});
