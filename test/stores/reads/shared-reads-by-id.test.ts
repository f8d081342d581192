import { MongoClient } from 'mongodb';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { hashKey, newKeySecret, type ApiKeyRecord } from '#src/domain/access/api-key.ts';
import type { UploadRecord } from '#src/domain/documents/document.ts';
import { newId } from '#src/domain/ids.ts';
import { storesOf, testDatabase, type TestDatabase } from '#test/support/database.ts';
import { documentRecord, freshTenant } from '#test/support/records.ts';

let database: TestDatabase;
let client: MongoClient;
let finds: string[] = [];
let inserts: string[] = [];
beforeAll(async () => {
  database = await testDatabase();
  client = new MongoClient(database.uri, { monitorCommands: true });
  client.on('commandStarted', ({ commandName, command }) => {
    if (commandName === 'find') finds.push(command['find']);
    if (commandName === 'insert') inserts.push(command['insert']);
  });
});
afterAll(async () => {
  await client.close();
  await database.close();
});
beforeEach(() => {
  finds = [];
  inserts = [];
});

test('documents that one tenant reads at once are one command, and each reader gets what its tenant may read', async () => {
  const { documents } = storesOf(client);
  const one = freshTenant();
  const colleague = { organizationId: one.organizationId, projectIds: [newId('project')] };
  const stranger = freshTenant();
  const place = { organizationId: one.organizationId, projectId: one.projectIds[0] };
  const hidden = documentRecord(place);
  const open = documentRecord({ ...place, visibility: 'public' });
  await documents.insert(hidden);
  await documents.insert(open);
  const missing = newId('document');
  finds = [];
  const asked = [one, colleague, stranger].flatMap((tenant) =>
    [hidden._id, open._id, missing, open._id].map((id) => documents.find(tenant, id)),
  );
  const ids = (await Promise.all(asked)).map((found) => found?._id ?? null);
  expect(ids).toEqual([hidden._id, open._id, null, open._id, null, open._id, null, open._id, null, null, null, null]);
  expect(finds).toEqual(['documents', 'documents', 'documents']);
});

test('keys that are looked up at once are one command, and one that is revoked meanwhile is seen by the next call', async () => {
  const { apiKeys } = storesOf(client);
  const { organizationId, projectIds } = freshTenant();
  const keys = Array.from({ length: 3 }, (): ApiKeyRecord => ({
    _id: newId('key'),
    hash: hashKey(newKeySecret('service')),
    prefix: 'ink_svc_test',
    kind: 'service',
    name: 'test',
    organizationId,
    projectId: projectIds[0],
    deviceId: null,
    agentGraphId: null,
    createdBy: 'test',
    createdAt: new Date(),
    expiresAt: null,
    lastUsedAt: null,
    revokedAt: null,
    replacedBy: null,
    graceUntil: null,
  }));
  for (const key of keys) await apiKeys.insert(key);
  finds = [];
  const hashes = [...keys.map(({ hash }) => hash), hashKey('unknown')];
  const found = await Promise.all([...hashes, ...hashes].map((hash) => apiKeys.findByHash(hash)));
  expect(found).toEqual([...keys, null, ...keys, null]);
  expect(finds).toEqual(['apiKeys']);
  const [first] = keys;
  if (first === undefined) throw new Error('there is no key');
  const under = apiKeys.findByHash(first.hash);
  await apiKeys.revoke(organizationId, first._id, new Date());
  const after = await apiKeys.findByHash(first.hash);
  expect(after?.revokedAt).toBeInstanceOf(Date);
  expect((await under)?._id).toBe(first._id);
});

test('uploads that are looked up at once are one command for each organization, and nobody gets that of another organization', async () => {
  const { uploads } = storesOf(client);
  const [one, other] = [freshTenant(), freshTenant()];
  const record = (organizationId: string, name: string): UploadRecord => ({
    _id: `uploads/${organizationId}/${name}`,
    organizationId,
    projectId: 'prj_p',
    documentId: newId('document'),
    apiKeyId: 'key_k',
    family: 'workflow-key',
    contentType: 'image/png',
    sizeBytes: 1,
    visibility: 'private',
    createdAt: new Date(),
    forgetAt: new Date(Date.now() + 60_000),
  });
  const mine = record(one.organizationId, 'a.png');
  const theirs = record(other.organizationId, 'b.png');
  await uploads.insert(mine);
  await uploads.insert(theirs);
  finds = [];
  const found = await Promise.all([
    uploads.find(one.organizationId, mine._id),
    uploads.find(one.organizationId, theirs._id),
    uploads.find(other.organizationId, theirs._id),
    uploads.find(other.organizationId, mine._id),
  ]);
  expect(found.map((upload) => upload?._id ?? null)).toEqual([mine._id, null, theirs._id, null]);
  expect(finds).toEqual(['uploads', 'uploads']);
});

test('documents that are inserted at once are one command, and only the first of the same id is created', async () => {
  const { documents } = storesOf(client);
  const [first, second, third] = [documentRecord(), documentRecord(), documentRecord()];
  await documents.insert(first);
  inserts = [];
  const batch = [second, first, third, { ...third, contentType: 'image/gif' as const }];
  const outcomes = await Promise.all(batch.map((document) => documents.insert(document)));
  expect(outcomes).toEqual(['created', 'exists', 'created', 'exists']);
  expect(inserts).toEqual(['documents']);
  const { organizationId, projectId } = third;
  const stored = await documents.find({ organizationId, projectIds: [projectId] }, third._id);
  expect(stored?.contentType).toBe('image/png');
});
