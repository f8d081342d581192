import { MongoClient } from 'mongodb';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newId } from '#src/domain/ids.ts';
import { collectionsOf } from '#src/stores/collections.ts';
import { createUsageStore } from '#src/stores/usage.ts';
import { testDatabase, type TestDatabase } from '#test/support/database.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.close());

const free = { bytes: null, objects: null } as const;
const quotas = { organization: free, project: free, key: free };

const placeIn = (organizationId: string) => ({
  organizationId,
  projectId: newId('project'),
  apiKeyId: newId('key'),
});

test('uploads of one moment are counted together, each in all its scopes', async () => {
  await using client = new MongoClient(database.uri, { monitorCommands: true });
  let commands = 0;
  client.on('commandStarted', ({ commandName }) => {
    if (commandName === 'update') commands += 1;
  });
  const usage = createUsageStore(collectionsOf(client.db()), quotas);
  const [one, other] = [placeIn(newId('organization')), placeIn(newId('organization'))];
  await Promise.all([
    ...Array.from({ length: 40 }, () => usage.reserve(one, 10)),
    ...Array.from({ length: 5 }, () => usage.reserve(other, 3)),
    usage.add(one, -100, -10),
  ]);
  expect(commands).toBe(1);
  for (const { organizationId, projectId, apiKeyId } of [one, other]) {
    const ids = [organizationId, projectId, apiKeyId];
    const counts = await usage.read(organizationId, ids);
    const expected = organizationId === one.organizationId ? { bytes: 300, objects: 30 } : { bytes: 15, objects: 5 };
    expect(ids.map((id) => counts.get(id))).toEqual(ids.map(() => expected));
  }
});

test('counters that another process makes at the same moment lose nothing', async () => {
  const places = Array.from({ length: 20 }, () => placeIn(newId('organization')));
  const stores = [1, 2, 3].map(() => createUsageStore(database.connect().collections, quotas));
  await Promise.all(places.flatMap((place) => stores.map((usage) => usage.add(place, 1, 1))));
  for (const { organizationId } of places) {
    const counts = await stores[0]?.read(organizationId, [organizationId]);
    expect(counts?.get(organizationId)).toEqual({ bytes: 3, objects: 3 });
  }
});
