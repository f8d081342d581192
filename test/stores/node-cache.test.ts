import { afterAll, beforeAll, describe, expect, test } from 'vitest';
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

describe('Outcomes that arrive together', () => {
  const ofC = { organizationId: 'org_c', projectId: 'prj_c', documentId: 'doc_c' };
  const rows = () => database.collections.nodeCache.find({ organizationId: 'org_c' }).sort({ _id: 1 }).toArray();

  test('share a row, whose first one older programs read, and are found before they are written', async () => {
    const cache = createNodeCache(database.collections, logger);
    for (const key of ['k1', 'k2', 'k3']) cache.put(ofC, key, outcome({ key }));
    expect(await cache.get('org_c', 'prj_c', 'k2')).toEqual(outcome({ key: 'k2' }));
    await cache.idle();
    const stored = await rows();
    expect(stored.map(({ _id, others = [] }) => [_id, ...others.map(({ id }) => id)])).toEqual([
      ['prj_c:k1', 'prj_c:k2', 'prj_c:k3'],
    ]);
    expect(JSON.parse(stored[0]?.outcome ?? '')).toEqual(outcome({ key: 'k1' }));
    const another = createNodeCache(database.collections, logger);
    for (const key of ['k1', 'k2', 'k3']) expect(await another.get('org_c', 'prj_c', key)).toEqual(outcome({ key }));
    for (const [organizationId, projectId] of [
      ['org_a', 'prj_c'],
      ['org_c', 'prj_a'],
    ] as const)
      expect(await another.get(organizationId, projectId, 'k2')).toBeNull();
  });

  test('of a later run count, whichever row they are in', async () => {
    // Its row is newer, as it is kept longer.
    const cache = createNodeCache(database.collections, logger, { days: 31 });
    cache.put(ofC, 'k3', outcome({ key: 'later' }));
    await cache.idle();
    expect(await cache.get('org_c', 'prj_c', 'k3')).toEqual(outcome({ key: 'later' }));
  });

  test('of experiments, of other documents and over 64 KiB have rows of their own', async () => {
    await database.collections.nodeCache.deleteMany({ organizationId: 'org_c' });
    const cache = createNodeCache(database.collections, logger);
    const large = outcome({ text: 'x'.repeat(40_000) });
    cache.put(ofC, 'a1', large);
    cache.put(ofC, 'x:b1', outcome({}));
    cache.put(ofC, 'a2', large);
    cache.put({ ...ofC, documentId: 'doc_d' }, 'a3', outcome({}));
    cache.put(ofC, 'x:b2', outcome({}));
    await cache.idle();
    expect((await rows()).map(({ _id, others = [] }) => [_id, ...others.map(({ id }) => id)])).toEqual([
      ['prj_c:a1'],
      ['prj_c:a2'],
      ['prj_c:a3'],
      ['prj_c:x:b1', 'prj_c:x:b2'],
    ]);
    expect(await cache.get('org_c', 'prj_c', 'a2')).toEqual(large);
  });
});

test('a row of an earlier release is read', async () => {
  const of = { organizationId: 'org_e', documentId: 'doc_e', forgetAt: new Date(8e12) };
  await database.collections.nodeCache.insertOne({ _id: 'prj_e:old', ...of, outcome: JSON.stringify(outcome({})) });
  const cache = createNodeCache(database.collections, logger);
  expect(await cache.get('org_e', 'prj_e', 'old')).toEqual(outcome({}));
});
