import { deflateSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newKeySecret } from '#src/domain/access/api-key.ts';
import { newId } from '#src/domain/ids.ts';
import { issueKey, revokeKey } from '#tools/keys/issue-key.ts';
import { databaseProxy } from '#test/support/servers/database-proxy.ts';
import { testDatabase } from '#test/support/database.ts';
import { addNeighbour } from '#test/support/neighbour.ts';
import { pngChunk, pngHeader } from '#scripts/inputs/png.ts';
import { collectionsIn, eventsIn } from '#test/support/stored.ts';
import { startTestApp, tinyPng, type Answer, type TestApp } from '#test/support/test-app.ts';

const presign = '/api/uploads/presign';
const ack = '/api/uploads/ack';
const png = { contentType: 'image/png', size: tinyPng.length };

let app: TestApp;
let stored: Awaited<ReturnType<typeof collectionsIn>>;
beforeAll(async () => {
  // No agents service: what an ack leaves behind stays to be looked at.
  app = await startTestApp({ env: { SERVICES: 'api', UPLOAD_MAX_BYTES: '1000000' } });
  stored = await collectionsIn(app.dataDir);
});
afterAll(async () => {
  await stored.close();
  await app[Symbol.asyncDispose]();
});

const place = () => ({
  organizationId: app.seed.organizationId,
  projectId: app.seed.projectId,
  createdBy: 'test',
  name: 'Attack',
});
const coded = ({ status, body }: Answer): string => `${status} ${body.code}`;

/** Response body, without the fields that name this one request. */
function told({ status, body }: Answer): unknown {
  expect(body.requestId).toMatch(/^[\w.-]{1,128}$/);
  expect(JSON.stringify(body)).not.toMatch(/\.ts\b|\n\s+at |node_modules/);
  return { ...body, status, requestId: 'any' };
}

async function documentCount(): Promise<number> {
  return stored.documents.countDocuments({ organizationId: app.seed.organizationId });
}

async function refusedWithoutDocument(objectKey: string, expected: string): Promise<Answer> {
  const before = await documentCount();
  const answer = await app.call('POST', ack, { key: app.seed.workflowKey, body: { objectKey } });
  expect(coded(answer)).toBe(expected);
  expect(await documentCount()).toBe(before);
  return answer;
}

describe('ingestion attacks: credentials', () => {
  test('1. no key, and unknown, malformed, revoked, expired and rotated-out keys get one and the same 401', async () => {
    const { deps } = app.app;
    const bound = { ...place(), kind: 'workflow', workflowId: app.seed.workflowId } as const;
    const revoked = await issueKey(deps, bound);
    await revokeKey(deps, bound.organizationId, revoked.record._id, 'test');
    const expired = await issueKey(deps, { ...bound, expiresAt: new Date(Date.now() - 1) });
    const rotated = await issueKey(deps, bound);
    await deps.apiKeys.replace(bound.organizationId, rotated.record._id, 'key_new', new Date(Date.now() - 1));
    const keys = [
      undefined,
      '',
      'x',
      newKeySecret('workflow'),
      newKeySecret('service'),
      `${app.seed.workflowKey}x`,
      app.seed.workflowKey.toUpperCase(),
      'a'.repeat(8_000),
      revoked.secret,
      expired.secret,
      rotated.secret,
    ];
    for (const body of [png, { contentType: 5 }, undefined]) {
      const answers = await Promise.all(keys.map((key) => app.call('POST', presign, { key, body })));
      for (const answer of answers) {
        expect(told(answer)).toEqual(told(answers[0] as Answer));
        expect(answer.headers.get('www-authenticate')).toBe(answers[0]?.headers.get('www-authenticate'));
        expect(coded(answer)).toBe('401 auth.unauthorized');
      }
    }
    const elsewhere = await app.call('GET', `/api/service/documents/${newId('document')}`, { key: revoked.secret });
    const here = await app.call('POST', presign, { body: png });
    expect(told(elsewhere)).toEqual(told(here));
  });

  test('1. a body is not looked at before the caller is known', async () => {
    const bodies = [
      { raw: '{ broken' },
      { raw: 'x'.repeat(2 * 1024 * 1024) },
      { raw: 'a=1', headers: { 'content-type': 'text/plain' } },
    ];
    for (const options of bodies) expect((await app.call('POST', presign, options)).status).toBe(401);
  });

  test('2. a key with a typo is refused without a word to the database', async () => {
    const database = await testDatabase();
    await using proxy = await databaseProxy(database.uri);
    {
      await using far = await startTestApp({ env: { SERVICES: 'api', MONGODB_URI: proxy.uri } });
      const attempt = (key: string) => far.call('POST', presign, { key, body: png });
      const { workflowKey } = far.seed;
      expect((await attempt(workflowKey)).status).toBe(200);
      const before = proxy.messages();
      const typos = workflowKey
        .split('')
        .map((letter, at) => workflowKey.slice(0, at) + (letter === 'a' ? 'b' : 'a') + workflowKey.slice(at + 1));
      for (const answer of await Promise.all(typos.map(attempt))) expect(answer.status).toBe(401);
      expect(proxy.messages()).toBe(before);
      // The count is one of real messages: a well-formed key is looked up.
      expect((await attempt(newKeySecret('workflow'))).status).toBe(401);
      expect(proxy.messages()).toBe(before + 1);
    }
    await database.close();
  });

  test('3. a service key on ingestion and a workflow key on the service API get 403', async () => {
    const { workflowKey, serviceKey } = app.seed;
    for (const path of [presign, ack])
      expect(coded(await app.call('POST', path, { key: serviceKey, body: png }))).toBe('403 auth.forbidden');
    for (const path of ['uploads/presign', 'uploads/ack', 'workflow-executions', 'documents/visibility'])
      expect(coded(await app.call('POST', `/api/service/${path}`, { key: workflowKey, body: {} }))).toBe(
        '403 auth.forbidden',
      );
    for (const path of [
      'workflows',
      'documents',
      `documents/${newId('document')}`,
      `workflow-executions/${newId('execution')}`,
    ])
      expect(coded(await app.call('GET', `/api/service/${path}`, { key: workflowKey }))).toBe('403 auth.forbidden');
  });

  test('4. a key in the query, a cookie or another header is not read', async () => {
    const { workflowKey } = app.seed;
    for (const name of ['key', 'api_key', 'apiKey', 'x-api-key', 'access_token'])
      expect((await app.call('POST', `${presign}?${name}=${workflowKey}`, { body: png })).status).toBe(401);
    for (const headers of [{ authorization: `Bearer ${workflowKey}` }, { cookie: `x-api-key=${workflowKey}` }])
      expect((await app.call('POST', presign, { body: png, headers })).status).toBe(401);
    const twice = await app.call('POST', presign, {
      body: png,
      headers: { 'x-api-key': `${workflowKey}, ${workflowKey}` },
    });
    expect(twice.status).toBe(401);
  });
});

describe('ingestion attacks: what is declared', () => {
  test.each(['0', '-1', '1.5', '"10"', '1e309', '-0', 'null', '[10]', '1e16', 'true', '{}'])(
    '5. size %s is refused with 400',
    async (size) => {
      const raw = `{"contentType":"image/png","size":${size}}`;
      const answer = await app.call('POST', presign, { key: app.seed.workflowKey, raw });
      expect(coded(answer)).toBe('400 request.invalid');
      expect(answer.body.errors[0].pointer).toBe('/size');
    },
  );

  test('5. a size above the limit is refused with 413, the limit itself is not', async () => {
    const ask = (size: number) =>
      app.call('POST', presign, { key: app.seed.workflowKey, body: { contentType: 'image/png', size } });
    expect(coded(await ask(1_000_001))).toBe('413 upload.too_large');
    expect(coded(await ask(Number.MAX_SAFE_INTEGER))).toBe('413 upload.too_large');
    expect((await ask(1_000_000)).status).toBe(200);
  });

  test.each([
    ['text/html', '415 upload.content_type'],
    ['image/svg+xml', '415 upload.content_type'],
    ['image/png\r\nX: y', '415 upload.content_type'],
    ['image/png; charset=x', '415 upload.content_type'],
    ['image/png\0', '415 upload.content_type'],
    ['__proto__', '415 upload.content_type'],
    [['image/png'], '400 request.invalid'],
    [{ toString: 'image/png' }, '400 request.invalid'],
    ['', '400 request.invalid'],
    ['image/'.repeat(100), '400 request.invalid'],
    [null, '400 request.invalid'],
  ])('6. contentType %j is refused', async (contentType, expected) => {
    const answer = await app.call('POST', presign, { key: app.seed.workflowKey, body: { contentType, size: 10 } });
    expect(coded(answer)).toBe(expected);
    expect(answer.headers.get('x')).toBeNull();
  });

  test('6. fields that are not known are refused, prototypes included', async () => {
    for (const raw of [
      '"visibility":"public"',
      '"__proto__":{"contentType":"x"}',
      '"constructor":1',
      '"organizationId":"org_x"',
    ]) {
      const body = `{"contentType":"image/png","size":10,${raw}}`;
      expect(coded(await app.call('POST', presign, { key: app.seed.workflowKey, raw: body }))).toBe(
        '400 request.invalid',
      );
    }
  });
});

describe('ingestion attacks: acknowledging', () => {
  test('7. an object that was never uploaded is 409, and leaves no document and no event', async () => {
    const { body } = await app.call('POST', presign, { key: app.seed.workflowKey, body: png });
    const answer = await refusedWithoutDocument(body.objectKey, '409 upload.object_missing');
    expect(answer.headers.get('retry-after')).toBe('1');
    const token = body.objectKey.split('/').at(-1).split('.')[0];
    expect(await stored.runs.countDocuments({ documentId: `doc_${token}` })).toBe(0);
    expect(await eventsIn(stored, { documentId: `doc_${token}` })).toEqual([]);
  });

  test("8. another key's, project's, organization's and family's object is 404, as an unknown one is", async () => {
    const { deps } = app.app;
    const colleague = await issueKey(deps, { ...place(), kind: 'workflow', workflowId: app.seed.workflowId });
    const [project, organization] = [await addNeighbour(app, 'project'), await addNeighbour(app, 'organization')];
    const mine = await app.put(tinyPng, 'image/png');
    const ofService = await app.put(tinyPng, 'image/png', app.seed.serviceKey);
    const unknown = mine.replace(/[^/]+$/, `${newId('document').slice(4)}.png`);
    const before = await documentCount();
    const reference = told(await app.call('POST', ack, { key: app.seed.workflowKey, body: { objectKey: unknown } }));
    expect(reference).toMatchObject({ status: 404, code: 'upload.not_found' });
    const attempts: [key: string, objectKey: string][] = [
      [colleague.secret, mine],
      [project.workflowKey, mine],
      [organization.workflowKey, mine],
      [app.seed.workflowKey, ofService],
    ];
    for (const [key, objectKey] of attempts)
      expect(told(await app.call('POST', ack, { key, body: { objectKey } }))).toEqual(reference);
    for (const [key, objectKey] of [
      [app.seed.serviceKey, mine],
      [project.serviceKey, ofService],
      [organization.serviceKey, ofService],
    ])
      expect(
        coded(await app.call('POST', '/api/service/uploads/ack', { key, body: { objectKey, idempotencyKey: 'a8' } })),
      ).toBe('404 upload.not_found');
    expect(await documentCount()).toBe(before);
    expect((await app.call('POST', ack, { key: app.seed.workflowKey, body: { objectKey: mine } })).status).toBe(201);
    // An acknowledged one tells a stranger no more than a pending one.
    for (const [key, objectKey] of attempts.slice(0, 3))
      expect(told(await app.call('POST', ack, { key, body: { objectKey } }))).toEqual(reference);
  });

  test.each([
    '../../etc/passwd',
    'uploads/../secrets/a/b/c',
    'uploads/a/b/c/..',
    'uploads/%2e%2e/a/b/c.png',
    'uploads/a/b/c/d\0.png',
    '/uploads/a/b/c/d.png',
    'uploads//a/b/c.png',
    'uploads\\a\\b\\c\\d.png',
    'documents/a/b/c/original.png',
    `uploads/${'a/'.repeat(1_024)}b.png`,
    'uploads/a/b/c/ä.png',
    '',
    7,
    ['uploads/a/b/c/d.png'],
    { $ne: '' },
  ])('9. the objectKey %j is refused with 400', async (objectKey) => {
    const answer = await app.call('POST', ack, { key: app.seed.workflowKey, body: { objectKey } });
    expect(coded(answer)).toBe('400 request.invalid');
    expect(answer.body.errors[0].pointer).toBe('/objectKey');
  });

  test('10. twenty parallel acks and a late one make one document, one event and one execution, and are answered alike', async () => {
    await using whole = await startTestApp({ env: { SERVICES: 'api,agents' } });
    const objectKey = await whole.put(tinyPng, 'image/png');
    const acknowledge = () => whole.call('POST', ack, { key: whole.seed.workflowKey, body: { objectKey } });
    const answers = await Promise.all(Array.from({ length: 20 }, acknowledge));
    await whole.app.idle();
    const statuses = answers.map((answer) => answer.status).toSorted((a, b) => a - b);
    expect(statuses).toEqual([...Array.from({ length: 19 }, () => 200), 201]);
    const [first] = answers;
    // A run may have read and described the document between two answers: all else is the same in each.
    const asMade = ({ document, ...rest }: { document: Record<string, unknown> }) => {
      const { ocr: _ocr, description: _text, descriptionModelLabel: _label, title: _title, ...made } = document;
      return { ...rest, document: made };
    };
    expect(Object.keys(asMade(first?.body).document)).toEqual(
      expect.arrayContaining(['id', 'objectKey', 'createdAt', 'sha256', 'sizeBytes', 'thumbnailUrl', 'pages']),
    );
    for (const answer of answers) expect(asMade(answer.body)).toEqual(asMade(first?.body));
    const late = await acknowledge();
    expect(late.status).toBe(200);
    expect(late.body.document).toMatchObject({
      id: first?.body.document.id,
      createdAt: first?.body.document.createdAt,
    });
    await whole.app.idle();
    const inside = await collectionsIn(whole.dataDir);
    const documentId = first?.body.document.id as string;
    const { organizationId } = whole.seed;
    expect(await inside.documents.countDocuments({ organizationId })).toBe(1);
    expect(await inside.documents.countDocuments({ organizationId, pendingEvents: { $ne: [] } })).toBe(0);
    expect(await inside.executions.countDocuments({ organizationId })).toBe(1);
    expect(await inside.runs.countDocuments({ organizationId, documentId })).toBe(1);
    for (const type of ['document.created', 'run.created', 'run.completed'] as const)
      expect(await eventsIn(inside, { organizationId, type })).toHaveLength(1);
    await inside.close();
  });

  test.each([
    ['HTML', Buffer.from('<!doctype html><script>alert(1)</script>'), '422 upload.mismatch'],
    [
      'a ZIP',
      Buffer.from('PK\u0003\u0004aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa'),
      '422 upload.mismatch',
    ],
    ['an SVG', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'), '422 upload.mismatch'],
    ['a GIF', Buffer.from('GIF89a\u0001\0\u0001\0\0\0\0;'), '422 upload.mismatch'],
    ['a PNG cut in its header', tinyPng.subarray(0, 20), '422 image.undecodable'],
    ['a PNG cut in its pixels', tinyPng.subarray(0, -16), '422 image.undecodable'],
    ['eight magic bytes and nothing', tinyPng.subarray(0, 8), '422 image.undecodable'],
    ['a PNG of 0 x 0', Buffer.concat([pngHeader(0, 0), pngChunk('IEND')]), '422 image.undecodable'],
  ])('11. %s declared as image/png is 422, and makes no document', async (_what, bytes, expected) => {
    await refusedWithoutDocument(await app.put(bytes, 'image/png'), expected);
  });

  test('12. a bomb of 20000 x 20000 pixels is 422 and costs no memory', async () => {
    const pixels = deflateSync(Buffer.alloc(4_000_000));
    const bomb = Buffer.concat([pngHeader(20_000, 20_000), pngChunk('IDAT', pixels), pngChunk('IEND')]);
    const objectKey = await app.put(bomb, 'image/png');
    const attempt = () => refusedWithoutDocument(objectKey, '422 image.too_large');
    await attempt();
    const before = process.memoryUsage().rss;
    for (let round = 0; round < 10; round += 1) await attempt();
    // Ten decoded ones would be 4 to 16 GB.
    expect(process.memoryUsage().rss - before).toBeLessThan(64 * 1024 * 1024);
  });

  test('15. when the workflow of the key is gone the ack is still answered, and the execution says why it failed', async () => {
    await using whole = await startTestApp({ env: { SERVICES: 'api,agents' } });
    const { organizationId, projectId, workflowId, serviceKey } = whole.seed;
    await whole.app.deps.workflows.delete({ organizationId, projectIds: [projectId] }, workflowId);
    const document = await whole.ingest(tinyPng, 'image/png');
    await whole.app.idle();
    const execution = await whole.call(
      'GET',
      `/api/service/workflow-executions/${document.id.replace('doc_', 'exec_')}`,
      { key: serviceKey },
    );
    expect(execution.body).toMatchObject({
      status: 'failed',
      workflowId,
      version: null,
      counts: { total: 1, failed: 1 },
    });
    expect(execution.body.runs[0].error).toMatchObject({ code: 'workflow.not_found' });
    const found = await whole.call('GET', `/api/service/documents/${document.id}`, { key: serviceKey });
    expect(found.body).toMatchObject({ ocr: null, description: null });
  });
});
