import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connectDatabase } from '#src/stores/connect.ts';
import { migrate } from '#src/stores/migrate.ts';
import type { DocumentRecord } from '#src/domain/documents/document.ts';
import { db } from '#scripts/db.ts';
import { openOnWarmThread } from '#embedded-test/engine.ts';
import { runCommand } from '#test/support/command.ts';
import { diskStore, inMinutes } from '#test/support/objects.ts';
import { objectBytes } from '#test/support/object-bytes.ts';
import { startTestApp, tinyPng } from '#test/support/test-app.ts';
import {
  anyRows,
  folderWithSecretOf,
  killedAt,
  manyKinds,
  move,
  settingsFile,
  storeDocuments,
  within,
} from './support.ts';

const documentCount = 200;
let folder: string;
let first: string;
let documents: DocumentRecord[];
let openUpload: string;
/** A document that came through the API, and a picture that was made of it. */
let uploaded: { id: string; thumbnail: string };

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'inkgraph-'));
  first = join(folder, 'first');
  await using app = await startTestApp({ env: { SERVICES: 'api' }, dataDir: first });
  const { organizationId, projectId } = app.seed;
  const { objects, secrets } = app.app.deps;
  documents = await storeDocuments(objects, { organizationId, projectId }, documentCount - 1);
  const host = { value: 'walnut', hosts: ['a.example.org'] };
  await secrets.set({ organizationId, projectId }, 'TOKEN', host, 'cli');
  openUpload = await app.put(tinyPng, 'image/png');
  const { id, thumbnailUrl } = await app.store(tinyPng, 'image/png');
  expect((await fetch(thumbnailUrl)).status).toBe(200);
  uploaded = { id, thumbnail: `documents/${organizationId}/${projectId}/${id}/thumbnail-320.webp` };
});
beforeAll(() =>
  within(first, async (stored) => {
    await stored.collection<DocumentRecord>('documents').insertMany([...documents]);
    await stored.collection('audit').insertOne(manyKinds());
    await anyRows(stored, 'accountTokens').insertOne({ _id: 'soon over', expiresAt: inMinutes(30) });
  }),
);
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Digests of collections, as the command says them. */
const digestsIn = (said: string): string[] =>
  said
    .split('\n')
    .filter((line) => / sha256 /.test(line))
    .toSorted();

test('an installation moves to MongoDB and another folder, killed twice on the way, and back, without a difference', async () => {
  const second = await folderWithSecretOf(first, join(folder, 'second'));
  await using stack = new AsyncDisposableStack();
  const engine = await openOnWarmThread({ dataDir: join(folder, 'server') });
  stack.defer(() => engine.close());
  const target = connectDatabase(engine.uri);
  stack.defer(() => target.close());
  const meta = anyRows(target.db, 'meta');
  const otherKey = Buffer.alloc(32, 5).toString('base64');
  const settings = { MONGODB_URI: engine.uri, DATA_DIR: second };
  const to = [
    '--to-env',
    await settingsFile(join(folder, 'target.env'), { ...settings, SECRETS_KEY: otherKey, S3_BUKET: 'a' }),
  ];
  const env = { DATA_DIR: first };

  await killedAt(/^documents: 50 of 200 rows/, env, ...to);
  // The lease of the dead process would hold for 15 s.
  await meta.deleteOne({ _id: 'migrating' });
  await expect(migrate(target.db)).rejects.toThrow(/unfinished copy of the embedded database .*npm run migrate again/);
  const shown = await runCommand(db, ['status'], { env: settings });
  expect(shown.out).toMatch(/^copy {8}unfinished, of the embedded database of \S+first$/m);
  await killedAt(/^documents: 100 of 200 rows/, env, ...to);
  await meta.deleteOne({ _id: 'migrating' });

  // Damage of what was copied already.
  const [altered, lost] = documents as [DocumentRecord, DocumentRecord];
  await anyRows(target.db, 'documents').updateOne({ _id: altered._id }, { $set: { pages: 2 } });
  // The server may delete what is about to expire before the other side does.
  expect((await anyRows(target.db, 'accountTokens').deleteOne({ _id: 'soon over' })).deletedCount).toBe(1);
  const store = await diskStore(second);
  await store.delete(lost.pinnedKey);
  await store.close();
  const found = await move(env, ...to);
  expect(found).toMatchObject({ code: 1, out: '' });
  expect(found.err).not.toMatch(/^documents: 50 of/m);
  expect(found.err).toContain(
    `These collections differ:\n  documents: 200 and 200 rows, the first difference at ${altered._id} in the source, ${altered._id} in the target; 1 objects are not in the target, such as ${lost.pinnedKey}\n`,
  );
  expect(found.err).toMatch(/run the command again: it copies these anew\.\n$/);

  const done = await move(env, ...to);
  expect(done.code).toBe(0);
  expect(done.err).toMatch(/^documents: 50 of 200/m);
  expect(done.err).toContain('warning: the target has another SECRETS_KEY. Give the receivers of webhooks');
  expect(done.err).toContain('warning: S3_BUKET is no setting');
  expect(done.err).not.toMatch(/^audit: \d+ of/m);
  expect(done.out).toMatch(
    /^\d+ rows of \d+ collections are in mongodb:\S+ Both sides are equal\.\n202 objects of \d+ bytes/,
  );
  expect(done.out).not.toContain(new URL(engine.uri).password);
  const third = await folderWithSecretOf(first, join(folder, 'third'));
  const back = await move(settings, '--to', third);
  expect([back.code, digestsIn(back.err)]).toEqual([0, digestsIn(done.err)]);
  expect(digestsIn(back.err).find((line) => line.startsWith('documents'))).toContain('equal, 200 rows');

  await using app = await startTestApp({ dataDir: third, env: { SERVICES: 'api' } });
  const { workflowKey, projectId, organizationId } = app.seed;
  const { objects, secrets } = app.app.deps;
  const [, , any] = documents as [DocumentRecord, DocumentRecord, DocumentRecord];
  const cookie = await app.signIn();
  const { status, body } = await app.call('GET', `/api/dashboard/documents/${any._id}`, { cookie });
  expect([status, body.id]).toEqual([200, any._id]);
  const bytes = await (await fetch(body.originalUrl)).bytes();
  expect(Buffer.from(bytes)).toEqual(objectBytes(any.objectKey, any.sizeBytes));
  expect((await objects.head(any.pinnedKey))?.contentType).toBe('image/png');
  expect(await objects.head(uploaded.thumbnail)).toMatchObject({ contentType: 'image/webp' });
  expect((await secrets.reveal(organizationId, projectId, ['TOKEN'])).get('TOKEN')?.value).toBe('walnut');
  // An upload that was not acknowledged before can be now.
  const acknowledged = await app.call('POST', '/api/uploads/ack', {
    key: workflowKey,
    body: { objectKey: openUpload },
  });
  expect(acknowledged.status).toBe(201);
}, 120_000);
