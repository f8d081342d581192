import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newId } from '#src/domain/ids.ts';
import { issueKey } from '#tools/keys/issue-key.ts';
import type { Seed } from '#app/compose/seed.ts';
import { addNeighbour } from '#test/support/neighbour.ts';
import { collectionsIn } from '#test/support/stored.ts';
import { startTestApp, tinyPng, type Answer, type CallOptions, type TestApp } from '#test/support/test-app.ts';

const executions = '/api/service/workflow-executions';

let app: TestApp;
let stored: Awaited<ReturnType<typeof collectionsIn>>;
let documentIds: [string, string];
let neighbours: { project: Seed; organization: Seed };
beforeAll(async () => {
  // No agents service: executions stay queued, so answers are the same whenever they are given.
  app = await startTestApp({ env: { SERVICES: 'api' } });
  stored = await collectionsIn(app.dataDir);
  documentIds = [(await app.store(tinyPng, 'image/png')).id, (await app.store(tinyPng, 'image/png')).id];
  neighbours = { project: await addNeighbour(app, 'project'), organization: await addNeighbour(app, 'organization') };
});
afterAll(async () => {
  await stored.close();
  await app[Symbol.asyncDispose]();
});

let keys = 0;
const freshKey = (): string => `attack-${(keys += 1)}`;
const coded = ({ status, body }: Answer): string => `${status} ${body.code}`;
const execute = (body: unknown, more: CallOptions = {}) =>
  app.call('POST', executions, { key: app.seed.serviceKey, ...(body === undefined ? {} : { body }), ...more });
const asked = (more: object = {}) => ({ workflowId: app.seed.workflowId, documentIds, ...more });

/** Counts the executions that `work` made, over all tenants. */
async function made(work: () => Promise<unknown>): Promise<number> {
  const before = await stored.executions.countDocuments({});
  await work();
  return (await stored.executions.countDocuments({})) - before;
}

/** A problem without what names this one request; `id` is the id that its address repeats. */
const told = ({ body }: Answer, id?: string): unknown => {
  const text = JSON.stringify({ ...body, requestId: 'any' });
  return JSON.parse(id === undefined ? text : text.replaceAll(id, 'ID'));
};

describe('service attacks: idempotency', () => {
  test('27. the same key and body, members in another order, get the first answer, and one execution', async () => {
    const idempotencyKey = freshKey();
    const initialState = { a: 1, b: { c: [1, 2], d: null } };
    const bodies = [
      `{"workflowId":"${app.seed.workflowId}","documentIds":${JSON.stringify(documentIds)},"idempotencyKey":"${idempotencyKey}","initialState":${JSON.stringify(initialState)}}`,
      ` {"initialState":{"b":{"d":null,"c":[1,2]},"a":1.0},\n"idempotencyKey":"${idempotencyKey}","documentIds":${JSON.stringify(documentIds)},"workflowId":"${app.seed.workflowId}"}`,
    ];
    const answers: Answer[] = [];
    const count = await made(async () => {
      for (const raw of [...bodies, ...bodies]) answers.push(await execute(undefined, { raw }));
    });
    expect(count).toBe(1);
    for (const answer of answers) expect(answer).toMatchObject({ status: 202, body: answers[0]?.body });
    expect(answers.map((answer) => answer.headers.get('idempotent-replayed'))).toEqual([null, 'true', 'true', 'true']);
    expect(new Set(answers.map((answer) => answer.headers.get('location'))).size).toBe(1);
  });

  test('27. the header Idempotency-Key is the same key; both and different is 400', async () => {
    const key = freshKey();
    const first = await execute(asked({ idempotencyKey: key }));
    const again = await execute(asked(), { headers: { 'idempotency-key': key } });
    expect(again.body).toEqual(first.body);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    const torn = await execute(asked({ idempotencyKey: key }), { headers: { 'idempotency-key': 'other' } });
    expect(coded(torn)).toBe('400 request.invalid');
  });

  test('28. the same key with another body is 409, whatever differs, and starts nothing', async () => {
    const idempotencyKey = freshKey();
    await execute(asked({ idempotencyKey }));
    const others = [
      asked({ idempotencyKey, documentIds: [documentIds[0]] }),
      asked({ idempotencyKey, documentIds: documentIds.toReversed() }),
      asked({ idempotencyKey, initialState: {} }),
      { workflowId: app.seed.workflowId, scope: {}, idempotencyKey },
      asked({ idempotencyKey, workflowId: newId('workflow') }),
    ];
    const count = await made(async () => {
      for (const body of others) {
        const answer = await execute(body);
        expect(coded(answer)).toBe('409 idempotency.key_reused');
        expect(answer.body.errors[0].pointer).toBe('/idempotencyKey');
      }
    });
    expect(count).toBe(0);
  });

  test('28. a request that was refused does not take its key', async () => {
    const idempotencyKey = freshKey();
    expect(coded(await execute(asked({ idempotencyKey, workflowId: newId('workflow') })))).toBe(
      '404 workflow.not_found',
    );
    expect(coded(await execute(asked({ idempotencyKey, documentIds: [newId('document')] })))).toBe(
      '404 document.not_found',
    );
    expect(coded(await execute(asked({ idempotencyKey, nonsense: 1 })))).toBe('400 request.invalid');
    expect((await execute(asked({ idempotencyKey }))).status).toBe(202);
  });

  test('29. twenty identical requests at once make one execution and get twenty equal answers', async () => {
    const idempotencyKey = freshKey();
    const answers: Answer[] = [];
    const count = await made(async () => {
      answers.push(...(await Promise.all(Array.from({ length: 20 }, () => execute(asked({ idempotencyKey }))))));
    });
    expect(count).toBe(1);
    for (const answer of answers) expect(answer).toMatchObject({ status: 202, body: answers[0]?.body });
    expect(await stored.runs.countDocuments({ executionId: answers[0]?.body.id })).toBe(2);
  });

  test('29. of twenty different bodies under one key at once exactly one is taken', async () => {
    const idempotencyKey = freshKey();
    const answers: Answer[] = [];
    const count = await made(async () => {
      const bodies = Array.from({ length: 20 }, (_, at) => asked({ idempotencyKey, initialState: { at } }));
      answers.push(...(await Promise.all(bodies.map((body) => execute(body)))));
    });
    expect(count).toBe(1);
    expect(answers.map((answer) => answer.status).toSorted((a, b) => a - b)).toEqual([
      202,
      ...Array.from({ length: 19 }, () => 409),
    ]);
  });

  test('30. another API key, and another endpoint, are independent', async () => {
    const { organizationId, projectId } = app.seed;
    const place = { organizationId, projectId, createdBy: 'test', name: 'Second', kind: 'service' } as const;
    const second = await issueKey(app.app.deps, place);
    const idempotencyKey = freshKey();
    const [mine, theirs] = [
      await execute(asked({ idempotencyKey })),
      await execute(asked({ idempotencyKey, documentIds: [documentIds[0]] }), { key: second.secret }),
    ];
    expect([mine.status, theirs.status]).toEqual([202, 202]);
    expect(theirs.body.id).not.toBe(mine.body.id);
    const objectKey = await app.put(tinyPng, 'image/png', app.seed.serviceKey);
    const acknowledge = () =>
      app.call('POST', '/api/service/uploads/ack', { key: app.seed.serviceKey, body: { objectKey, idempotencyKey } });
    expect((await acknowledge()).status).toBe(201);
    expect((await execute(asked({ idempotencyKey }))).body).toEqual(mine.body);
  });

  test('30. the service ack keeps to the same rules', async () => {
    const [one, other] = [
      await app.put(tinyPng, 'image/png', app.seed.serviceKey),
      await app.put(tinyPng, 'image/png', app.seed.serviceKey),
    ];
    const idempotencyKey = freshKey();
    const acknowledge = (body: object) =>
      app.call('POST', '/api/service/uploads/ack', { key: app.seed.serviceKey, body });
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => acknowledge({ objectKey: one, idempotencyKey })),
    );
    for (const answer of answers) expect(answer).toMatchObject({ status: 201, body: answers[0]?.body });
    expect(coded(await acknowledge({ objectKey: other, idempotencyKey }))).toBe('409 idempotency.key_reused');
    expect(coded(await acknowledge({ objectKey: other }))).toBe('400 request.invalid');
    const again = await acknowledge({ objectKey: one, idempotencyKey: freshKey() });
    expect(again).toMatchObject({ status: 200, body: { document: { id: answers[0]?.body.document.id } } });
  });

  test.each(['', 'k'.repeat(256), 5, null, ['a'], { $ne: '' }])(
    '30. the key %j is refused with 400',
    async (idempotencyKey) => {
      expect(coded(await execute(asked({ idempotencyKey })))).toBe('400 request.invalid');
    },
  );
});

describe('service attacks: what to run', () => {
  test('32. documentIds and scope both, or neither, is 400', async () => {
    const { workflowId } = app.seed;
    for (const body of [
      asked({ scope: {} }),
      { workflowId },
      asked({ scope: null }),
      { workflowId, documentIds: [] },
    ]) {
      const answer = await execute(body);
      expect(coded(answer)).toBe('400 request.invalid');
      expect(answer.body.errors[0].pointer).toMatch(/^\/(documentIds|scope)$/);
    }
  });

  test('33. one foreign or unknown id among the documents is 404, and nothing is started', async () => {
    const { organization, project } = neighbours;
    const foreign: string[] = [newId('document'), 'x', '__proto__', '../..', documentIds[0].toUpperCase()];
    for (const seed of [organization, project]) {
      const objectKey = await app.put(tinyPng, 'image/png', seed.serviceKey);
      const body = { objectKey, idempotencyKey: freshKey() };
      foreign.push(
        (await app.call('POST', '/api/service/uploads/ack', { key: seed.serviceKey, body })).body.document.id,
      );
    }
    const answers: Answer[] = [];
    const count = await made(async () => {
      for (const id of foreign) answers.push(await execute(asked({ documentIds: [...documentIds, id] })));
    });
    expect(count).toBe(0);
    for (const answer of answers) expect(told(answer)).toEqual(told(answers[0] as Answer));
    expect(coded(answers[0] as Answer)).toBe('404 document.not_found');
  });

  test('34. 10 001 ids, ids that repeat, and ids that are none are 400', async () => {
    const many = Array.from({ length: 10_001 }, () => newId('document'));
    for (const ids of [
      many,
      many.slice(0, 501),
      [documentIds[0], documentIds[0]],
      [5],
      [''],
      ['x'.repeat(129)],
      [[documentIds[0]]],
      'all',
    ])
      expect(coded(await execute(asked({ documentIds: ids })))).toBe('400 request.invalid');
    expect(coded(await execute(asked({ documentIds: many.slice(0, 500) })))).toBe('404 document.not_found');
  });

  const nested = (depth: number): string => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;
  test.each([
    ['__proto__', '{"__proto__":{"polluted":true}}', 400],
    ['deep __proto__', '{"a":[{"__proto__":{"polluted":true}}]}', 400],
    ['constructor', '{"constructor":{"prototype":{"polluted":true}}}', 400],
    ['prototype', '{"a":{"prototype":1}}', 400],
    ['$where', '{"$where":"sleep(1000)"}', 400],
    ['a nested operator', '{"a":{"$gt":""}}', 400],
    ['65 kB', `{"a":"${'x'.repeat(65 * 1024)}"}`, 400],
    ['65 kB of small members', `{${Array.from({ length: 8_000 }, (_, at) => `"k${at}":0`).join(',')}}`, 400],
    ['1 MB', `{"a":"${'x'.repeat(1024 * 1024)}"}`, 413],
    ['33 levels', nested(33), 400],
    ['1 000 levels', nested(1_000), 400],
    ['100 000 levels', nested(100_000), 400],
    ['an array', '[1]', 400],
    ['a text', '"x"', 400],
    ['null', 'null', 400],
    ['a number beyond every number', '{"a":1e400}', 400],
    ['a member name with NUL', '{"a\\u0000b":1}', 400],
  ])('35. initialState with %s is refused', async (_what, initialState, status) => {
    for (const key of ['', `,"idempotencyKey":"${freshKey()}"`]) {
      const raw = `{"workflowId":"${app.seed.workflowId}","documentIds":${JSON.stringify(documentIds)},"initialState":${initialState}${key}}`;
      const count = await made(async () => expect((await execute(undefined, { raw })).status).toBe(status));
      expect(count).toBe(0);
    }
    expect(Object.getOwnPropertyNames(Object.prototype)).not.toContain('polluted');
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });

  test('35. an initialState at the limits is kept as it is', async () => {
    const initialState = JSON.parse(
      `{"deep":${nested(30)},"dots.and spaces":"\\u0000 \\ud83e\\udd84","big":${2 ** 53 - 1},"tiny":5e-324}`,
    );
    const { status, body } = await execute(asked({ initialState }));
    expect(status).toBe(202);
    expect((await stored.executions.findOne({ _id: body.id }))?.initialState).toEqual(initialState);
  });

  test('38. a workflow of another project or organization, an unknown and an unpublished one get the same 404', async () => {
    const { deps } = app.app;
    const { organizationId, projectId, workflowId } = app.seed;
    const own = await deps.workflows.find({ organizationId, projectIds: [projectId] }, workflowId);
    const version = await deps.workflows.findVersion(organizationId, workflowId, 1);
    if (own === null || version === null) throw new Error('the seeded workflow is missing');
    const unpublished = { ...own, _id: newId('workflow'), codeName: null, publishedVersion: null };
    await deps.workflows.insert(unpublished, {
      version: { ...version, _id: `${unpublished._id}@1`, workflowId: unpublished._id },
    });
    const ids = [
      newId('workflow'),
      neighbours.project.workflowId,
      neighbours.organization.workflowId,
      unpublished._id,
      'wf',
      '$ne',
    ];
    const answers: Answer[] = [];
    const count = await made(async () => {
      for (const id of ids) answers.push(await execute(asked({ workflowId: id })));
    });
    expect(count).toBe(0);
    for (const answer of answers) expect(told(answer)).toEqual(told(answers[0] as Answer));
    expect(coded(answers[0] as Answer)).toBe('404 workflow.not_found');
  });
});

describe('service attacks: reading and requests', () => {
  test.each(['0', '-1', '1e9', '1000000000', 'abc', '', ' 5', '5.5', '0x5', '٥', '1&limit=2', '[]', '5%00'])(
    '36. limit=%s is 400',
    async (limit) => {
      const answer = await app.call('GET', `/api/service/documents?limit=${limit}`, { key: app.seed.serviceKey });
      expect(coded(answer)).toBe('400 request.invalid');
      expect(answer.body.errors[0].pointer).toBe('/limit');
    },
  );

  test('36. limits at the edges are kept, and unknown parameters are refused', async () => {
    for (const limit of [1, 100]) {
      const { status, body } = await app.call('GET', `/api/service/documents?limit=${limit}`, {
        key: app.seed.serviceKey,
      });
      expect(status).toBe(200);
      expect(body.documents.length).toBeLessThanOrEqual(limit);
    }
    for (const query of [
      'limits=5',
      'limit[$gt]=5',
      '__proto__=1',
      'organizationId=org_x',
      'apiKeyBound=yes',
      'apiKeyBound=true&apiKeyBound=false',
    ])
      expect((await app.call('GET', `/api/service/documents?${query}`, { key: app.seed.serviceKey })).status).toBe(400);
  });

  test('36. a cursor that was forged, or given for another list or tenant, is 400', async () => {
    const list = (query: string, key = app.seed.serviceKey) =>
      app.call('GET', `/api/service/documents?${query}`, { key });
    const { body } = await list('limit=1');
    const cursor = encodeURIComponent(body.nextCursor);
    expect((await list(`limit=1&cursor=${cursor}`)).status).toBe(200);
    const [payload = '', signature = ''] = String(body.nextCursor).split('.');
    const moved = Buffer.from('9999999999999.doc_x').toString('base64url');
    for (const forged of [
      'x',
      '.',
      'a.b.c',
      payload,
      `${moved}.${signature}`,
      `${payload}.${signature.slice(1)}`,
      `${payload}.`,
      'A'.repeat(900),
    ])
      expect(coded(await list(`cursor=${encodeURIComponent(forged)}`))).toBe('400 request.cursor_invalid');
    expect(coded(await list(`apiKeyBound=true&cursor=${cursor}`))).toBe('400 request.cursor_invalid');
    expect(coded(await list(`cursor=${cursor}`, neighbours.project.serviceKey))).toBe('400 request.cursor_invalid');
    expect(coded(await list(`cursor=${cursor}`, neighbours.organization.serviceKey))).toBe(
      '400 request.cursor_invalid',
    );
  });

  test.each(['PUBLIC', 'Public', 'public ', '', 'all', true, null, ['public']])(
    '37. the visibility %j is 400',
    async (visibility) => {
      const change = await app.call('POST', '/api/service/documents/visibility', {
        key: app.seed.serviceKey,
        body: { documentIds, visibility },
      });
      const presign = { contentType: 'image/png', size: 10, visibility };
      expect(coded(change)).toBe('400 request.invalid');
      expect(
        coded(await app.call('POST', '/api/service/uploads/presign', { key: app.seed.serviceKey, body: presign })),
      ).toBe('400 request.invalid');
    },
  );

  test('37. a foreign document changes no visibility, neither its own nor that of the others', async () => {
    const change = (ids: readonly string[], key = app.seed.serviceKey) =>
      app.call('POST', '/api/service/documents/visibility', { key, body: { documentIds: ids, visibility: 'public' } });
    for (const seed of [neighbours.project, neighbours.organization])
      expect(coded(await change(documentIds, seed.serviceKey))).toBe('404 document.not_found');
    expect(coded(await change([...documentIds, newId('document')]))).toBe('404 document.not_found');
    expect(await stored.documents.countDocuments({ visibility: 'public' })).toBe(0);
  });

  test('39. an execution and a document of another tenant are 404, told as unknown ones are', async () => {
    const { body } = await execute(asked());
    const cases = [
      { path: executions, id: body.id as string, unknown: newId('execution') },
      { path: '/api/service/documents', id: documentIds[0], unknown: newId('document') },
    ];
    for (const { path, id, unknown } of cases) {
      for (const seed of [neighbours.project, neighbours.organization]) {
        const key = seed.serviceKey;
        const [foreign, missing] = [
          await app.call('GET', `${path}/${id}`, { key }),
          await app.call('GET', `${path}/${unknown}`, { key }),
        ];
        expect(foreign.status).toBe(404);
        expect(told(foreign, id)).toEqual(told(missing, unknown));
      }
      expect((await app.call('GET', `${path}/${id}`, { key: app.seed.serviceKey })).status).toBe(200);
    }
  });

  test.each(['%00', '..%2f..', '%2e%2e%2f', 'a'.repeat(129), '$ne', '%ff', '{"$gt":""}', "' or 1=1"])(
    '39. the id %s finds nothing',
    async (id) => {
      for (const path of [executions, '/api/service/documents'])
        expect([400, 404]).toContain((await app.call('GET', `${path}/${id}`, { key: app.seed.serviceKey })).status);
    },
  );

  test('40. bad JSON is 400, a body of 2 MB 413, another content type 415', async () => {
    const send = (raw: string | Buffer, type = 'application/json') =>
      execute(undefined, { raw, headers: { 'content-type': type } });
    for (const raw of ['{', '', '{"a":1}x', "{'a':1}", '"text"', '5', 'null', '[]', '\u{feff}{"a":}', '{"a":NaN}'])
      expect((await send(raw)).status).toBe(400);
    expect(coded(await send('{'))).toBe('400 request.malformed');
    expect(coded(await send(`{"a":"${'x'.repeat(2 * 1024 * 1024)}"}`))).toBe('413 request.too_large');
    const good = JSON.stringify(asked());
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'application/jsonp',
      'application/json; charset=iso-8859-1',
      '',
    ])
      expect(coded(await send(good, type))).toBe('415 request.media_type');
    expect((await send(good, 'Application/JSON; charset=UTF-8')).status).toBe(202);
    const packed = await execute(undefined, { raw: good, headers: { 'content-encoding': 'rot13' } });
    expect(coded(packed)).toBe('415 request.media_type');
  });

  test('40. a compressed body that grows beyond the limit is 413', async () => {
    const { gzipSync } = await import('node:zlib');
    const raw = gzipSync(`{"a":"${'x'.repeat(50 * 1024 * 1024)}"}`);
    expect(coded(await execute(undefined, { raw, headers: { 'content-encoding': 'gzip' } }))).toBe(
      '413 request.too_large',
    );
  });

  test('40. request ids come back, hostile ones are replaced', async () => {
    const ask = (id: string) => app.call('GET', executions, { headers: { 'x-request-id': id } });
    expect((await ask('trace-1.A')).headers.get('x-request-id')).toBe('trace-1.A');
    for (const id of ['a b', '<script>', 'x'.repeat(129), '{"a":1}']) {
      const { headers, body } = await ask(id);
      expect(headers.get('x-request-id')).toMatch(/^req_[0-9A-Za-z]{22}$/);
      expect(body.requestId).toBe(headers.get('x-request-id'));
    }
  });
});
