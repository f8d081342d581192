import { beforeEach, describe, expect, test } from 'vitest';
import { AppError } from '#src/domain/app-error.ts';
import { graphOf } from '#test/graphs/support/graph-fixtures.ts';
import { modernClient } from '#test/mcp/listener.ts';
import { ask, tasksDeclared } from '#test/mcp/work/modern-wire.ts';
import { blankTiff, gatedOcr, textOf } from '#test/spec/support/gated-ocr.ts';
import { sharedApp } from '#test/spec/support/shared-app.ts';
import { listenTo, type Told } from '#test/support/dashboard/realtime-client.ts';
import { addNeighbour } from '#test/support/neighbour.ts';
import { verifies } from '#test/support/verifies.ts';
import { addWorkflow } from '#test/support/workflows.ts';

const pages = 12;
const gate = gatedOcr();
const app = await sharedApp({ env: { SERVICES: 'api,agents,mcp' }, overrides: { ocr: gate.engine } });
const { service } = app;
const cookie = await app.signIn();
const wire = { url: new URL('/mcp', app.addresses.mcp), secret: app.seed.agentKey };
const agent = await modernClient(wire.url, wire.secret);
beforeEach(() => gate.reset());

const dashboard = (path: string, whose = cookie) => app.call('GET', `/api/dashboard/${path}`, { cookie: whose });
const said = async (name: string, input: Record<string, unknown>) =>
  (await agent.callTool({ name, arguments: input })).structuredContent as any;

/** Reads the text, or goes on without it, and then waits for a person. */
const readAgain = graphOf(
  {
    load: 'load_image',
    // Another mode: the outcome of the other workflow is not taken from the cache.
    read: { type: 'ocr', config: { pageSegmentationMode: 6 }, onError: 'continue' },
    ask: { type: 'review', config: { prompt: 'Go on?' } },
  },
  ['START>load', 'load>read', 'read>ask', 'ask>END'],
  { state: { document: {}, ocr: {}, answer: {} } },
);

const asks = graphOf({ ask: { type: 'review', config: { prompt: 'Go on?' } } }, ['START>ask', 'ask>END'], {
  state: { answer: {} },
});

let shade = 255;
/** A new document, which a run reads. */
async function ingest(): Promise<{ id: string; runId: string; executionId: string }> {
  shade -= 1;
  const { id } = await app.ingest(await blankTiff(pages, shade), 'image/tiff');
  await gate.read(0);
  const executionId = id.replace('doc_', 'exec_');
  const { body } = await service.get(`/api/service/workflow-executions/${executionId}`);
  return { id, runId: body.runs[0].runId, executionId };
}

async function ended(executionId: string): Promise<string> {
  for (;;) {
    const { body } = await service.get(`/api/service/workflow-executions/${executionId}?wait=20`);
    if (body.finishedAt !== null) return body.status;
  }
}

/** The run of an execution that waits for a person. */
async function waiting(executionId: string): Promise<object> {
  // It may wait already, and then nothing changes.
  for (let seconds = 0; ; seconds = 20) {
    const { body } = await service.get(`/api/service/workflow-executions/${executionId}?wait=${seconds}`);
    if (body.status === 'waiting') return body.runs[0];
  }
}

/** Pages that each address says are read; undefined: it says that no run reads the document. */
async function everywhere(id: string): Promise<readonly unknown[]> {
  const of = (body: any) => body.reading && [body.reading.pagesRead, body.reading.pages];
  const listed = (body: any) => of(body.documents.find((one: any) => one.id === id));
  return [
    of((await service.get(`/api/service/documents/${id}`)).body),
    listed((await service.get('/api/service/documents')).body),
    of((await service.get(`/api/service/documents/${id}/ocr`)).body),
    of((await dashboard(`documents/${id}`)).body),
    listed((await dashboard('documents')).body),
    of(await said('get_document', { documentId: id })),
    of(await said('read_document_text', { documentId: id })),
  ];
}

const nowhere = Array.from({ length: 7 }, () => undefined);

verifies('resource.document.reading', async () => {
  const { id, runId, executionId } = await ingest();
  expect(await everywhere(id)).toEqual(nowhere);
  for (const read of [1, 2, 7, pages - 1]) {
    await gate.read(read);
    expect(await everywhere(id)).toEqual(nowhere.map(() => [read, pages]));
  }
  const { body } = await service.get(`/api/service/documents/${id}`);
  expect(body).toMatchObject({ ocr: null, reading: { runId, ocrResultId: expect.stringMatching(/^ocr_/) } });
  gate.finish();
  expect(await ended(executionId)).toBe('succeeded');
  expect(await everywhere(id)).toEqual(nowhere);
  const { ocr: finished } = (await service.get(`/api/service/documents/${id}`)).body;
  expect(finished.ocrResultId).toBe(body.reading.ocrResultId);
});

verifies('service.documents.unfinished', async () => {
  const { id, executionId } = await ingest();
  const address = `/api/service/documents/${id}`;
  expect((await service.get(`${address}/pages/0`)).body.code).toBe('document.unread');
  await gate.read(3);
  // Over REST: pages one by one, with their words and boxes.
  const page = await service.get(`${address}/pages/2`);
  expect(page.body).toMatchObject({ reading: { pagesRead: 3, pages }, page: { index: 2, text: textOf(2) } });
  expect(page.body.page.lines[0].words[0]).toMatchObject({ text: 'words', box: expect.any(Array) });
  const next = await service.get(`${address}/pages/3`);
  expect(next).toMatchObject({ status: 409, body: { code: 'document.unread' } });
  expect(next.body.detail).toContain('3 of 12 pages are read so far');
  const of = async (index: number) => (await service.get(`${address}/ocr?page=${index}`)).body;
  expect(await of(1)).toMatchObject({ results: [], reading: { pagesRead: 3, page: { index: 1, text: textOf(1) } } });
  expect(await of(3)).toMatchObject({ results: [], reading: { page: null } });
  expect((await dashboard(`documents/${id}/ocr?page=1`)).body).toEqual(await of(1));
  // A file says in its name that it is a part, and only if it was asked for.
  expect((await service.get(`${address}/text`)).body.detail).toContain('unfinished=true');
  const part = await service.get(`${address}/text?unfinished=true`);
  expect(part.body).toBe([0, 1, 2].map(textOf).join('\f'));
  expect(part.headers.get('content-disposition')).toContain('-3-of-12-pages.txt');
  // Agents.
  const text = await said('read_document_text', { documentId: id });
  expect(text).toMatchObject({ ocrResultId: null, reading: { pagesRead: 3, pages }, nextOffset: null });
  expect(text.documentText).toBe([0, 1, 2].map((at) => `[Page ${at + 1} of 12]\n${textOf(at)}`).join('\n\n'));
  expect((await said('read_document_text', { documentId: id, pages: [3] })).documentText).toBe('');
  const boxes = await said('read_document_text', { documentId: id, page: 2, boxes: true });
  expect(boxes.lines).toMatchObject([{ page: 2, lineText: textOf(2) }]);
  const uri = `inkgraph://documents/${id}/text`;
  const [resource] = (await agent.readResource({ uri })).contents as any[];
  expect(resource.text).toMatch(/^Not finished: 3 of 12 pages are read so far/);
  expect(resource.text).toContain(textOf(2));
  // Search and answers use finished results only.
  const found = async () =>
    (await said('search_documents', { query: '"words of page 2"' })).documents.map((one: any) => one.id);
  expect(await found()).not.toContain(id);
  gate.finish();
  await ended(executionId);
  expect(await found()).toContain(id);
  const whole = await said('read_document_text', { documentId: id });
  expect(whole).toMatchObject({ ocrResultId: expect.any(String), totalCharacters: expect.any(Number) });
  expect(whole).not.toHaveProperty('reading');

  // Read again: the finished text stays the answer until the new one is there.
  gate.reset();
  const workflowId = await addWorkflow(app, readAgain);
  const started = await service.post('/api/service/workflow-executions', { workflowId, documentIds: [id] });
  await gate.read(2);
  expect((await service.get(address)).body).toMatchObject({
    ocr: { ocrResultId: whole.ocrResultId },
    reading: { pagesRead: 2, runId: started.body.runs[0].runId },
  });
  const old = await service.get(`${address}/pages/5`);
  expect(old.body).toMatchObject({ ocrResultId: whole.ocrResultId, page: { index: 5 } });
  expect(old.body).not.toHaveProperty('reading');
  expect(await said('read_document_text', { documentId: id })).toEqual(whole);
  const fresh = await said('read_document_text', { documentId: id, unfinished: true });
  expect(fresh).toMatchObject({ ocrResultId: null, reading: { pagesRead: 2 } });
  expect((await service.get(`${address}/pages/1?unfinished=true`)).body).toMatchObject({ reading: { pagesRead: 2 } });
  gate.finish();
  await waiting(started.body.id);
  expect((await service.get(address)).body.ocr.ocrResultId).not.toBe(whole.ocrResultId);
  expect(await everywhere(id)).toEqual(nowhere);
});

verifies('resource.ocr.pages_kept', async () => {
  const { id, executionId } = await ingest();
  await gate.read(5);
  gate.fail(new AppError('image.undecodable', 'Page 6 is broken.'));
  expect(await ended(executionId)).toBe('failed');
  gate.reset();
  const { workflowId } = app.seed;
  const again = await service.post('/api/service/workflow-executions', { workflowId, documentIds: [id] });
  await gate.read(5);
  expect(gate.asked()).toEqual([5]);
  expect(await everywhere(id)).toEqual(nowhere.map(() => [5, pages]));
  gate.finish();
  expect(await ended(again.body.id)).toBe('succeeded');
  const whole = await service.get(`/api/service/documents/${id}/text`);
  expect(whole.body.split('\f')).toEqual(Array.from({ length: pages }, (_, index) => textOf(index)));
});

verifies('realtime.run_pages', async () => {
  using feed = await listenTo(new URL('/api/dashboard/realtime', app.addresses.api), { cookie });
  await feed.until(({ lastId }) => lastId !== '');
  const begun = performance.now();
  const { id, runId, executionId } = await ingest();
  const heard: string[] = [];
  const first = Promise.withResolvers<void>();
  const waited = agent.callTool({ name: 'get_run', arguments: { executionId, waitSeconds: 25 } }, {
    onprogress: ({ message = '' }: { message?: string }) => {
      heard.push(message);
      if (message.includes('page')) first.resolve();
    },
  } as never);
  const uri = `inkgraph://documents/${id}/text`;
  const updated = Promise.withResolvers<void>();
  agent.setNotificationHandler('notifications/resources/updated', ({ params }) => {
    if (params.uri === uri) updated.resolve();
  });
  const updates = await agent.listen({ resourceSubscriptions: [uri] });
  await gate.read(1);
  const isPages = ({ event, data }: Told) =>
    event === 'run.step.changed' && data.runId === runId && data.reading !== undefined;
  const { data } = await feed.event(isPages);
  expect(data).toMatchObject({ documentId: id, status: 'running', nodeType: 'ocr', reading: { pagesRead: 1, pages } });
  await first.promise;
  expect(heard.at(-1)).toMatch(/^[12] of 6 steps; page 1 of 12; 0 of 1 documents have ended$/);
  await gate.read(7);
  // The rest of the first second holds the newest number back, and then tells it.
  await feed.event((told) => isPages(told) && told.data.reading.pagesRead === 7);
  // As a task, and to subscribers of the text.
  const task = await ask(wire, { method: 'tasks/get', params: { taskId: executionId }, capabilities: tasksDeclared });
  expect(task.result.statusMessage).toBe('running: 0 of 1 documents done, 0 succeeded; page 7 of 12.');
  await updated.promise;
  await updates.close();
  const run = await service.get(`/api/service/runs/${runId}`);
  expect(run.body.reading).toMatchObject({ nodeId: 'recognize', pagesRead: 7, pages });
  const listed = (await dashboard('runs')).body.runs.find((one: any) => one.runId === runId);
  expect(listed.reading).toMatchObject({ pagesRead: 7, pages });
  gate.finish();
  expect(((await waited).structuredContent as any).execution.status).toBe('succeeded');
  await feed.event(({ event, data: of }) => event === 'run.completed' && of.runId === runId);
  const told = feed.told.filter(isPages).map(({ data: of }) => of.reading.pagesRead);
  expect(told).toEqual(told.toSorted((a, b) => a - b));
  expect(told.length).toBeLessThanOrEqual(1 + Math.ceil((performance.now() - begun) / 1_000));
  expect((await service.get(`/api/service/runs/${runId}`)).body).not.toHaveProperty('reading');
});

describe('Nothing shows as being read', () => {
  test('when its run failed for good', async () => {
    const { id, executionId } = await ingest();
    await gate.read(5);
    gate.fail(new AppError('image.undecodable', 'Page 6 is broken.'));
    expect(await ended(executionId)).toBe('failed');
    expect(await everywhere(id)).toEqual(nowhere);
    const { status, body } = await service.get(`/api/service/documents/${id}/pages/0`);
    expect([status, body.code]).toEqual([409, 'document.unread']);
    expect(body.detail).toContain('no text yet');
  });

  test('when its run was canceled', async () => {
    const { id, executionId } = await ingest();
    await gate.read(5);
    expect(await everywhere(id)).toEqual(nowhere.map(() => [5, pages]));
    await app.call('POST', `/api/dashboard/executions/${executionId}/cancel`, { cookie });
    expect(await everywhere(id)).toEqual(nowhere);
    // Nor when the document shows another run, which does not read.
    const workflowId = await addWorkflow(app, asks);
    const started = await service.post('/api/service/workflow-executions', { workflowId, documentIds: [id] });
    await waiting(started.body.id);
    expect((await service.get(`/api/service/documents/${id}`)).body.lastRun.status).toBe('waiting');
    expect(await everywhere(id)).toEqual(nowhere);
  });

  test('when the node failed for good and its run goes on', async () => {
    const { id } = await app.store(await blankTiff(pages, 100), 'image/tiff');
    const workflowId = await addWorkflow(app, readAgain);
    const started = await service.post('/api/service/workflow-executions', { workflowId, documentIds: [id] });
    await gate.read(5);
    gate.fail(new AppError('image.undecodable', 'Page 6 is broken.'));
    expect(await waiting(started.body.id)).not.toHaveProperty('reading');
    expect(await everywhere(id)).toEqual(nowhere);
  });

  test('to another organization', async () => {
    const other = await addNeighbour(app, 'organization');
    const stranger = await app.signIn({ email: other.operatorEmail, password: other.operatorPassword });
    const { id, runId, executionId } = await ingest();
    using feed = await listenTo(new URL('/api/dashboard/realtime', app.addresses.api), { cookie: stranger });
    await gate.read(4);
    for (const path of ['', '/ocr', '/ocr?page=0', '/pages/0', '/pages/0?unfinished=true', '/text?unfinished=true'])
      expect([path, (await dashboard(`documents/${id}${path}`, stranger)).body]).toMatchObject([
        path,
        { code: 'document.not_found' },
      ]);
    expect((await dashboard(`runs/${runId}`, stranger)).status).toBe(404);
    expect((await dashboard('documents', stranger)).body.documents).toEqual([]);
    gate.finish();
    await ended(executionId);
    expect(feed.text).not.toContain(id);
  });
});
