import { createCipheriv, randomBytes } from 'node:crypto';
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

/** All values of the place by name, through a store with these keys. */
async function valuesBy(keys: Parameters<typeof createSecretStore>[1], at: ReturnType<typeof place>, names: string[]) {
  const found = await createSecretStore(database.collections, keys).reveal(at.organizationId, at.projectId, names);
  return names.map((name) => found.get(name)?.value);
}

test('secrets go over to a new key in steps: between any two nothing is lost, and at the end the old key is not needed', async () => {
  const { secrets } = database.collections;
  await secrets.deleteMany({});
  const [old, fresh] = [randomBytes(32), randomBytes(32)];
  const before = createSecretStore(database.collections, { current: old, previous: [] });
  const [mine, other] = [place(), place()];
  const names = ['A', 'B', 'C', 'D', 'E'];
  for (const name of names) await before.set(mine, name, { value: `value of ${name}`, hosts }, 'key_a');
  await before.set(other, 'A', { value: 'of the other', hosts }, 'key_a');
  const values = names.map((name) => `value of ${name}`);
  const both = { current: fresh, previous: [old] };
  const rotating = createSecretStore(database.collections, both);
  const left = async (): Promise<number> => (await rotating.sealedElsewhere('', 100)).names.length;
  expect(await left()).toBe(6);
  // As if the process died here: the next one starts from the beginning.
  expect(await rotating.rotate('', 2)).toMatchObject({ resealed: 2, unopened: [], next: expect.any(String) });
  expect(await left()).toBe(4);
  expect(await valuesBy(both, mine, names)).toEqual(values);
  const again: number[] = [];
  for (let after: string | null = ''; after !== null;) {
    const batch: Awaited<ReturnType<typeof rotating.rotate>> = await rotating.rotate(after, 2);
    again.push(batch.resealed);
    after = batch.next;
  }
  expect(again).toEqual([0, 2, 2, 0]);
  expect(await left()).toBe(0);
  expect(await valuesBy({ current: fresh, previous: [] }, mine, names)).toEqual(values);
  expect(await valuesBy({ current: fresh, previous: [] }, other, ['A'])).toEqual(['of the other']);
  await expect(valuesBy({ current: old, previous: [] }, mine, names)).rejects.toThrow('another SECRETS_KEY');
});

test('a secret that no key opens stays as it is, and is named', async () => {
  await database.collections.secrets.deleteMany({});
  const mine = place();
  const lost = createSecretStore(database.collections, { current: randomBytes(32), previous: [] });
  await lost.set(mine, 'LOST', { value: 'x', hosts }, 'key_a');
  const row = await database.collections.secrets.findOne(mine);
  const store = createSecretStore(database.collections, key);
  const named = `${mine.projectId}/LOST`;
  expect(await store.rotate('', 10)).toEqual({ resealed: 0, unopened: [named], next: null });
  expect(await database.collections.secrets.findOne(mine)).toEqual(row);
});

test('a secret of an older version has no hosts until it is bound, keeps its value, and cannot be bound in the database', async () => {
  const { secrets } = database.collections;
  const mine = place();
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', key.current, nonce);
  cipher.setAAD(Buffer.from(JSON.stringify([mine.organizationId, mine.projectId, 'OLD'])));
  const text = Buffer.concat([cipher.update('walnut', 'utf8'), cipher.final()]);
  const sealed = Buffer.concat([nonce, cipher.getAuthTag(), text]).toString('base64');
  const _id = `${mine.projectId}/OLD`;
  await secrets.insertOne({ _id, ...mine, name: 'OLD', sealed, createdAt: new Date(), createdBy: 'key_a' });
  const store = createSecretStore(database.collections, key);
  const reveal = () => store.reveal(mine.organizationId, mine.projectId, ['OLD']);
  expect((await reveal()).get('OLD')).toEqual({ value: 'walnut', hosts: [] });
  expect(await store.list(mine.organizationId, mine.projectId)).toMatchObject([{ name: 'OLD', hosts: [] }]);
  await secrets.updateOne({ _id }, { $set: { hosts: ['evil.example'] } });
  expect(await errorOf(reveal())).toContain('secret.unknown');
  await secrets.updateOne({ _id }, { $unset: { hosts: '' } });
  await store.bind(mine.organizationId, mine.projectId, 'OLD', hosts);
  expect((await reveal()).get('OLD')).toEqual({ value: 'walnut', hosts });
});
