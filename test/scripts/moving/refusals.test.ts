import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Db } from 'mongodb';
import { publishAddresses } from '#app/compose/addresses.ts';
import { loadObjectSecret } from '#src/adapters/objects/disk/secret.ts';
import { collectionsOf } from '#src/stores/collections.ts';
import { createSecretStore } from '#src/stores/secrets.ts';
import { openOnWarmThread } from '#embedded-test/engine.ts';
import { anyRows, folderWithSecretOf, move, smallInstallation, within } from './support.ts';

let folder: string;
let source: string;
let empty: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'inkgraph-'));
  source = join(folder, 'source');
  await smallInstallation(source);
  empty = await folderWithSecretOf(source, join(folder, 'empty'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const env = () => ({ DATA_DIR: source });

async function refusal(...args: string[]): Promise<string> {
  const { code, out, err } = await move(env(), ...args);
  expect([code, out]).toEqual([1, '']);
  expect(err).not.toMatch(/\n\s+at /);
  return err;
}

test.each([
  [[], 'Usage: npm run migrate'],
  [['--to', 'a', '--to-env', 'b'], 'Usage: npm run migrate'],
  [['--to', 'http://example.org'], 'expected mongodb://host/name'],
  [['--to', ''], 'expected mongodb://host/name'],
  [['--from', 'a'], "Unknown option '--from'"],
  [['--to-env', 'no-such-file.env'], '--to-env no-such-file.env cannot be read'],
])('%j is refused', async (args, why) => {
  expect(await refusal(...args)).toContain(why);
});

test('the source itself, and a folder without a database, are refused', async () => {
  expect(await refusal('--to', source)).toContain('The target is the source');
  const { code, err } = await move({ DATA_DIR: join(folder, 'nothing') }, '--to', empty);
  expect([code, err]).toEqual([1, expect.stringContaining('There is no embedded database in')]);
});

test('a target without the secret of the installation, or with another one, is refused and told what to carry over', async () => {
  const without = join(folder, 'without');
  expect(await refusal('--to', without)).toMatch(
    /^The target has no secret of the installation: .* Copy \S+objects\.secret to \S+without, or set the target's INSTALLATION_SECRET/,
  );
  await loadObjectSecret(without);
  expect(await refusal('--to', without)).toMatch(/^The target has another secret: /);
});

test('secrets that the keys of the target do not open are refused', async () => {
  const key = Buffer.alloc(32, 1);
  await within(source, async (db) => {
    const keys = { current: key, previous: [] };
    const place = { organizationId: 'org_a', projectId: 'prj_a' };
    await createSecretStore(collectionsOf(db), keys).set(place, 'A', { value: 'v', hosts: ['a.example.org'] }, 'cli');
  });
  expect(await refusal('--to', empty)).toContain(
    "1 secrets, such as prj_a/A, do not open with the target's keys. Give it the SECRETS_KEY",
  );
  await within(source, (db) => db.collection('secrets').deleteMany({}));
});

test('a database in use, and services that answer, are refused', async () => {
  const engine = await openOnWarmThread({ dataDir: source });
  expect(await refusal('--to', empty)).toMatch(
    /^the embedded database of \S+ is in use by process \d+ on 127\.0\.0\.1:\d+\. Stop/,
  );
  await engine.close();
  const server = createServer((_, response) => response.end(JSON.stringify({ status: 'ok', service: 'api' })));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const published = { api: address, agents: address, mcp: address, objects: address };
  const file = await publishAddresses(empty, published);
  expect(await refusal('--to', empty)).toContain(`A service of ${empty} runs at ${address}. Stop all services`);
  await file[Symbol.asyncDispose]();
  server.close();
});

test('a target with data, with a part of another installation, and one of another version are refused', async () => {
  const meta = (db: Db) => anyRows(db, 'meta');
  const used = await folderWithSecretOf(source, join(folder, 'used'));
  await smallInstallation(used);
  expect(await refusal('--to', used)).toMatch(
    / has data already \(projects\), and nothing was changed\. Copy into an empty database/,
  );
  const mark = { _id: 'copy', from: 'elsewhere', installation: 'other', schema: 1, finishedAt: null };
  await within(used, (db) => meta(db).insertOne(mark));
  expect(await refusal('--to', used)).toContain('holds a part of another installation, elsewhere');
  expect((await move({ DATA_DIR: used }, '--to', empty)).err).toContain('holds an unfinished copy of elsewhere');
  const installation = await within(source, (db) => meta(db).findOne({ _id: 'installation' }));
  await within(used, (db) => meta(db).updateOne({ _id: 'copy' }, { $set: { installation: installation?.['id'] } }));
  expect(await refusal('--to', used)).toContain('begun by another version (schema 1');
  await within(used, (db) => meta(db).updateOne({ _id: 'copy' }, { $set: { finishedAt: new Date(0) } }));
  expect(await refusal('--to', used)).toMatch(
    /^The target holds the whole copy of elsewhere, finished 1970-.* Start the services on it\. /,
  );
});

test('a source with pending migrations, or of a newer version, is refused', async () => {
  const become = (version: number) =>
    within(source, (db) => anyRows(db, 'meta').updateOne({ _id: 'schema' }, { $set: { version } }));
  await become(5);
  expect(await refusal('--to', empty)).toContain('has pending migrations. Back it up, then run npm run db -- migrate.');
  await become(99);
  expect(await refusal('--to', empty)).toContain('written by a newer Inkgraph (schema 99)');
  await become(6);
});
