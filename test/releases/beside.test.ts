import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openOnWarmThread } from '#embedded-test/engine.ts';
import { keptSecret, putBack, readKept, rowsOf, type Kept } from '#scripts/fixtures/releases/keep.ts';
import { live, untilRead } from '#scripts/fixtures/releases/life.ts';
import { connectDatabase } from '#src/stores/connect.ts';
import { programSchema } from '#src/stores/migrate.ts';
import { readSchema } from '#src/stores/schema.ts';
import { shapeOf, unreadable } from '#test/releases/shapes.ts';
import { eventsIn } from '#test/support/stored.ts';
import { collectionsOf } from '#src/stores/collections.ts';
import { temporaryFolder } from '#test/support/objects.ts';
import { startTestApp } from '#test/support/test-app.ts';
import { verifies } from '#test/support/verifies.ts';

/** An installation as 0.2.0 left it; `node scripts/fixtures/releases/keep.ts <commit> <file>` makes that of the next release. */
const file = new URL('0.2.0.json.gz', import.meta.url);

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let engine: Awaited<ReturnType<typeof openOnWarmThread>>;
let kept: Kept;
beforeAll(async () => {
  folder = await temporaryFolder();
  engine = await openOnWarmThread({ dataDir: folder.path });
  kept = await readKept(file);
});
afterAll(async () => {
  await engine.close();
  await folder.remove();
});

/** A database of its own on the engine, as a server that several processes share, and a data folder. */
async function installation(name: string) {
  const uri = new URL(engine.uri);
  uri.pathname = `/${name}`;
  const database = connectDatabase(uri.href);
  return {
    // Links to the dashboard are part of stored replies.
    env: { MONGODB_URI: uri.href, INSTALLATION_SECRET: keptSecret, WEB: 'on' },
    db: database.db,
    dataDir: await mkdtemp(join(folder.path, 'data-')),
    [Symbol.asyncDispose]: () => database.close(),
  };
}

/** Differences that no reader of the release before minds, with the reason. */
const harmless: ReadonlySet<string> = new Set([
  // Written at the second use of a key, which a short life may not come to.
  'apiKeys has null at lastUsedAt, which was date',
  // A text that the record type allows there; the release before did not find it on this receipt.
  'records has string at values.currency, which was null',
  'runs has object at outputs.fields.currency.evidence, which was null',
  'runs has string at outputs.fields.currency.value, which was null',
]);

describe('Beside the release before', () => {
  verifies('processes.release_before.reads', async () => {
    await using place = await installation('before');
    await putBack(kept, place.db, place.dataDir);
    const { seed, left, unread } = kept;
    await using app = await startTestApp({ env: place.env, dataDir: place.dataDir });
    expect(app.seed.organizationId).toBe(seed.organizationId);
    const alive = { api: app.addresses.api, seed };
    const get = (path: string, key = seed.agentKey) => app.call('GET', path, { key });
    // Acknowledged before anybody could read it.
    expect(await untilRead(alive, unread)).toBe('succeeded');
    const document = await get(`/api/service/documents/${left.documentId}`);
    expect(document.body).toMatchObject({ title: 'A receipt of an earlier release', tags: ['kept'] });
    const text = await get(`/api/service/documents/${left.documentId}/text?format=text`);
    expect(text.body).toContain('PEPPERCORN');
    const found = await get('/api/service/search?query=peppercorn');
    expect(JSON.stringify(found.body)).toContain(left.documentId);
    const { body } = await get('/api/service/records?recordType=receipt');
    expect(body.records).toMatchObject([{ recordId: left.recordId, cells: { total: { value: { amount: 12.5 } } } }]);
    const answered = await app.call('POST', `/api/service/runs/${left.waiting.runId}/resume`, {
      key: seed.agentKey,
      body: { path: left.waiting.path, answer: 'letter' },
    });
    expect(answered.status, JSON.stringify(answered.body)).toBeLessThan(300);
    await app.app.idle();
    expect((await get(`/api/service/runs/${left.waiting.runId}`)).body).toMatchObject({ status: 'succeeded' });
    const verified = await get(`/api/service/runs/${left.waiting.runId}/receipt/verify`);
    expect(verified.status).toBe(200);
    const events = await eventsIn(collectionsOf(place.db), { documentId: unread });
    expect(events.map(({ type }) => type)).toEqual(expect.arrayContaining(['document.created', 'run.completed']));
    // The log goes on where the release before ended it.
    const numbers = events.map(({ seq }) => seq);
    expect(Math.min(...numbers)).toBeGreaterThan(Number(kept.rows['events']?.at(-1)?.['last']));
    // Processes of the release before may still start: nothing was taken away.
    expect(await readSchema(place.db)).toMatchObject({ needs: programSchema.before });
  });

  verifies('processes.release_before.writes', async () => {
    await using place = await installation('now');
    const { env, dataDir } = place;
    {
      await using app = await startTestApp({ env, dataDir });
      await live({ api: app.addresses.api, seed: app.seed });
      await app.app.idle();
    }
    const now = await rowsOf(place.db);
    const found = Object.entries(kept.rows).flatMap(([name, rows]) =>
      unreadable(shapeOf(rows), shapeOf(now[name] ?? [])).map((what) => `${name} ${what}`),
    );
    expect(found.filter((what) => !harmless.has(what))).toEqual([]);
  });
});

describe('Shapes of rows', () => {
  const before = shapeOf([
    { _id: 'a', status: 'queued', at: new Date(0), list: [{ n: 1 }] },
    { _id: 'b', status: 'succeeded', at: null, list: [] },
  ]);

  test('may have more fields, and lack those that only some rows had', () => {
    const later = [{ _id: 'c', status: 'queued', at: null, list: [{ n: 2, more: 'x' }], more: { deep: [] } }];
    expect(unreadable(before, shapeOf(later))).toEqual([]);
  });

  test('tell fields that are gone, other types and words that no reader knows', () => {
    const later = [
      { _id: 'c', status: 'paused', at: 'now', list: [{ n: '2' }] },
      { _id: 'd', status: 'queued', list: [] },
    ];
    expect(unreadable(before, shapeOf(later))).toEqual([
      'has "paused" at status, which was "queued" or "succeeded"',
      'has string at at, which was date or null',
      'has string at list[].n, which was number',
      'lacks at',
    ]);
  });

  test('of a collection that is no longer written lack everything', () => {
    expect(unreadable(before, shapeOf([]))).toContain('lacks _id');
  });
});
