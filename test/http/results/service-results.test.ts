import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ingestion } from '#src/contracts/ingestion.ts';
import { serviceResults } from '#src/contracts/results/service-rows.ts';
import { executionIdOf } from '#src/domain/ids.ts';
import { issueKey } from '#tools/keys/issue-key.ts';
import { replyOf } from '#test/spec/support/replies.ts';
import { addNeighbour } from '#test/support/neighbour.ts';
import { fixture, startTestApp, tinyPng, type CallOptions, type TestApp } from '#test/support/test-app.ts';
import { entriesOf } from '#test/spec/support/zip-entries.ts';
import { verifies } from '#test/support/verifies.ts';

/** Results that a server reads of documents, and an uploader of its uploads. */
let app: TestApp;
let id: string;
beforeAll(async () => {
  app = await startTestApp({ env: { SERVICES: 'api,agents' } });
  ({ id } = await app.ingest(await fixture('statement.tiff'), 'image/tiff', 'Auszug 02.2024.tiff'));
  await app.app.idle();
});
afterAll(() => app[Symbol.asyncDispose]());

const documents = '/api/service/documents';
const call = (method: string, path: string, options: CallOptions = {}) =>
  app.call(method, path, { key: app.seed.agentKey, ...options });
const codeOf = async (method: string, path: string, options: CallOptions = {}): Promise<string> => {
  const { status, body } = await call(method, path, options);
  return `${status} ${body.code ?? ''}`.trim();
};

describe('results with a service key', () => {
  verifies('service.documents.results', async () => {
    const ocr = replyOf(serviceResults.ocr, await call('GET', `${documents}/${id}/ocr`));
    expect(ocr.results[0]?.result.pages.length).toBeGreaterThan(1);
    const cookie = await app.signIn();
    expect((await app.call('GET', `/api/dashboard/documents/${id}/ocr`, { cookie })).body).toEqual(ocr);
    const { results } = replyOf(serviceResults.segmentations, await call('GET', `${documents}/${id}/segmentations`));
    expect(Array.isArray(results)).toBe(true);
    const files = replyOf(serviceResults.files, await call('GET', `${documents}/${id}/files`));
    const original = await fetch(files.originalUrl);
    expect(original.headers.get('content-disposition')).toContain('attachment; filename="Auszug 02.2024.tiff"');
    expect(Buffer.from(await original.arrayBuffer())).toEqual(await fixture('statement.tiff'));
    const picture = await fetch(files.pageImages[1]?.url ?? '');
    expect([picture.status, picture.headers.get('content-type')]).toEqual([200, 'image/webp']);
  });

  verifies('service.documents.page', async () => {
    const { page, imageUrl, pages } = replyOf(serviceResults.page, await call('GET', `${documents}/${id}/pages/1`));
    const whole = (await call('GET', `${documents}/${id}/ocr`)).body.results[0];
    expect(page).toEqual(whole.result.pages[1]);
    expect(page?.lines[0]?.words[0]?.box).toHaveLength(4);
    expect(pages).toBe(whole.result.pages.length);
    expect((await fetch(imageUrl)).status).toBe(200);
    const unread = await app.store(tinyPng, 'image/png');
    expect(await codeOf('GET', `${documents}/${id}/pages/99`)).toBe('400 request.invalid');
    expect(await codeOf('GET', `${documents}/${id}/pages/-1`)).toBe('400 request.invalid');
    expect(await codeOf('GET', `${documents}/${unread.id}/pages/0`)).toBe('409 document.unread');
  });

  verifies('service.search', async () => {
    const found = replyOf(serviceResults.search, await call('GET', '/api/service/search?query=Auszug'));
    expect(found.documents.map((one) => one.id)).toContain(id);
    expect(found.documents[0]?.highlights.length).toBeGreaterThan(0);
    expect(await codeOf('GET', '/api/service/search')).toBe('400 request.invalid');
  });

  verifies('service.ask', async () => {
    const question = { question: 'What is the closing balance?', documentIds: [id] };
    const answer = replyOf(serviceResults.ask, await call('POST', '/api/service/ask', { body: question }));
    expect(answer.sources[0]?.documentId).toBe(id);
    expect(answer.answerText).not.toBe('');
    const foreign = { ...question, documentIds: ['doc_none'] };
    expect(await codeOf('POST', '/api/service/ask', { body: foreign })).toBe('404 document.not_found');
  });
});

describe('names, tags and deletion', () => {
  verifies('service.documents.update', async () => {
    const change = {
      filename: 'archive/Zeppelin.tiff',
      title: 'Statement of the Zeppelin account',
      tags: ['paid', '2024'],
    };
    const changed = replyOf(serviceResults.update, await call('PATCH', `${documents}/${id}`, { body: change }));
    expect(changed).toMatchObject({ filename: 'Zeppelin.tiff', title: change.title, tags: ['paid', '2024'] });
    const search = async () => (await call('GET', '/api/service/search?query=zeppelin')).body.documents;
    expect(await search()).toMatchObject([{ id }]);
    // A run indexes the document again.
    const run = { workflowId: app.seed.workflowId, documentIds: [id] };
    await call('POST', '/api/service/workflow-executions', { body: run });
    await app.app.idle();
    expect(await search()).toMatchObject([{ id, title: change.title }]);
    const reset = await call('PATCH', `${documents}/${id}`, { body: { title: null, filename: 'Auszug 02.2024.tiff' } });
    expect(reset.body.title).not.toBe(change.title);
    expect(await search()).toEqual([]);
    for (const body of [
      {},
      { tags: ['a', 'a'] },
      { tags: ['-'] },
      { title: ' ' },
      { filename: '../' },
      { owner: 'me' },
    ])
      expect(await codeOf('PATCH', `${documents}/${id}`, { body }), JSON.stringify(body)).toBe('400 request.invalid');
    expect(await codeOf('PATCH', `${documents}/${id}`, { body: change, key: app.seed.workflowKey })).toBe(
      '403 auth.forbidden',
    );
    const cookie = await app.signIn();
    const body = { tags: ['paid'] };
    const shown = await app.call('PATCH', `/api/dashboard/documents/${id}`, { cookie, body });
    expect([shown.status, shown.body.tags]).toEqual([200, ['paid']]);
  });

  verifies('service.documents.tag', async () => {
    const other = await app.store(tinyPng, 'image/png');
    await call('PATCH', `${documents}/${other.id}`, { body: { tags: ['Straße 1', 'both'] } });
    await call('PATCH', `${documents}/${id}`, { body: { tags: ['both'] } });
    const tagged = async (tag: string): Promise<string[]> =>
      (await call('GET', `${documents}?tag=${encodeURIComponent(tag)}`)).body.documents.map(
        (one: { id: string }) => one.id,
      );
    expect(await tagged('Straße 1')).toEqual([other.id]);
    expect(await tagged('both')).toEqual([other.id, id]);
    expect(await tagged('none')).toEqual([]);
    const first = await call('GET', `${documents}?tag=both&limit=1`);
    expect(await codeOf('GET', `${documents}?limit=1&cursor=${first.body.nextCursor}`)).toBe(
      '400 request.cursor_invalid',
    );
    await call('PATCH', `${documents}/${other.id}`, { body: { tags: [] } });
    expect(await tagged('both')).toEqual([id]);
  });

  verifies('service.documents.delete', async () => {
    const gone = await app.ingest(await fixture('receipt.jpg'), 'image/jpeg');
    const path = `${documents}/${gone.id}`;
    expect(await codeOf('DELETE', path, { key: app.seed.workflowKey })).toBe('403 auth.forbidden');
    expect((await call('DELETE', path)).body).toEqual({ id: gone.id, deleted: true });
    await app.app.idle();
    for (const [method, where] of [
      ['DELETE', path],
      ['GET', `${path}/files`],
      ['GET', `${path}/pages/0`],
    ] as const)
      expect(await codeOf(method, where)).toBe('404 document.not_found');
    const upload = await app.call('GET', `/api/uploads/${gone.id}`, { key: app.seed.workflowKey });
    expect(upload.status).toBe(404);
  });

  test('rows of documents show and change nothing of another project', async () => {
    const { agentKey: key } = await addNeighbour(app, 'project');
    for (const path of ['files', 'ocr', 'pages/0', 'segmentations'])
      expect(await codeOf('GET', `${documents}/${id}/${path}`, { key })).toBe('404 document.not_found');
    expect(await codeOf('PATCH', `${documents}/${id}`, { key, body: { tags: ['x'] } })).toBe('404 document.not_found');
    expect(await codeOf('DELETE', `${documents}/${id}`, { key })).toBe('404 document.not_found');
    expect((await call('GET', '/api/service/search?query=Auszug', { key })).body.documents).toEqual([]);
    expect((await call('GET', `${documents}/export`, { key })).body).toBe('');
  });
});

describe('an upload of a workflow key', () => {
  const upload = (documentId: string, key = app.seed.workflowKey, query = '') =>
    app.call('GET', `/api/uploads/${documentId}${query}`, { key });

  verifies('ingest.ack.execution', async () => {
    const objectKey = await app.put(tinyPng, 'image/png');
    const ack = () => app.call('POST', '/api/uploads/ack', { key: app.seed.workflowKey, body: { objectKey } });
    const first = replyOf(ingestion.ack, await ack());
    const { document, execution } = first;
    expect(execution).toEqual({
      id: executionIdOf(document.id),
      status: 'queued',
      links: { self: `/api/uploads/${document.id}` },
    });
    expect((await ack()).body.execution).toEqual(execution);
    const { status, body } = await upload(document.id);
    expect([status, body.documentId]).toEqual([200, document.id]);
  });

  verifies('ingest.upload', async () => {
    const document = await app.ingest(await fixture('receipt.jpg'), 'image/jpeg');
    const ended = replyOf(ingestion.upload, await upload(document.id, app.seed.workflowKey, '?wait=30'));
    expect(ended).toMatchObject({
      documentId: document.id,
      status: 'succeeded',
      execution: { id: executionIdOf(document.id), workflowId: app.seed.workflowId },
      runs: [{ documentId: document.id, status: 'succeeded' }],
      links: { self: `/api/uploads/${document.id}` },
    });
    const runId = ended.runs[0]?.runId ?? '';
    const { outputs } = (await call('GET', `/api/service/runs/${runId}`)).body;
    expect(ended.runs[0]?.outputs).toEqual(outputs);
    expect((await upload(document.id, app.seed.workflowKey, '?wait=31')).status).toBe(400);
  });

  verifies('ingest.upload.own', async () => {
    const { organizationId, projectId, workflowId } = app.seed;
    const place = { organizationId, projectId, workflowId, createdBy: 'test' };
    const { secret } = await issueKey(app.app.deps, { ...place, kind: 'workflow', name: 'Another scanner' });
    const stored = await app.store(tinyPng, 'image/png', 'public');
    const theirs = [
      secret,
      (await addNeighbour(app, 'project')).workflowKey,
      (await addNeighbour(app, 'organization')).workflowKey,
    ];
    const unknown = await upload('doc_0000000000000000000000');
    expect(unknown.status).toBe(404);
    const told = ({ body }: { body: object }): object => ({ ...body, requestId: '', instance: '' });
    for (const key of theirs) expect(told(await upload(id, key))).toEqual(told(unknown));
    expect(told(await upload(stored.id))).toEqual(told(unknown));
    expect((await upload(id, app.seed.serviceKey)).body.code).toBe('auth.forbidden');
    expect((await upload(id, 'ink_wf_none')).status).toBe(401);
    for (const path of [`${documents}/${id}`, `${documents}/${id}/ocr`, '/api/service/search?query=a'])
      expect(await codeOf('GET', path, { key: secret })).toBe('403 auth.forbidden');
  });
});

describe('workflows', () => {
  verifies('service.workflows.slug', async () => {
    const { workflows } = (await call('GET', '/api/service/workflows')).body;
    const intake = workflows.find((one: { slug: string | null }) => one.slug === 'wf_document_intake');
    expect(intake.workflowId).toBe(app.seed.workflowId);
    const run = { workflowId: 'wf_document_intake', documentIds: [id] };
    const execution = (await call('POST', '/api/service/workflow-executions', { body: run })).body;
    expect(execution.workflowId).toBe(app.seed.workflowId);
    expect(await codeOf('POST', '/api/service/workflow-executions', { body: { ...run, workflowId: 'wf_none' } })).toBe(
      '404 workflow.not_found',
    );
    const cookie = await app.signIn();
    const shown = await app.call('GET', '/api/dashboard/workflows/wf_triage', { cookie });
    expect(shown.body).toMatchObject({ slug: 'wf_triage', source: 'code' });
    const { workflowId: neighbour } = await addNeighbour(app, 'project');
    const queue = (workflowId: string) =>
      app.call('POST', `/api/dashboard/documents/${id}/run`, { cookie, body: { workflowId } });
    expect((await queue('wf_triage')).body).toMatchObject({ status: 'queued', workflowId: shown.body.workflowId });
    // Both projects of the person have this one.
    const { detail } = (await queue('wf_document_intake')).body;
    expect(detail).toContain(neighbour);
    expect(detail).toContain(app.seed.workflowId);
  });

  verifies('service.executions.initial_state.misspelt', async () => {
    const { workflows } = (await call('GET', '/api/service/workflows')).body;
    const workflowId = workflows.find((one: { slug: string | null }) => one.slug === 'wf_triage').workflowId;
    const execute = (initialState: object) =>
      call('POST', '/api/service/workflow-executions', { body: { workflowId, documentIds: [id], initialState } });
    const { status, body } = await execute({ clasification: {} });
    expect(status).toBe(400);
    expect(body.errors).toMatchObject([{ pointer: '/initialState/clasification', code: 'misspelt' }]);
    expect(body.detail).toContain('classification');
    expect((await execute({ batch: 7, clerk: 'Ada' })).status).toBe(202);
  });
});

describe('exports', () => {
  const get = async (query: string) => {
    const headers = { 'x-api-key': app.seed.agentKey };
    const response = await fetch(new URL(`${documents}/export${query}`, app.addresses.api), { headers });
    return { headers: response.headers, status: response.status, bytes: Buffer.from(await response.arrayBuffer()) };
  };

  verifies('service.documents.export', async () => {
    const other = await app.store(tinyPng, 'image/png');
    for (const one of [id, other.id]) await call('PATCH', `${documents}/${one}`, { body: { tags: ['zipped'] } });
    await call('PATCH', `${documents}/${other.id}`, { body: { filename: '=1+1.png' } });
    const listed = (await call('GET', `${documents}?tag=zipped`)).body.documents;
    const lines = await get('?tag=zipped');
    expect(lines.headers.get('content-disposition')).toBe('attachment; filename="documents.jsonl"');
    const shown = lines.bytes
      .toString()
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as object);
    expect(shown).toEqual(listed.map((one: object) => ({ ...one, thumbnailUrl: null })));
    const csv = (await get('?tag=zipped&format=csv')).bytes.toString().split('\n');
    expect(csv).toHaveLength(4);
    expect(csv[1]).toContain("'=1+1.png");
    const zip = await get('?tag=zipped&format=zip&files=true');
    expect(zip.headers.get('content-type')).toBe('application/zip');
    const entries = entriesOf(zip.bytes);
    expect([...entries.keys()].toSorted()).toEqual(
      [
        `${id}/metadata.json`,
        `${id}/original/Auszug 02.2024.tiff`,
        `${id}/text.md`,
        `${other.id}/metadata.json`,
        `${other.id}/original/=1+1.png`,
      ].toSorted(),
    );
    expect(entries.get(`${id}/original/Auszug 02.2024.tiff`)).toEqual(await fixture('statement.tiff'));
    const markdown = await call('GET', `${documents}/${id}/text?format=markdown`);
    expect(entries.get(`${id}/text.md`)?.toString()).toBe(markdown.body);
    expect(JSON.parse(String(entries.get(`${id}/metadata.json`)))).toMatchObject({ id, tags: ['zipped'] });
    expect(entriesOf((await get('?tag=nothing&format=zip')).bytes).size).toBe(0);
    for (const query of ['?format=tar', '?files=true', '?limit=1', '?tag='])
      expect((await get(query)).status, query).toBe(400);
    const cookie = await app.signIn();
    const same = await app.call('GET', '/api/dashboard/documents/export?tag=zipped', { cookie });
    expect(same.body.split('\n')).toHaveLength(3);
  });

  test('a client that goes away in the middle of a zip ends the work, and the next export goes on', async () => {
    const big = await app.store(Buffer.concat([await fixture('receipt.jpg')]), 'image/jpeg');
    await call('PATCH', `${documents}/${big.id}`, { body: { tags: ['left'] } });
    for (let turn = 0; turn < 3; turn += 1) {
      const gone = new AbortController();
      const headers = { 'x-api-key': app.seed.agentKey };
      const url = new URL(`${documents}/export?tag=left&format=zip&files=true`, app.addresses.api);
      const response = await fetch(url, { headers, signal: gone.signal });
      gone.abort();
      await expect(response.arrayBuffer()).rejects.toThrow();
    }
    // The places of those that went away are free once the service has seen them go.
    const next = async (): Promise<number> => (await get('?tag=left&format=zip')).status;
    await expect.poll(next).toBe(200);
    expect(entriesOf((await get('?tag=left&format=zip')).bytes).size).toBe(1);
  });
});
