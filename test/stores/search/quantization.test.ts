import type { Document } from 'mongodb';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { openOnWarmThread } from '#embedded-test/engine.ts';
import { createLocalModels } from '#src/adapters/models/local/create-local-models.ts';
import { collectionsOf } from '#src/stores/collections.ts';
import { connectDatabase } from '#src/stores/connect.ts';
import { ensureSearchIndexes, findSearchIndexes, vectorIndexName } from '#src/stores/search/definitions.ts';
import { createSearchIndex } from '#src/stores/search/search-index.ts';
import type { Quantization } from '#src/stores/search/vector-form.ts';
import { doctor } from '#scripts/doctor.ts';
import { runCommand } from '#test/support/command.ts';
import { temporaryFolder } from '#test/support/objects.ts';
import { actingDatabase, refusal, type Act, type ActingDatabase } from '#test/support/servers/acting-database.ts';
import { verifies } from '#test/support/verifies.ts';
import { startTestApp } from '#test/support/test-app.ts';

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let engine: Awaited<ReturnType<typeof openOnWarmThread>>;
/** Definitions of the index of vectors that were sent, and stages of searches in it. */
let sent: Document[] = [];
let asked: Document[] = [];
beforeAll(async () => {
  folder = await temporaryFolder();
  engine = await openOnWarmThread({ dataDir: folder.path });
});
afterAll(async () => {
  await engine.close();
  await folder.remove();
});
beforeEach(() => {
  sent = [];
  asked = [];
});

/** Definitions of the index of vectors in a command. */
function definitionsIn(command: Document): Document[] {
  if ('updateSearchIndex' in command) return command['name'] === vectorIndexName ? [command['definition']] : [];
  const created = (command['indexes'] ?? []) as Document[];
  return 'createSearchIndexes' in command
    ? created.flatMap(({ name, definition }) => (name === vectorIndexName ? [definition] : []))
    : [];
}

const listen: Act = (command) => {
  sent.push(...definitionsIn(command));
  const [first] = 'aggregate' in command ? (command['pipeline'] as Document[]) : [];
  if (first?.['$vectorSearch'] !== undefined) asked.push(first['$vectorSearch']);
  return null;
};

/** Opens a database of its own behind a server that `acts`. */
async function opened(name: string, acts: Act) {
  const proxy: ActingDatabase = await actingDatabase(
    engine.uri,
    async (command) => (await listen(command)) ?? acts(command),
  );
  const database = connectDatabase(proxy.uri, name);
  return {
    db: database.db,
    ensure: (quantization?: Quantization) =>
      ensureSearchIndexes(database.db, { text: 1_536, image: 832, ...(quantization && { quantization }) }),
    async [Symbol.asyncDispose]() {
      await database.close();
      await proxy[Symbol.asyncDispose]();
    },
  };
}

const formsOf = ({ fields }: Document): unknown[] =>
  (fields as Document[]).flatMap(({ type, quantization }) => (type === 'vector' ? [quantization] : []));

verifies('search.quantization', async () => {
  await using proxy = await actingDatabase(engine.uri, listen);
  const uri = new URL(proxy.uri);
  uri.pathname = '/forms';
  const env = { MONGODB_URI: uri.href, DOCUMENT_SEARCH_MODE: 'hybrid', VECTOR_QUANTIZATION: 'scalar' };
  await using app = await startTestApp({ env });
  expect(sent.map(formsOf)).toEqual([['scalar', 'scalar']]);
  const health = await app.call('GET', '/health');
  expect(health.body).toMatchObject({ checks: { search: { status: 'ok', quantization: 'scalar' } } });
  const cookie = await app.signIn();
  expect((await app.call('GET', '/api/dashboard/documents?query=walnut', { cookie })).status).toBe(200);
  expect(asked).toMatchObject([{ index: vectorIndexName, numCandidates: 1_000, limit: 50 }]);
  expect(asked[0]).not.toHaveProperty('exact');
});

test('whole vectors name no form, and are all compared', async () => {
  await using server = await opened('whole', () => null);
  await server.ensure();
  await server.ensure('none');
  expect(sent.map(formsOf)).toEqual([[undefined, undefined]]);
  const search = createSearchIndex(collectionsOf(server.db), { mode: 'hybrid', embedder: createLocalModels().text });
  await search.search({ organizationId: 'o', projectIds: ['p'], text: 'walnut', limit: 5 });
  expect(asked).toMatchObject([{ exact: true, limit: 50 }]);
});

test('another form changes the index once; the order and the defaults that a server lists change nothing', async () => {
  let listed: Document | null = null;
  await using server = await opened('other', (command) => {
    if (listed === null || !('aggregate' in command) || !('$listSearchIndexes' in command['pipeline'][0])) return null;
    if (command['pipeline'][0].$listSearchIndexes.name !== vectorIndexName) return null;
    const index = { id: '1', name: vectorIndexName, queryable: true, latestDefinition: listed };
    return { ok: 1, cursor: { firstBatch: [index], id: 0n, ns: 'other.searchRecords' } };
  });
  await server.ensure();
  await server.ensure('binary');
  expect(sent.map(formsOf)).toEqual([
    [undefined, undefined],
    ['binary', 'binary'],
  ]);
  const fields = (sent[1]?.['fields'] ?? []) as Document[];
  sent = [];
  listed = { fields: fields.toReversed(), storedSource: false };
  await server.ensure('binary');
  expect(sent).toEqual([]);
  const state = async (quantization: Quantization) =>
    (await findSearchIndexes(server.db, { text: 1_536, image: 832, quantization }))?.at(-1)?.state;
  expect([await state('binary'), await state('scalar'), await state('none')]).toEqual(['ready', 'differs', 'differs']);
  // A server may name the form of whole vectors.
  const whole = fields.map((field) => (field['type'] === 'vector' ? { ...field, quantization: 'none' } : field));
  listed = { fields: whole };
  await server.ensure();
  expect(sent).toEqual([]);
  await server.ensure('scalar');
  expect(sent.map(formsOf)).toEqual([['scalar', 'scalar']]);
});

test('a server that cannot keep vectors in this form is told of by the setting, not by whole vectors', async () => {
  const unknown = (field: string) => refusal(40_415, 'IDLUnknownField', `unrecognized field "${field}"`);
  await using server = await opened('refusing', (command) => {
    const fields = JSON.stringify(definitionsIn(command));
    return fields.includes('quantization') ? unknown('quantization') : null;
  });
  await expect(server.ensure('scalar')).rejects.toThrow(/refuses VECTOR_QUANTIZATION \(unrecognized field.*Unset it/);
  await server.ensure();
  await expect(server.ensure('scalar')).rejects.toThrow('VECTOR_QUANTIZATION');
});

test('a server that does not know the indexing method gets the form without it, also when the index changes', async () => {
  await using server = await opened('methodless', (command) =>
    JSON.stringify(definitionsIn(command)).includes('indexingMethod')
      ? refusal(40_415, 'IDLUnknownField', 'unrecognized field "indexingMethod"')
      : null,
  );
  await server.ensure();
  await server.ensure('scalar');
  expect(sent.map((one) => [...formsOf(one), JSON.stringify(one).includes('indexingMethod')])).toEqual([
    [undefined, undefined, true],
    [undefined, undefined, false],
    ['scalar', 'scalar', true],
    ['scalar', 'scalar', false],
  ]);
});

test('the doctor says that the index is another, and that the embedded database compares whole vectors', async () => {
  await using server = await opened('doctor', () => null);
  await server.ensure();
  const env = { DATA_DIR: folder.path, API_PORT: '0', AGENTS_PORT: '0', MCP_PORT: '0', OBJECTS_PORT: '0' };
  const uri = new URL(engine.uri);
  uri.pathname = '/doctor';
  const asking = { ...env, MONGODB_URI: uri.href, VECTOR_QUANTIZATION: 'binary' };
  const before = await runCommand(doctor, [], { env: asking });
  expect(before.out).toMatch(
    /FAIL search indexes are not as the settings want them \(VECTOR_QUANTIZATION=binary\): documents_vector/,
  );
  await server.ensure('binary');
  const after = await runCommand(doctor, [], { env: asking });
  expect(after.out).toContain('search indexes are ready, vectors binary');
  const embedded = await runCommand(doctor, [], { env: { ...env, VECTOR_QUANTIZATION: 'scalar' } });
  expect(embedded.out).toContain(
    'VECTOR_QUANTIZATION=scalar has no effect: the embedded database compares whole vectors',
  );
  const wrong = await runCommand(doctor, [], { env: { ...env, VECTOR_QUANTIZATION: 'half' } });
  expect(`${wrong.out}${wrong.err}`).toContain('VECTOR_QUANTIZATION');
});
