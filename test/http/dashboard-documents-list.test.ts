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
import { startTestApp, type Answer, type TestApp } from '#test/support/test-app.ts';

let app: TestApp;
let stored: Awaited<ReturnType<typeof collectionsIn>>;
let owner: DashboardClient;
let viewer: DashboardClient;
type Neighbour = Awaited<ReturnType<typeof addNeighbour>>;
let second: Neighbour;
let foreign: Neighbour;
/** Newest first, over both projects; some of one millisecond. */
let expected: string[];
let theirs: string;

const place = ({ organizationId, projectId }: Pick<Neighbour, 'organizationId' | 'projectId'>) => ({
  organizationId,
  projectId,
});

beforeAll(async () => {
  app = await startTestApp({ env: { SERVICES: 'api' } });
  stored = await collectionsIn(app.dataDir);
  second = await addNeighbour(app, 'project');
  foreign = await addNeighbour(app, 'organization');
  owner = await dashboardClient(app);
  viewer = await dashboardClient(app, await app.addPerson('viewer'));
  const records = Array.from({ length: 30 }, (_, index) =>
    documentRecord({
      ...place(index % 3 === 0 ? second : app.seed),
      createdAt: new Date(Date.UTC(2026, 0, 1) + Math.floor(index / 4) * 1_000),
    }),
  );
  await stored.documents.insertMany(records);
  expected = records
    .toSorted((a, b) => b.createdAt.getTime() - a.createdAt.getTime() || (a._id < b._id ? 1 : -1))
    .map(({ _id }) => _id);
  theirs = newId('document');
  await stored.documents.insertOne(documentRecord({ ...place(foreign), _id: theirs, visibility: 'public' }));
});
afterAll(async () => {
  await stored.close();
  await app[Symbol.asyncDispose]();
});

const coded = ({ status, body }: Answer): string => `${status} ${body.code ?? ''}`.trim();
const pointers = ({ body }: Answer): string[] => (body.errors ?? []).map((error: { pointer: string }) => error.pointer);
const ids = ({ body }: Answer): string[] => body.documents.map(({ id }: { id: string }) => id);
const cursorOf = async (client: DashboardClient, query: string): Promise<string> =>
  encodeURIComponent((await client.get(`${base}?${query}`)).body.nextCursor);

/** All pages, by their cursors. */
async function pages(query: string): Promise<string[][]> {
  const found: string[][] = [];
  for (let cursor: string | null = ''; cursor !== null;) {
    const answer: Answer = await viewer.get(
      `${base}?${query}${cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`}`,
    );
    found.push(ids(answer));
    cursor = answer.body.nextCursor;
  }
  return found;
}

describe('GET /api/dashboard/documents', () => {
  test('lists the documents of all projects, newest first, page by page, each once', async () => {
    expect((await pages('limit=7')).map((page) => page.length)).toEqual([7, 7, 7, 7, 2]);
    expect((await pages('limit=7')).flat()).toEqual(expected);
    expect(await pages('limit=30')).toEqual([expected]);
    expect((await pages('limit=100')).flat()).not.toContain(theirs);
  });

  test('shows cards that no search found', async () => {
    const [card] = (await viewer.get(`${base}?limit=1`)).body.documents;
    expect(card).toMatchObject({ id: expected[0], distance: null, score: null, matchedBy: [], highlights: [] });
    const { status } = await fetch(card.thumbnailUrl);
    expect(status, 'the bytes of this record are nowhere').toBe(404);
  });

  test('narrows to a project, and to none of another organization', async () => {
    const inSecond = await stored.documents.find(place(second)).toArray();
    const narrowed = (await pages(`limit=4&projectId=${second.projectId}`)).flat();
    expect(narrowed).toEqual(expected.filter((id) => inSecond.some(({ _id }) => _id === id)));
    for (const projectId of [foreign.projectId, newId('project')])
      for (const more of ['', '&query=anything'])
        expect(coded(await viewer.get(`${base}?projectId=${projectId}${more}`))).toBe('404 project.not_found');
  });

  test('takes a cursor for the list that it came from only', async () => {
    const all = await cursorOf(viewer, 'limit=2');
    const narrowed = await cursorOf(viewer, `limit=2&projectId=${second.projectId}`);
    for (const query of [
      `cursor=${narrowed}`,
      `cursor=${all}&projectId=${second.projectId}`,
      `cursor=${narrowed}&projectId=${app.seed.projectId}`,
    ])
      expect(coded(await viewer.get(`${base}?${query}`))).toBe('400 request.cursor_invalid');
    expect(coded(await viewer.get(`/api/dashboard/runs?cursor=${all}`))).toBe('400 request.cursor_invalid');
  });

  test('goes on after a project was added between two pages', async () => {
    const cursor = await cursorOf(owner, 'limit=5');
    await addNeighbour(app, 'project');
    expect(ids(await owner.get(`${base}?limit=5&cursor=${cursor}`))).toEqual(expected.slice(5, 10));
  });

  test('refuses a cursor together with a query, and tells where', async () => {
    const cursor = await cursorOf(viewer, 'limit=2');
    const refused = await viewer.get(`${base}?query=x&cursor=${cursor}`);
    expect([coded(refused), ...pointers(refused)]).toEqual(['400 request.invalid', '/cursor']);
  });

  test('takes limits from 1, values that it knows, and no field that it does not know', async () => {
    for (const query of [
      'limit=0',
      'limit=-1',
      'limit=1e2',
      'limit=',
      'limit=1&limit=2',
      'page=2',
      'offset=0',
      'query=x&sort=name',
      'status=done',
      'contentType=image/bmp',
      'minConfidence=101',
    ])
      expect(coded(await viewer.get(`${base}?${query}`)), query).toBe('400 request.invalid');
    expect(ids(await viewer.get(base))).toHaveLength(25);
  });

  test('a document that is being deleted is in no list', async () => {
    const [newest = ''] = expected;
    await stored.documents.updateOne({ _id: newest }, { $set: { deletedAt: new Date() } });
    expect(ids(await viewer.get(`${base}?limit=100`))).toEqual(expected.slice(1));
    await stored.documents.updateOne({ _id: newest }, { $unset: { deletedAt: true } });
  });
});

describe('the index of a list', () => {
  const planOf = async (name: 'documents' | 'runs', filter: object) => {
    const rows = stored[name].find({ organizationId: app.seed.organizationId, ...filter } as never);
    const { queryPlanner, executionStats } = await rows.sort({ createdAt: -1, _id: -1 }).limit(26).explain();
    return { plan: JSON.stringify(queryPlanner), keys: executionStats.totalKeysExamined as number };
  };

  test.each([1, 20, 100, 101, 1_000])('gives the documents of %i projects in their order', async (count) => {
    const projectIds = Array.from({ length: count }, (_, index) => (index === 0 ? app.seed.projectId : `prj_${index}`));
    const filter = { projectId: { $in: projectIds }, deletedAt: { $exists: false } };
    expect((await planOf('documents', filter)).plan).not.toMatch(/"stage":"(SORT|COLLSCAN)"/);
  });

  test.each(['documentId', 'executionId', 'workflowId'])(
    'finds the runs of one %s without those of others',
    async (field) => {
      const { organizationId, projectId } = app.seed;
      const runs = Array.from({ length: 200 }, () => ({
        _id: newId('run'),
        organizationId,
        projectId,
        createdAt: new Date(),
        documentId: 'doc_other',
        executionId: 'exec_other',
        workflowId: 'wf_other',
      }));
      await stored.runs.insertMany(runs as never);
      for (const projects of [[projectId], [projectId, second.projectId]]) {
        const { plan, keys } = await planOf('runs', { projectId: { $in: projects }, [field]: 'none' });
        expect(plan).not.toMatch(/"stage":"(SORT|COLLSCAN)"/);
        expect(keys).toBe(0);
      }
      await stored.runs.deleteMany({ documentId: 'doc_other' });
    },
  );
});

describe('organizationId', () => {
  const list = (client: DashboardClient, query = '') => client.get(`${base}?limit=100${query}`);

  test('may name the active organization or another of one’s own, and is not needed', async () => {
    const both = await app.addPerson('editor');
    await app.app.deps.members.add({ organizationId: foreign.organizationId, userId: both.userId, role: 'viewer' });
    const client = await dashboardClient(app, both);
    expect(ids(await list(client, `&organizationId=${app.seed.organizationId}`))).toEqual(expected);
    expect(ids(await list(client, `&organizationId=${foreign.organizationId}`))).toEqual([theirs]);
    const here = ids(await list(client));
    expect([expected, [theirs]]).toContainEqual(here);
    const cursor = await cursorOf(client, `limit=1&organizationId=${app.seed.organizationId}`);
    const elsewhere = await list(client, `&cursor=${cursor}&organizationId=${foreign.organizationId}`);
    expect(coded(elsewhere)).toBe('400 request.cursor_invalid');
  });

  test('has to be named by a caller without an active one', async () => {
    const client = await dashboardClient(app, await app.addPerson());
    const refused = await list(client);
    expect([coded(refused), ...pointers(refused)]).toEqual(['400 request.invalid', '/organizationId']);
    expect(coded(await list(client, `&organizationId=${app.seed.organizationId}`))).toBe('404 organization.not_found');
  });
});
