import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createSecretStore } from '#src/stores/secrets.ts';
import { testDatabase, type TestDatabase } from '#test/support/database.ts';
import { errorOf } from '#test/support/servers/outside-server.ts';
import { freshTenant } from '#test/support/records.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.close());

const key = { current: randomBytes(32), previous: [] };
const hosts = ['api.example.org'];
function place() {
  const { organizationId, projectIds } = freshTenant();
  return { organizationId, projectId: projectIds[0] };
}

test('a secret is replaced, listed by name, revealed to its own project only, and deleted', async () => {
  const store = createSecretStore(database.collections, key);
  const [mine, other] = [place(), place()];
  await store.set(mine, 'B_TOKEN', { value: 'first', hosts }, 'key_a');
  await store.set(mine, 'B_TOKEN', { value: 'second ünïcode', hosts }, 'key_b');
  await store.set(mine, 'A_TOKEN', { value: 'third', hosts }, 'key_a');
  await store.set(other, 'B_TOKEN', { value: 'not yours', hosts }, 'key_c');
  const listed = await store.list(mine.organizationId, mine.projectId);
  expect(listed).toEqual([
    { name: 'A_TOKEN', createdAt: expect.any(Date), createdBy: 'key_a', hosts },
    { name: 'B_TOKEN', createdAt: expect.any(Date), createdBy: 'key_b', hosts },
  ]);
  const reveal = (names: string[], at = mine) => store.reveal(at.organizationId, at.projectId, names);
  expect([...(await reveal(['B_TOKEN', 'MISSING']))]).toEqual([['B_TOKEN', { value: 'second ünïcode', hosts }]]);
  expect([...(await reveal([]))]).toEqual([]);
  const crossed = { organizationId: other.organizationId, projectId: mine.projectId };
  expect((await reveal(['B_TOKEN'], crossed)).size).toBe(0);
  expect(await store.delete(other.organizationId, mine.projectId, 'B_TOKEN')).toBe(false);
  expect(await store.delete(mine.organizationId, mine.projectId, 'B_TOKEN')).toBe(true);
  expect((await reveal(['A_TOKEN', 'B_TOKEN'])).size).toBe(1);
});

test('what is stored holds no value, and two equal values look different', async () => {
  const store = createSecretStore(database.collections, key);
  const mine = place();
  for (const name of ['ONE', 'TWO']) await store.set(mine, name, { value: 'walnut-4711', hosts }, 'key_a');
  const rows = await database.collections.secrets.find(mine).toArray();
  expect(JSON.stringify(rows)).not.toMatch(/walnut|d2FsbnV0|77616c6e7574/);
  const [one, two] = rows.map(({ sealed }) => Buffer.from(sealed, 'base64'));
  expect(one?.subarray(0, 12)).not.toEqual(two?.subarray(0, 12));
  expect(one?.subarray(28)).not.toEqual(two?.subarray(28));
});

test('a stored value that was moved, changed, or sealed under another key does not open', async () => {
  const store = createSecretStore(database.collections, key);
  const mine = place();
  const reveal = (name: string, by = store) => errorOf(by.reveal(mine.organizationId, mine.projectId, [name]));
  for (const name of ['ONE', 'TWO', 'THREE'])
    await store.set(mine, name, { value: `value of ${name}`, hosts }, 'key_a');
  const { secrets } = database.collections;
  const [one, three] = await Promise.all(['ONE', 'THREE'].map((name) => secrets.findOne({ ...mine, name })));
  await secrets.updateOne({ ...mine, name: 'TWO' }, { $set: { sealed: one?.sealed ?? '' } });
  const bytes = Buffer.from(three?.sealed ?? '', 'base64');
  bytes.writeUInt8(bytes.readUInt8(30) ^ 1, 30);
  await secrets.updateOne({ ...mine, name: 'THREE' }, { $set: { sealed: bytes.toString('base64') } });
  expect(await reveal('ONE')).toBe('nothing was thrown');
  const elsewhere = createSecretStore(database.collections, { current: randomBytes(32), previous: [] });
  for (const told of [await reveal('TWO'), await reveal('THREE'), await reveal('ONE', elsewhere)])
    expect(told).toMatch(/^secret\.unknown: Secret \w+ was encrypted with another SECRETS_KEY/);
});

test.each([
  ['lower', 'x', 'name: '],
  ['1ST', 'x', 'name: '],
  ['A'.repeat(65), 'x', 'name: '],
  ['A/B', 'x', 'name: '],
  ['EMPTY', '', 'value: '],
  ['LONG', 'x'.repeat(8_193), 'value: '],
])('%s with %j is refused, naming the field', async (name, value, field) => {
  const store = createSecretStore(database.collections, key);
  expect(await errorOf(store.set(place(), name, { value, hosts }, 'key_a'))).toContain(`request.invalid: ${field}`);
});
