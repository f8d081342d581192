import { afterAll, beforeAll, expect, test } from 'vitest';
import { dashboardDocuments } from '#src/contracts/dashboard/documents.ts';
import { dashboardOperators as rows } from '#src/contracts/dashboard/operators.ts';
import { problemOf, replyOf } from '#test/spec/support/replies.ts';
import { dashboardClient, documentsPath, type DashboardClient } from '#test/support/dashboard/dashboard-client.ts';
import { addNeighbour } from '#test/support/neighbour.ts';
import { collectionsIn, eventsIn } from '#test/support/stored.ts';
import { fixture, startTestApp, type TestApp } from '#test/support/test-app.ts';
import { verifies } from '#test/support/verifies.ts';

let app: TestApp;
let stored: Awaited<ReturnType<typeof collectionsIn>>;
let id: string;
const by = {} as Record<'editor' | 'viewer' | 'stranger', DashboardClient>;

beforeAll(async () => {
  app = await startTestApp();
  stored = await collectionsIn(app.dataDir);
  by.editor = await dashboardClient(app, await app.addPerson('editor'));
  by.viewer = await dashboardClient(app, await app.addPerson('viewer'));
  const { operatorEmail: email, operatorPassword: password } = await addNeighbour(app, 'organization');
  by.stranger = await dashboardClient(app, { email, password });
  ({ id } = await app.ingest(await fixture('note.gif'), 'image/gif', 'memo.gif'));
  await app.app.idle();
}, 60_000);
afterAll(async () => {
  await stored.close();
  await app[Symbol.asyncDispose]();
});

const patch = (path: string, body: object, client = by.editor) =>
  app.call('PATCH', `${documentsPath}/${id}/${path}`, { cookie: client.cookie, body });
const versions = async () => replyOf(dashboardDocuments.ocr, await by.viewer.get(`${documentsPath}/${id}/ocr`)).results;
const detail = async () => replyOf(dashboardDocuments.get, await by.viewer.get(`${documentsPath}/${id}`));
const finds = async (query: string): Promise<string[]> =>
  (await by.viewer.get(`${documentsPath}?query=${encodeURIComponent(query)}`)).body.documents
    .filter(({ matchedBy }: { matchedBy: string[] }) => matchedBy.some((way) => way !== 'semantic'))
    .map((one: { id: string }) => one.id);

verifies('dashboard.corrections.ocr', async () => {
  const [base] = await versions();
  if (base === undefined) throw new Error('nothing was read');
  expect(base).toMatchObject({ source: 'run', author: null, basedOn: null });
  const [first, second] = base.result.pages[0]?.lines ?? [];
  if (first === undefined || second === undefined) throw new Error('the note has two lines');
  const count = second.text.split(' ').length;
  const changes = [
    { page: 0, line: 0, word: 0, text: 'Quixotic' },
    { page: 0, line: 1, text: Array.from({ length: count }, (_, at) => `zephyr${at}`).join(' ') },
  ];
  const asked = { baseOcrResultId: base.ocrResultId, changes };
  problemOf(await patch('ocr', asked, by.viewer), 'auth.forbidden');
  problemOf(await patch('ocr', asked, by.stranger), 'document.not_found');
  const wrong = [
    ['/changes/0/page', { page: 7, line: 0, text: 'x' }],
    ['/changes/0/line', { page: 0, line: 900, text: 'x' }],
    ['/changes/0/word', { page: 0, line: 0, word: 900, text: 'x' }],
  ] as const;
  for (const [pointer, change] of wrong)
    expect(problemOf(await patch('ocr', { ...asked, changes: [change] }), 'request.invalid').errors).toMatchObject([
      { pointer },
    ]);
  expect(
    problemOf(await patch('ocr', { ...asked, changes: [...changes, changes[1]] }), 'request.invalid').errors,
  ).toMatchObject([{ pointer: '/changes/2/line' }]);
  expect(await versions()).toHaveLength(1);

  const corrected = replyOf(rows.correctOcr, await patch('ocr', asked));
  expect(corrected).toMatchObject({ basedOn: base.ocrResultId, source: 'person', author: expect.any(String) });
  const [now, before] = await versions();
  expect(before).toEqual({ ...base, current: false });
  expect(now).toMatchObject({ ocrResultId: corrected.ocrResultId, source: 'person', author: corrected.author });
  const [line, other] = now?.result.pages[0]?.lines ?? [];
  expect(line?.text.startsWith('Quixotic ')).toBe(true);
  expect(line?.words[0]).toEqual({ text: 'Quixotic', confidence: 100, box: first.words[0]?.box });
  expect(line?.words.slice(1)).toEqual(first.words.slice(1));
  expect(other?.words.map(({ box }) => box)).toEqual(second.words.map(({ box }) => box));
  expect(now?.text.split('\n').slice(0, 2)).toEqual([line?.text, other?.text]);
  expect((await detail()).ocr?.ocrResultId).toBe(corrected.ocrResultId);
  expect(await finds('quixotic zephyr1')).toEqual([id]);
  expect((await by.viewer.get(`${documentsPath}/${id}/text`)).body).toContain('zephyr0');
  await app.app.idle();
  const told = await eventsIn(stored, { documentId: id, type: 'ocr.created' });
  expect(told.at(-1)?.data).toMatchObject({ ocrResultId: corrected.ocrResultId, source: 'person' });
  const [audited] = await app.app.deps.audit.list(app.seed.organizationId, { action: 'document.correct' }, null, 1);
  expect(audited).toMatchObject({ target: id, detail: { ocrResultId: corrected.ocrResultId, changes: 2 } });
});

verifies('dashboard.corrections.stale', async () => {
  const [current, older] = await versions();
  const changes = [{ page: 0, line: 0, word: 0, text: 'Sooner' }];
  const late = problemOf(
    await patch('ocr', { baseOcrResultId: older?.ocrResultId ?? '', changes }),
    'document.conflict',
  );
  expect(late.errors).toMatchObject([{ pointer: '/baseOcrResultId', code: 'conflict' }]);
  const asked = { baseOcrResultId: current?.ocrResultId ?? '', changes };
  const both = await Promise.all([patch('ocr', asked), patch('ocr', asked)]);
  expect(both.map(({ status }) => String(status)).toSorted()).toEqual(['200', '409']);
  expect(await versions()).toHaveLength(3);
});

verifies('dashboard.corrections.description', async () => {
  const { descriptionId, title } = await detail();
  expect(descriptionId).toMatch(/^dsc_/);
  const description = 'A memo about the umbrageous verandah.';
  problemOf(await patch('description', { baseDescriptionId: null, description }), 'document.conflict');
  const asked = { baseDescriptionId: descriptionId, description };
  problemOf(await patch('description', asked, by.viewer), 'auth.forbidden');
  const corrected = replyOf(rows.correctDescription, await patch('description', asked));
  expect(corrected).toMatchObject({ basedOn: descriptionId, source: 'person', title, description });
  problemOf(await patch('description', asked), 'document.conflict');
  expect(await detail()).toMatchObject({ descriptionId: corrected.descriptionId, description, title });
  const { descriptions } = replyOf(rows.descriptions, await by.viewer.get(`${documentsPath}/${id}/descriptions`));
  expect(descriptions).toMatchObject([
    { descriptionId: corrected.descriptionId, source: 'person', author: corrected.author, current: true },
    { descriptionId, source: 'run', author: null, basedOn: null, current: false },
  ]);
  expect(await finds('umbrageous')).toEqual([id]);
});

verifies('dashboard.corrections.kept', async () => {
  const { status } = await by.editor.post(`${documentsPath}/${id}/run`, { workflowId: app.seed.workflowId });
  expect(status).toBe(202);
  await app.app.idle();
  // The nodes that read and describe took their outcomes from the cache: the current versions are the corrections.
  expect((await versions())[0]).toMatchObject({ source: 'person' });
  expect(await finds('zephyr1')).toEqual([id]);
  expect(await finds('umbrageous')).toEqual([id]);
});

test('texts of a document that nothing has read cannot be corrected, and its description can be written', async () => {
  const unread = await by.editor.upload(await fixture('note.gif'), 'image/gif');
  const path = `${documentsPath}/${unread.id}`;
  const ask = (part: string, body: object) => app.call('PATCH', `${path}/${part}`, { cookie: by.editor.cookie, body });
  const changes = [{ page: 0, line: 0, text: 'x' }];
  problemOf(await ask('ocr', { baseOcrResultId: 'ocr_x', changes }), 'document.unread');
  const written = await ask('description', { baseDescriptionId: null, description: 'By hand' });
  expect(replyOf(rows.correctDescription, written)).toMatchObject({ basedOn: null, description: 'By hand' });
});
