import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { modernClient } from '#test/mcp/listener.ts';
import { dashboardDocuments } from '#src/contracts/dashboard/documents.ts';
import { dashboardOperators as rows } from '#src/contracts/dashboard/operators.ts';
import { dashboardRuns } from '#src/contracts/dashboard/runs.ts';
import type { StoredGraphInput } from '#src/contracts/resources/graph.ts';
import { replyOf } from '#test/spec/support/replies.ts';
import { entriesOf } from '#test/spec/support/zip-entries.ts';
import { dashboardClient, documentsPath, type DashboardClient } from '#test/support/dashboard/dashboard-client.ts';
import { fixture, startTestApp, type TestApp } from '#test/support/test-app.ts';
import { verifies } from '#test/support/verifies.ts';

let app: TestApp;
let editor: DashboardClient;
/** Workflows that ask before they read, and between reading and indexing. */
const workflowIds = {} as Record<'first' | 'late', string>;
let id: string;
let path: string;

/** Reads and describes without taking kept outcomes, and waits for a person at `hold`. */
function reader(hold: keyof typeof workflowIds): StoredGraphInput {
  const way = hold === 'first' ? ['load', 'ask', 'read', 'tell', 'find'] : ['load', 'read', 'tell', 'ask', 'find'];
  return {
    schemaVersion: 1,
    name: `Held ${hold}`,
    state: { document: {}, ocr: {}, description: {}, indexed: {}, answer: {} },
    nodes: {
      load: { type: 'load_image' },
      ask: { type: 'review', config: { prompt: 'Go on?', answer: ['yes'] } },
      read: { type: 'ocr', cache: false },
      tell: { type: 'describe', cache: false },
      find: { type: 'index' },
    },
    edges: ['START', ...way, 'END'].flatMap((to, at, all) => (at === 0 ? [] : [{ from: all[at - 1] ?? '', to }])),
    outputs: { ocr: 'ocr', description: 'description' },
  };
}

beforeAll(async () => {
  app = await startTestApp();
  editor = await dashboardClient(app, await app.addPerson('admin'));
  for (const hold of ['first', 'late'] as const) {
    const { body } = await editor.post('/api/dashboard/workflows', { graph: reader(hold) });
    workflowIds[hold] = body.workflowId;
    const published = await editor.post(`/api/dashboard/workflows/${body.workflowId}/publish`, { baseVersion: 1 });
    expect(published.status, JSON.stringify(published.body)).toBe(201);
  }
}, 60_000);
afterAll(() => app[Symbol.asyncDispose]());

beforeEach(async () => {
  ({ id } = await app.ingest(await fixture('note.gif'), 'image/gif', 'memo.gif'));
  path = `${documentsPath}/${id}`;
  await app.app.idle();
});

const detail = async () => replyOf(dashboardDocuments.get, await editor.get(path));
const versions = async (limit = 10) =>
  replyOf(dashboardDocuments.ocr, await editor.get(`${path}/ocr?limit=${limit}`)).results;
const descriptions = async () => replyOf(rows.descriptions, await editor.get(`${path}/descriptions`)).descriptions;
const finds = async (query: string): Promise<boolean> =>
  (await editor.get(`${documentsPath}?query=${encodeURIComponent(query)}`)).body.documents.some(
    (one: { id: string; matchedBy: string[] }) => one.id === id && one.matchedBy.some((way) => way !== 'semantic'),
  );

/** Starts a run; it waits for `release`. */
async function held(workflowId: string): Promise<string> {
  const { runId } = replyOf(dashboardDocuments.run, await editor.post(`${path}/run`, { workflowId }));
  await app.app.idle();
  return runId;
}

/** Answers the question of a run, and waits for its end. */
async function release(runId: string) {
  const asked = { path: 'ask', answer: 'yes' };
  expect((await editor.post(`/api/dashboard/runs/${runId}/resume`, asked)).status).toBe(200);
  await app.app.idle();
  const run = replyOf(dashboardRuns.get, await editor.get(`/api/dashboard/runs/${runId}`));
  expect(run).toMatchObject({ status: 'succeeded' });
  return run.outputs as { ocr: { ocrResultId: string }; description: { descriptionId: string } };
}

async function correctText(text: string): Promise<string> {
  const base = (await detail()).ocr?.ocrResultId ?? '';
  const body = { baseOcrResultId: base, changes: [{ page: 0, line: 0, word: 0, text }] };
  const { ocrResultId } = replyOf(
    rows.correctOcr,
    await app.call('PATCH', `${path}/ocr`, { cookie: editor.cookie, body }),
  );
  return ocrResultId;
}

async function correctDescription(description: string): Promise<string> {
  const body = { baseDescriptionId: (await detail()).descriptionId, description };
  const answer = await app.call('PATCH', `${path}/description`, { cookie: editor.cookie, body });
  return replyOf(rows.correctDescription, answer).descriptionId;
}

const setTitle = (title: string) => app.call('PATCH', path, { cookie: editor.cookie, body: { title } });

/** Every read of the text says the words of the person, and names their version. */
async function expectText(words: string, ocrResultId: string): Promise<void> {
  expect((await detail()).ocr?.ocrResultId).toBe(ocrResultId);
  const [shown, ...others] = await versions();
  expect(shown).toMatchObject({ ocrResultId, current: true, source: 'person' });
  expect(others.map(({ current }) => current)).not.toContain(true);
  expect((await versions(1)).map((one) => one.ocrResultId)).toEqual([ocrResultId]);
  const page = await editor.get(`${path}/ocr?limit=1&page=0`);
  expect(page.body.results).toMatchObject([{ ocrResultId, current: true }]);
  for (const format of ['text', 'markdown', 'hocr', 'alto'])
    expect((await editor.get(`${path}/text?format=${format}`)).body, format).toContain(words);
  const { body: one } = await editor.get(`${path}/pages/0`);
  expect(one).toMatchObject({ ocrResultId, page: { text: expect.stringContaining(words) } });
  const zip = await fetch(new URL(`${documentsPath}/export?format=zip`, app.addresses.api), {
    headers: { cookie: editor.cookie },
  });
  const entries = entriesOf(Buffer.from(await zip.arrayBuffer()));
  expect(entries.get(`${id}/text.md`)?.toString()).toContain(words);
  const agent = await modernClient(new URL('/mcp', app.addresses.mcp), app.seed.agentKey);
  const read = await agent.callTool({ name: 'read_document_text', arguments: { documentId: id } });
  await agent.close();
  expect(JSON.stringify(read.content)).toContain(words);
  expect(JSON.stringify(read.structuredContent)).toContain(words);
  expect(await finds(words)).toBe(true);
}

verifies('dashboard.corrections.outlast', async () => {
  const runId = await held(workflowIds.first);
  await correctText('Quixotic');
  const ocrResultId = await correctText('Umbrageous');
  const descriptionId = await correctDescription('A memo about the zephyrean verandah.');
  const made = await release(runId);
  await expectText('Umbrageous', ocrResultId);
  const stored = await versions();
  expect(stored.map((one) => one.source)).toEqual(['person', 'run', 'person', 'run']);
  expect(stored[1]).toMatchObject({ ocrResultId: made.ocr.ocrResultId, runId, current: false });
  expect(await detail()).toMatchObject({ descriptionId, description: 'A memo about the zephyrean verandah.' });
  expect(await descriptions()).toMatchObject([
    { descriptionId: made.description.descriptionId, source: 'run', current: false },
    { descriptionId, source: 'person', current: true },
    { source: 'run', current: false },
  ]);
  expect(await finds('zephyrean')).toBe(true);
  // The person goes on from the version that is shown.
  await correctText('Perspicacious');
  expect(await finds('perspicacious')).toBe(true);
});

test('a correction between the last result of a run and its index is found by search, and so is a given title', async () => {
  const runId = await held(workflowIds.late);
  const ocrResultId = await correctText('Quixotic');
  await correctDescription('A memo about the zephyrean verandah.');
  expect((await setTitle('Crepuscular ledger')).status).toBe(200);
  await release(runId);
  await expectText('Quixotic', ocrResultId);
  expect((await detail()).title).toBe('Crepuscular ledger');
  expect(await finds('crepuscular')).toBe(true);
  expect(await finds('zephyrean')).toBe(true);
});

test('a correction while the index is written is found by search', async () => {
  const runId = await held(workflowIds.late);
  const { search } = app.app.deps;
  const upsert = search.upsert;
  const late = { ocrResultId: '' };
  vi.spyOn(search, 'upsert').mockImplementationOnce(async (update) => {
    // The node has read the document, and writes what it read.
    late.ocrResultId = await correctText('Quixotic');
    await correctDescription('A memo about the zephyrean verandah.');
    await setTitle('Crepuscular ledger');
    await upsert(update);
  });
  await release(runId);
  await expectText('Quixotic', late.ocrResultId);
  for (const word of ['zephyrean', 'crepuscular']) expect(await finds(word), word).toBe(true);
});

test('a run that begins after the correction makes a new current version, which an older run does not replace', async () => {
  const older = await held(workflowIds.first);
  await correctText('Quixotic');
  const newer = await held(workflowIds.first);
  const { ocr } = await release(newer);
  expect((await detail()).ocr?.ocrResultId).toBe(ocr.ocrResultId);
  expect(await finds('quixotic')).toBe(false);
  await release(older);
  expect((await detail()).ocr?.ocrResultId).toBe(ocr.ocrResultId);
  expect((await versions())[0]).toMatchObject({ ocrResultId: ocr.ocrResultId, current: true });
});

test('a description that a person wrote before the first one stays', async () => {
  const { id: unread } = await editor.upload(await fixture('note.gif'), 'image/gif');
  id = unread;
  path = `${documentsPath}/${id}`;
  const runId = await held(workflowIds.first);
  const descriptionId = await correctDescription('By hand, perspicuous.');
  await release(runId);
  expect(await detail()).toMatchObject({ descriptionId, description: 'By hand, perspicuous.' });
  expect(await finds('perspicuous')).toBe(true);
  // Nothing of the text was corrected: the run shows it.
  expect(await versions()).toMatchObject([{ source: 'run', current: true }]);
});
