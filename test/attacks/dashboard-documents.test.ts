import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newId } from '#src/domain/ids.ts';
import {
  dashboardClient,
  documentsPath as base,
  type DashboardClient,
} from '#test/support/dashboard/dashboard-client.ts';
import { addNeighbour } from '#test/support/neighbour.ts';
import { documentRecord } from '#test/support/records.ts';
import { collectionsIn } from '#test/support/stored.ts';
import { startTestApp, tinyPng, type Answer, type TestApp } from '#test/support/test-app.ts';

let app: TestApp;
let stored: Awaited<ReturnType<typeof collectionsIn>>;
let mine: DashboardClient;
let theirs: DashboardClient;
let foreign: Awaited<ReturnType<typeof addNeighbour>>;
let document: { id: string };

beforeAll(async () => {
  app = await startTestApp({ env: { SERVICES: 'api', DOCUMENT_SEARCH_MODE: 'hybrid' } });
  stored = await collectionsIn(app.dataDir);
  foreign = await addNeighbour(app, 'organization');
  mine = await dashboardClient(app);
  theirs = await dashboardClient(app, { email: foreign.operatorEmail, password: foreign.operatorPassword });
  const records = [app.seed, foreign].flatMap(({ organizationId, projectId }) =>
    Array.from({ length: 3 }, () => documentRecord({ organizationId, projectId, visibility: 'public' })),
  );
  await stored.documents.insertMany(records);
  const words = { title: 'Secret', description: 'A secret letter', ocrText: 'secret', segmentationText: '' };
  for (const { _id: documentId, organizationId, projectId, apiKeyId, visibility, objectKey, createdAt } of records) {
    const row = { documentId, organizationId, projectId, apiKeyId, visibility, objectKey, createdAt };
    await app.app.deps.search.upsert({ ...row, ...words, identifiers: [], embeddings: {} });
  }
  document = await mine.upload(tinyPng, 'image/png');
});
afterAll(async () => {
  await stored.close();
  await app[Symbol.asyncDispose]();
});

const coded = ({ status, body }: Answer): string => `${status} ${body.code ?? ''}`.trim();
/** A problem without what names this one request; `id` is the id that its address repeats. */
const told = ({ body }: Answer, id: string): string =>
  JSON.stringify({ ...body, requestId: 'any' })
    .replaceAll(encodeURIComponent(id), 'ID')
    .replaceAll(id, 'ID');

describe('dashboard attacks: another organization', () => {
  test('43. is not reached by its organizationId: the answer is that of an unknown one, and nothing is made there', async () => {
    const { organizationId, workflowId, projectId } = foreign;
    const unknown = newId('organization');
    const before = await stored.documents.countDocuments({ organizationId });
    const addresses = [
      ['GET', base],
      ['GET', `${base}?query=secret`],
      ['GET', `${base}/${document.id}`],
      ['GET', `${base}/${document.id}/ocr`],
      ['GET', `${base}/${document.id}/segmentations`],
      ['GET', `${base}/${document.id}/runs`],
      ['POST', `${base}/${document.id}/run`, { workflowId }],
      ['POST', `${base}/run`, { workflowId, documentIds: [document.id] }],
      ['POST', `${base}/visibility`, { documentIds: [document.id], visibility: 'public' }],
      ['POST', `${base}/uploads/presign`, { projectId, contentType: 'image/png', size: 68 }],
      ['POST', `${base}/uploads/ack`, { objectKey: `uploads/${organizationId}/${projectId}/dashboard/u/f.png` }],
      ['GET', '/api/dashboard/context'],
      ['GET', '/api/dashboard/runs'],
    ] as const;
    for (const [method, path, body] of addresses) {
      const { cookie } = mine;
      const at = (id: string) => `${path}${path.includes('?') ? '&' : '?'}organizationId=${id}`;
      const ask = (id: string) => app.call(method, at(id), { cookie, ...(body && { body }) });
      const answer = await ask(organizationId);
      expect(coded(answer), path).toBe('404 organization.not_found');
      expect(told(answer, organizationId)).toBe(told(await ask(unknown), unknown));
      // Twice, or not a name at all: never the one that was meant.
      const twice = await app.call(method, `${at(organizationId)}&organizationId=${app.seed.organizationId}`, {
        cookie,
        ...(body && { body }),
      });
      expect(twice.status).toBe(400);
    }
    expect(await stored.documents.countDocuments({ organizationId })).toBe(before);
    expect(await stored.runs.countDocuments({})).toBe(0);
  });

  test('ids of its documents answer as unknown ones do', async () => {
    const row = await stored.documents.findOne({ organizationId: foreign.organizationId });
    const id = row?._id ?? '';
    const unknown = newId('document');
    const { workflowId } = app.seed;
    for (const [method, tail, body] of [
      ['GET', ''],
      ['GET', '/ocr'],
      ['GET', '/segmentations'],
      ['GET', '/runs'],
      ['POST', '/run', { workflowId }],
    ] as const) {
      const ask = (one: string) =>
        app.call(method, `${base}/${one}${tail}`, { cookie: mine.cookie, ...(body && { body }) });
      const answer = await ask(id);
      expect(coded(answer)).toBe('404 document.not_found');
      expect(told(answer, id)).toBe(told(await ask(unknown), unknown));
    }
    const changed = await mine.post(`${base}/visibility`, { documentIds: [document.id, id], visibility: 'private' });
    expect(coded(changed)).toBe('404 document.not_found');
    expect(await stored.documents.findOne({ _id: id })).toEqual(row);
  });
});

describe('dashboard attacks: cursors', () => {
  test('51. a forged or foreign cursor is refused, and shows nothing', async () => {
    const cursorOf = async (client: DashboardClient, query = ''): Promise<string> =>
      (await client.get(`${base}?limit=1${query}`)).body.nextCursor;
    const [own, foreignCursor] = [await cursorOf(mine), await cursorOf(theirs)];
    const [body = '', signature = ''] = own.split('.');
    const position = Buffer.from(body, 'base64url').toString();
    const forged = (text: string): string => Buffer.from(text).toString('base64url');
    const cursors = [
      foreignCursor,
      body,
      `${body}.`,
      `.${signature}`,
      `${own}.${signature}`,
      `${body}.${signature.slice(0, -2)}`,
      `${body}.${forged('0'.repeat(16))}`,
      `${forged(position.replace(/^\d/, '9'))}.${signature}`,
      `${forged(`${Date.now()}.doc_zzzz`)}.${signature}`,
      `${forged('{"$gt":""}')}.${signature}`,
      foreignCursor.split('.')[0] + '.' + signature,
      document.id,
      'null',
      '\0',
      '💥',
      'x'.repeat(1_000),
      'x'.repeat(1_001),
    ];
    for (const cursor of cursors) {
      const answer = await mine.get(`${base}?limit=1&cursor=${encodeURIComponent(cursor)}`);
      expect([answer.status, answer.body.errors?.[0]?.pointer], cursor.slice(0, 40)).toEqual([400, '/cursor']);
      expect(answer.body).not.toHaveProperty('documents');
    }
    expect((await mine.get(`${base}?limit=1&cursor=${encodeURIComponent(own)}`)).status).toBe(200);
  });
});

describe('dashboard attacks: queries', () => {
  const isOurs = (ids: readonly string[]) =>
    stored.documents.countDocuments({ _id: { $in: [...ids] }, organizationId: app.seed.organizationId });

  test.each([
    ['a regular expression', '.*', [200]],
    ['one that backtracks', '(a+)+$'.repeat(20), [200]],
    ['an operator', '$ne', [200]],
    ['an operator in JSON', '{"$where":"sleep(1000)"}', [200]],
    ['10 kB', 'secret '.repeat(1_500), [400]],
    ['10 kB of one word', 'x'.repeat(10_240), [400]],
    ['NUL', '\0', [200, 400]],
    ['NUL inside', 'sec\0ret', [200]],
    ['emoji', '💥👩‍👩‍👧‍👦', [200]],
    ['half of a surrogate pair, as UTF-8 of nothing', '%ED%A0%80', [200, 400]],
    ['spaces', '   ', [200]],
    ['quotes without an end', '"secret', [200]],
    ['quotes around nothing', '""', [200]],
    ['a thousand characters of words', Array.from({ length: 250 }, (_, n) => `w${n % 10}`).join(' '), [200]],
    ['Lucene syntax', 'secret~ OR *:* AND organizationId:[* TO *]', [200]],
  ] as const)(
    '52. %s as the query is answered within a second, from the own organization only',
    async (_, query, statuses) => {
      const raw = query.startsWith('%') ? query : encodeURIComponent(query);
      const began = performance.now();
      const answer = await mine.get(`${base}?limit=100&query=${raw}`);
      expect(performance.now() - began).toBeLessThan(1_000);
      expect(statuses).toContain(answer.status);
      const ids: string[] = (answer.body.documents ?? []).map(({ id }: { id: string }) => id);
      expect(await isOurs(ids)).toBe(ids.length);
    },
  );

  test('52. an operator as a parameter of its own is refused', async () => {
    for (const query of ['query[$ne]=x', 'query[]=a', 'query=a&query=b', 'projectId[$ne]=x', 'limit[$gt]=0'])
      expect((await mine.get(`${base}?${query}`)).status, query).toBe(400);
    const { workflowId } = app.seed;
    for (const body of [
      { workflowId: { $ne: '' }, documentIds: [document.id] },
      { workflowId, documentIds: [{ $ne: '' }] },
      { workflowId, documentIds: { $gt: '' } },
    ])
      expect((await mine.post(`${base}/run`, body)).status).toBe(400);
    expect(await stored.runs.countDocuments({})).toBe(0);
  });

  test('a word of another organization is found there and not here', async () => {
    const ids = ({ body }: Answer): string[] => body.documents.map(({ id }: { id: string }) => id);
    const [here, there] = [ids(await mine.get(`${base}?query=secret`)), ids(await theirs.get(`${base}?query=secret`))];
    expect([here.length, there.length]).toEqual([3, 3]);
    expect([await isOurs(here), await isOurs(there)]).toEqual([3, 0]);
  });
});
