import { afterAll, beforeAll, expect, test } from 'vitest';
import { dashboardDocuments } from '#src/contracts/dashboard/documents.ts';
import { dashboardOperators } from '#src/contracts/dashboard/operators.ts';
import { service } from '#src/contracts/service.ts';
import { extracting, read, run } from '#test/records/support/scanned.ts';
import { pointersOf, problemOf, replyOf } from '#test/spec/support/replies.ts';
import {
  dashboardClient,
  documentsPath as base,
  type DashboardClient,
} from '#test/support/dashboard/dashboard-client.ts';
import { graphOf } from '#test/graphs/support/graph-fixtures.ts';
import { addWorkflow } from '#test/support/workflows.ts';
import { addNeighbour } from '#test/support/neighbour.ts';
import { collectionsIn } from '#test/support/stored.ts';
import { startTestApp, type TestApp } from '#test/support/test-app.ts';
import { verifies } from '#test/support/verifies.ts';

let app: TestApp;
let stored: Awaited<ReturnType<typeof collectionsIn>>;
let person: DashboardClient;
let extract: string;
/** A workflow that stores nothing. */
let look: string;
/** Receipts over 10, 30 and 80 euros, oldest first. */
const ids: string[] = [];

const receipt = (shop: string, total: string): string => `${shop}\nDate: 17/05/2026\nTOTAL EUR ${total}`;
const dear = { recordType: 'receipt', record: { total: { gt: 20 } } };
const inQuery = ({ recordType, record }: { recordType: string; record: object }, more = {}): string =>
  new URLSearchParams({ recordType, record: JSON.stringify(record), ...more }).toString();
const placesOf = (found: readonly { readonly id: string }[]): number[] => found.map(({ id }) => ids.indexOf(id));

beforeAll(async () => {
  app = await startTestApp();
  stored = await collectionsIn(app.dataDir);
  person = await dashboardClient(app);
  extract = await extracting(app, { recordType: 'receipt' });
  look = await addWorkflow(
    app,
    graphOf({ look: { type: 'transform', config: { set: { note: '"seen"' } } } }, ['START>look', 'look>END'], {
      state: { note: { schema: {} } },
    }),
  );
  const texts = [receipt('GREEN GROCERS LTD', '10.00'), receipt('RAIL LTD', '30.10'), receipt('RAIL LTD', '80.20')];
  for (const [at, text] of texts.entries()) {
    const scanned = await read(app, 60 + at, text);
    ids.push(scanned.documentId);
    expect(await run(app, extract, scanned)).toMatchObject({ status: 'succeeded' });
  }
}, 60_000);
afterAll(async () => {
  await stored.close();
  await app[Symbol.asyncDispose]();
});

const list = async (query: string) => replyOf(dashboardDocuments.list, await person.get(`${base}?${query}`));
const ofService = (path: string, body?: unknown) =>
  app.call(body === undefined ? 'GET' : 'POST', `/api/service/${path}`, {
    key: app.seed.serviceKey,
    ...(body !== undefined && { body }),
  });

verifies('lists.documents.records', async () => {
  expect(placesOf((await list(inQuery(dear))).documents)).toEqual([2, 1]);
  expect(placesOf((await list('recordType=receipt')).documents)).toEqual([2, 1, 0]);
  const counted = await list(
    inQuery(dear, { total: 'true', facets: 'type', createdAfter: '2020-01-01T00:00:00.000Z' }),
  );
  expect(counted).toMatchObject({ total: { value: 2, relation: 'eq' } });
  expect(counted.facets?.type?.values).toMatchObject([{ count: 2 }]);
  const byService = replyOf(service.listDocuments, await ofService(`documents?${inQuery(dear, { limit: '1' })}`));
  expect(placesOf(byService.documents)).toEqual([2]);
  // A record that comes between two pages leaves the cursor valid.
  const later = await read(app, 80, receipt('RAIL LTD', '99.00'));
  expect(await run(app, extract, later)).toMatchObject({ status: 'succeeded' });
  const rest = inQuery(dear, { limit: '1', cursor: byService.nextCursor ?? '' });
  const second = replyOf(service.listDocuments, await ofService(`documents?${rest}`));
  expect(placesOf(second.documents)).toEqual([1]);
  await stored.records.deleteMany({ documentId: later.documentId });
  const exported = await ofService(`documents/export?${inQuery(dear)}`);
  expect(
    exported.body
      .trim()
      .split('\n')
      .map((line: string) => ids.indexOf(JSON.parse(line).id)),
  ).toEqual([2, 1]);
});

test('Records of a neighbour find no document, and what does not fit names its field', async () => {
  const neighbour = await addNeighbour(app, 'organization');
  const found = await app.call('GET', `/api/service/documents?${inQuery(dear)}`, { key: neighbour.serviceKey });
  expect(replyOf(service.listDocuments, found).documents).toEqual([]);
  const asked = async (query: string) =>
    pointersOf(problemOf(await ofService(`documents?${query}`), 'request.invalid'));
  expect(await asked(inQuery({ recordType: 'receipt', record: { totl: 1 } }))).toEqual(['/record/totl']);
  expect(await asked('record=%7B%22total%22%3A1%7D')).toEqual(['/recordType']);
  expect(await asked('recordType=receipt&record=total')).toEqual(['/record']);
  expect((await ofService('documents?recordType=unheard')).body).toMatchObject({ code: 'record_type.not_found' });
});

verifies('documents.filtered', async () => {
  const change = async (body: object) =>
    replyOf(dashboardDocuments.visibility, await person.post(`${base}/visibility`, body));
  // The change takes documents out of the filter, and each is met once all the same.
  const filter = { visibility: 'private', ...dear };
  const first = await change({ filter, visibility: 'public', limit: 1 });
  expect(placesOf(first.documents)).toEqual([2]);
  const { nextCursor } = await change({ filter, visibility: 'public', limit: 1, cursor: first.nextCursor });
  expect(nextCursor).toBeNull();
  expect(placesOf((await list('visibility=public')).documents)).toEqual([2, 1]);

  const queued = replyOf(
    dashboardDocuments.runMany,
    await person.post(`${base}/run`, { workflowId: look, filter: dear }),
  );
  expect(queued.nextCursor).toBeNull();
  expect(queued.executions.map(({ documentIds }) => documentIds.map((id) => ids.indexOf(id)))).toEqual([[2, 1]]);
  const none = await person.post(`${base}/run`, { workflowId: look, filter: { tag: 'none has it' } });
  expect(replyOf(dashboardDocuments.runMany, none)).toMatchObject({ executions: [], nextCursor: null });
  await app.app.idle();

  const trash = await person.post(`${base}/trash`, { filter: { recordType: 'receipt', record: { total: 10 } } });
  expect(placesOf(replyOf(dashboardOperators.trashMany, trash).documents)).toEqual([0]);
  expect(placesOf((await list('recordType=receipt')).documents)).toEqual([2, 1]);
  await person.post(`${base}/restore`, { documentIds: [ids[0]] });
});

test('A call that names documents and has a filter is refused, and so is a cursor of another filter', async () => {
  const pointers = async (body: object) =>
    pointersOf(
      problemOf(await person.post(`${base}/visibility`, { visibility: 'private', ...body }), 'request.invalid'),
    );
  expect(await pointers({ documentIds: [ids[0]], filter: {} })).toEqual(['/documentIds']);
  expect(await pointers({})).toEqual(['/documentIds']);
  expect(await pointers({ documentIds: [ids[0]], limit: 5 })).toEqual(['/filter']);
  expect(await pointers({ filter: { stauts: 'failed' } })).toEqual(['/filter/stauts']);
  expect(await pointers({ filter: { recordType: 'receipt', record: { totl: 1 } } })).toEqual(['/filter/record/totl']);
  const { nextCursor: cursor } = (
    await person.post(`${base}/visibility`, { visibility: 'private', filter: {}, limit: 1 })
  ).body;
  const other = await person.post(`${base}/visibility`, { visibility: 'private', filter: dear, cursor });
  expect(other.body).toMatchObject({ code: 'request.cursor_invalid' });
  const viewer = await dashboardClient(app, await app.addPerson('viewer'));
  expect((await viewer.post(`${base}/trash`, { filter: {} })).status).toBe(403);
});

verifies('service.executions.filter', async () => {
  const { status, body } = await ofService('workflow-executions', { workflowId: look, scope: { filter: dear } });
  expect(status, JSON.stringify(body)).toBe(202);
  expect(body.runs.map(({ documentId }: { documentId: string }) => ids.indexOf(documentId))).toEqual([2, 1]);
  await app.app.idle();
  const ended = replyOf(service.getExecution, await ofService(`workflow-executions/${body.id}`));
  expect(ended.counts).toMatchObject({ total: 2, succeeded: 2 });
  const scope = { filter: { recordType: 'receipt', record: { totl: 1 } } };
  const wrong = await ofService('workflow-executions', { workflowId: look, scope });
  expect(pointersOf(problemOf(wrong, 'request.invalid'))).toEqual(['/scope/filter/record/totl']);
});
