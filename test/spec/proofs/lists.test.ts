import { afterAll, beforeAll, describe, expect, onTestFinished, vi } from 'vitest';
import type { z } from 'zod';
import { dashboardDocuments } from '#src/contracts/dashboard/documents.ts';
import { searchDepth } from '#src/contracts/resources/card.ts';
import { service } from '#src/contracts/service.ts';
import { newId } from '#src/domain/ids.ts';
import { latestRunOf } from '#src/domain/runs/latest-run.ts';
import type { DocumentRecord } from '#src/domain/documents/document.ts';
import type { SearchRecord } from '#src/stores/search/rows/row.ts';
import { modernClient } from '#test/mcp/listener.ts';
import { pointersOf, problemOf, replyOf } from '#test/spec/support/replies.ts';
import {
  dashboardClient,
  documentsPath as base,
  type DashboardClient,
} from '#test/support/dashboard/dashboard-client.ts';
import { addNeighbour } from '#test/support/neighbour.ts';
import { documentRecord, pageOf } from '#test/support/records.ts';
import { collectionsIn } from '#test/support/stored.ts';
import { startTestApp, type TestApp } from '#test/support/test-app.ts';
import { verifies } from '#test/support/verifies.ts';

let app: TestApp;
let stored: Awaited<ReturnType<typeof collectionsIn>>;
let person: DashboardClient;
let second: Awaited<ReturnType<typeof addNeighbour>>;
/** Documents of the seeded project, oldest first. */
let records: DocumentRecord[];

const at = (seconds: number): Date => new Date(Date.UTC(2026, 0, 1) + seconds * 1_000);
const types = ['image/png', 'image/jpeg', 'application/pdf'] as const;
const statuses = ['failed', 'succeeded', 'waiting', null] as const;

/** Twelve documents that differ in everything that a list knows. */
function recordOf(n: number): DocumentRecord {
  const { organizationId, projectId } = app.seed;
  const status = statuses[n % 4] ?? null;
  const run = { _id: `run_${n}`, workflowId: n < 6 ? 'wf_a' : 'wf_b', error: null, createdAt: at(n), fence: 1 };
  const ocr = {
    ocrResultId: `ocr_${n}`,
    createdAt: at(n),
    modelLabel: 'x',
    avgConfidence: 50 + n,
    characters: n === 3 ? 0 : 10,
  };
  return documentRecord({
    organizationId,
    projectId: n === 11 ? second.projectId : projectId,
    apiKeyId: n % 2 === 0 ? 'key_even' : 'key_odd',
    contentType: types[n % 3] ?? 'image/png',
    sizeBytes: 1_000 - (n % 5),
    visibility: n === 5 ? 'public' : 'private',
    createdAt: at(Math.floor(n / 2)),
    ocr: n % 4 === 2 ? null : ocr,
    ...(n % 3 !== 0 && { filename: `scan ${String.fromCodePoint(97 + (11 - n))}.png` }),
    ...(status !== null && { latestRun: latestRunOf({ ...run, status }, at(n)) }),
  });
}

beforeAll(async () => {
  app = await startTestApp({ env: { SERVICES: 'api,mcp' } });
  stored = await collectionsIn(app.dataDir);
  second = await addNeighbour(app, 'project');
  person = await dashboardClient(app);
  records = Array.from({ length: 12 }, (_, n) => recordOf(n));
  await stored.documents.insertMany(records);
});
afterAll(async () => {
  await stored.close();
  await app[Symbol.asyncDispose]();
});

const list = async (query = '') => replyOf(dashboardDocuments.list, await person.get(`${base}?${query}`));
const key = () => app.seed.serviceKey;
const ofService = async (query = '') =>
  replyOf(service.listDocuments, await app.call('GET', `/api/service/documents?${query}`, { key: key() }));
const idsOf = ({ documents }: { documents: readonly { id: string }[] }): string[] => documents.map(({ id }) => id);
const these = (choose: (record: DocumentRecord, n: number) => boolean): string[] =>
  records
    .filter(choose)
    .map(({ _id }) => _id)
    .toSorted();

/** All pages, by their cursors. */
async function pages(query: string): Promise<string[]> {
  const found: string[] = [];
  for (let cursor: string | null = ''; cursor !== null;) {
    const page = await list(`${query}${cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`}`);
    found.push(...idsOf(page));
    cursor = page.nextCursor;
  }
  return found;
}

describe('filters of documents', () => {
  verifies('lists.documents.filters', async () => {
    const expected: Readonly<Record<string, string[]>> = {
      'contentType=image/png': these(({ contentType }) => contentType === 'image/png'),
      'contentType=image/png,image/jpeg': these(({ contentType }) => contentType !== 'application/pdf'),
      'status=failed,waiting': these((_, n) => n % 4 === 0 || n % 4 === 2),
      'status=none': these((_, n) => n % 4 === 3),
      'status=none&status=failed': these((_, n) => n % 4 === 3 || n % 4 === 0),
      'status=': these(() => true),
      'minConfidence=55.5': these(({ ocr }) => (ocr?.avgConfidence ?? 0) >= 55.5),
      'minConfidence=53&maxConfidence=57': these(
        ({ ocr }) => ocr !== null && ocr.avgConfidence >= 53 && ocr.avgConfidence <= 57,
      ),
      'workflowId=wf_a': these(({ latestRun }) => latestRun?.workflowId === 'wf_a'),
      'apiKeyId=key_odd': these((_, n) => n % 2 === 1),
      'visibility=public': these((_, n) => n === 5),
      'hasText=true': these(({ ocr }) => (ocr?.characters ?? 0) > 0),
      'hasText=false': these(({ ocr }) => (ocr?.characters ?? 0) === 0),
      [`createdAfter=${at(2).toISOString()}&createdBefore=${at(4).toISOString()}`]: these((_, n) => n >= 4 && n < 8),
      [`projectId=${second.projectId}`]: these((_, n) => n === 11),
      'status=succeeded&contentType=image/jpeg&apiKeyId=key_odd&hasText=true': these((_, n) => n === 1),
    };
    for (const [query, wanted] of Object.entries(expected)) {
      expect(idsOf(await list(query)).toSorted(), query).toEqual(wanted);
      // The service key reads one project.
      if (query.startsWith('projectId')) continue;
      const own = wanted.filter((id) => id !== records[11]?._id);
      expect(idsOf(await ofService(query)).toSorted(), query).toEqual(own);
    }
    for (const [query, pointer] of [
      ['status=done', '/status/0'],
      ['createdAfter=yesterday', '/createdAfter'],
      ['minConfidence=101', '/minConfidence'],
      ['hasText=yes', '/hasText'],
    ] as const)
      expect(pointersOf(problemOf(await person.get(`${base}?${query}`), 'request.invalid'))).toEqual([pointer]);
    const foreign = await addNeighbour(app, 'organization');
    problemOf(await person.get(`${base}?projectId=${foreign.projectId}`), 'project.not_found');
  });

  verifies('lists.documents.sort', async () => {
    const values = {
      created: ({ createdAt }: DocumentRecord) => createdAt.getTime(),
      name: ({ filename }: DocumentRecord) => filename ?? '',
      size: ({ sizeBytes }: DocumentRecord) => sizeBytes,
      confidence: ({ ocr }: DocumentRecord) => ocr?.avgConfidence ?? -1,
    };
    for (const [sort, value] of Object.entries(values)) {
      const ascending = records
        .toSorted((a, b) => (value(a) < value(b) ? -1 : value(a) > value(b) ? 1 : a._id < b._id ? -1 : 1))
        .map(({ _id }) => _id);
      expect(await pages(`sort=${sort}&order=asc&limit=5`), sort).toEqual(ascending);
      expect(await pages(`sort=${sort}&order=desc&limit=1`), sort).toEqual(ascending.toReversed());
      const usual = sort === 'name' ? ascending : ascending.toReversed();
      expect(await pages(`sort=${sort}&limit=100`), sort).toEqual(usual);
    }
    expect(await pages('sort=size&status=failed,succeeded&limit=2')).toHaveLength(6);
  });

  verifies('lists.documents.cursor', async () => {
    const { nextCursor } = await list('limit=2&status=failed&sort=size');
    const cursor = encodeURIComponent(nextCursor ?? '');
    expect(idsOf(await list(`limit=1&status=failed&sort=size&cursor=${cursor}`))).toHaveLength(1);
    for (const query of ['status=failed', 'status=succeeded&sort=size', 'status=failed&sort=size&order=asc', ''])
      problemOf(await person.get(`${base}?${query}&cursor=${cursor}`), 'request.cursor_invalid');
  });

  verifies('lists.query_empty', async () => {
    expect(idsOf(await list('query='))).toEqual(idsOf(await list()));
    expect(idsOf(await list('query=%20%20&limit=3'))).toEqual(idsOf(await list('limit=3')));
  });

  verifies('dashboard.query_typed', () => {
    type Query = z.input<typeof dashboardDocuments.list.query>;
    const known: Query = { query: 'x', status: ['failed'], organizationId: 'org' };
    // @ts-expect-error: the type checker refuses it.
    const misspelt: Query = { qeury: 'x' };
    expect(dashboardDocuments.list.query.safeParse(known).success).toBe(true);
    expect(dashboardDocuments.list.query.safeParse(misspelt).success).toBe(false);
    expect(dashboardDocuments.run.query.safeParse({ organizationId: 'org' }).success).toBe(true);
  });
});

describe('numbers beside a list', () => {
  verifies('lists.total', async () => {
    expect(await list('limit=1')).not.toHaveProperty('total');
    expect((await list('limit=1&total=true')).total).toEqual({ value: 12, relation: 'eq' });
    expect((await list('total=true&status=failed')).total).toEqual({ value: 3, relation: 'eq' });
    const { organizationId } = app.seed;
    const many = Array.from({ length: 1_001 }, () => documentRecord({ organizationId, projectId: second.projectId }));
    await stored.documents.insertMany(many);
    const total = async () => (await list(`total=true&limit=1&projectId=${second.projectId}`)).total;
    expect(await total()).toEqual({ value: 1_000, relation: 'gte' });
    await stored.documents.deleteMany({ _id: { $in: many.slice(0, 2).map(({ _id }) => _id) } });
    expect(await total()).toEqual({ value: 1_000, relation: 'eq' });
    await stored.documents.deleteMany({ _id: { $in: many.map(({ _id }) => _id) } });
  });

  verifies('lists.facets', async () => {
    const { facets } = await list('facets=type,status,visibility,project,workflow,key&limit=1');
    const { projectId } = app.seed;
    const counts = (facet: NonNullable<typeof facets>['type']) =>
      Object.fromEntries((facet?.values ?? []).map(({ value, count }) => [value, count]));
    expect(counts(facets?.type)).toEqual({ 'image/png': 4, 'image/jpeg': 4, 'application/pdf': 4 });
    expect(counts(facets?.status)).toEqual({ failed: 3, succeeded: 3, waiting: 3, none: 3 });
    expect(facets?.visibility?.values).toEqual([
      { value: 'private', count: 11 },
      { value: 'public', count: 1 },
    ]);
    expect(counts(facets?.project)).toEqual({ [projectId]: 11, [second.projectId]: 1 });
    expect(counts(facets?.workflow)).toEqual({ wf_a: 5, wf_b: 4 });
    expect(counts(facets?.key)).toEqual({ key_even: 6, key_odd: 6 });
    expect(facets?.type?.relation).toBe('eq');
    const narrowed = await list('facets=type,status,key&status=failed&apiKeyId=key_even');
    expect(counts(narrowed.facets?.status)).toEqual({ failed: 3, waiting: 3 });
    expect(counts(narrowed.facets?.type)).toEqual({ 'image/png': 1, 'image/jpeg': 1, 'application/pdf': 1 });
    expect(counts(narrowed.facets?.key)).toEqual({ key_even: 3 });
    const own = await ofService('facets=project,type&total=true&limit=1');
    expect([counts(own.facets?.project), own.total]).toEqual([{ [projectId]: 11 }, { value: 11, relation: 'eq' }]);
  });
});

describe('a search', () => {
  verifies('lists.search', async () => {
    const { organizationId, projectId } = app.seed;
    const many = Array.from({ length: 70 }, (_, n) =>
      documentRecord({ organizationId, projectId, contentType: types[n % 2] ?? 'image/png', createdAt: at(100 + n) }),
    );
    await stored.documents.insertMany(many);
    for (const { _id: documentId, apiKeyId, objectKey, createdAt } of many) {
      const text = `quarterly ledger ${'of nothing '.repeat(many.findIndex(({ _id }) => _id === documentId))}`;
      const texts = { title: 'Ledger', description: '', ocrText: text, segmentationText: '', identifiers: [] };
      const place = {
        documentId,
        organizationId,
        projectId,
        apiKeyId,
        objectKey,
        createdAt,
        visibility: 'private' as const,
      };
      const record: SearchRecord = { ...place, ...texts, embeddings: {} };
      await app.app.deps.search.upsert(record);
    }
    const all: string[] = [];
    for (let offset: number | null = 0; offset !== null;) {
      const page = await list(`query=ledger&limit=25&offset=${offset}`);
      expect(page.nextCursor).toBeNull();
      all.push(...idsOf(page));
      offset = page.nextOffset ?? null;
    }
    expect(all).toHaveLength(70);
    expect(new Set(all)).toEqual(new Set(many.map(({ _id }) => _id)));
    const first = await list('query=ledger&limit=25&total=true&facets=type');
    expect(idsOf(first)).toEqual(all.slice(0, 25));
    expect([first.nextOffset, first.total]).toEqual([25, { value: 70, relation: 'eq' }]);
    expect(first.facets?.type?.values.map(({ count }) => count)).toEqual([35, 35]);
    const jpegs = await list('query=ledger&limit=100&contentType=image/jpeg&total=true');
    expect(idsOf(jpegs).toSorted()).toEqual(
      many
        .filter((_, n) => n % 2 === 1)
        .map(({ _id }) => _id)
        .toSorted(),
    );
    expect([jpegs.nextOffset, jpegs.total]).toEqual([null, { value: 35, relation: 'eq' }]);
    const newest = await list(`query=ledger&createdAfter=${at(168).toISOString()}`);
    expect(idsOf(newest).toSorted()).toEqual(
      many
        .slice(68)
        .map(({ _id }) => _id)
        .toSorted(),
    );
    for (const [query, pointer] of [
      [`query=x&offset=${searchDepth}`, '/offset'],
      ['offset=5', '/offset'],
      ['query=x&sort=name', '/sort'],
    ] as const)
      expect(pointersOf(problemOf(await person.get(`${base}?${query}`), 'request.invalid'))).toEqual([pointer]);
    await stored.documents.deleteMany({ _id: { $in: many.map(({ _id }) => _id) } });
  });
});

describe('responses', () => {
  verifies('lists.limit_capped', async () => {
    const { headers } = await person.get(`${base}?limit=500`);
    expect(headers.get('x-limit-capped')).toBe('100');
    expect((await person.get(`${base}?limit=100`)).headers.has('x-limit-capped')).toBe(false);
    for (const path of ['/api/service/runs', '/api/service/workflow-executions', '/api/service/documents'])
      expect((await app.call('GET', `${path}?limit=101`, { key: key() })).headers.get('x-limit-capped')).toBe('100');
    const agent = await modernClient(new URL('/mcp', app.addresses.mcp), key());
    const { content } = await agent.callTool({ name: 'list_documents', arguments: { limit: 500 } });
    await agent.close();
    expect(JSON.stringify(content)).toContain('limit: 100 is the maximum and was used.');
  });

  verifies('lists.etag', async () => {
    const { cookie } = person;
    const paths = [base, `${base}/${records[0]?._id}`, '/api/dashboard/runs', '/api/dashboard/workflows'];
    // Signed addresses of pictures change with time, and ETags with them.
    vi.useFakeTimers({ toFake: ['Date'] });
    onTestFinished(() => void vi.useRealTimers());
    for (const path of paths) {
      const first = await app.call('GET', path, { cookie });
      const etag = first.headers.get('etag') ?? '';
      expect([path, first.status, etag]).toEqual([path, 200, expect.stringMatching(/^W\/"[\w-]{22}"$/)]);
      expect(first.headers.get('cache-control')).toBe('private, no-cache');
      const again = await app.call('GET', path, { cookie, headers: { 'if-none-match': `"x", ${etag}` } });
      expect([again.status, again.body, again.headers.get('etag')]).toEqual([304, '', etag]);
      const other = await app.call('GET', path, { cookie, headers: { 'if-none-match': 'W/"other"' } });
      expect([other.status, other.body]).toEqual([200, first.body]);
      const refused = await app.call('GET', path, { headers: { 'if-none-match': etag } });
      expect([refused.status, refused.headers.get('cache-control')]).toEqual([401, 'no-store']);
    }
    const [{ _id: id }] = records as [DocumentRecord];
    const before = (await app.call('GET', `/api/service/documents/${id}`, { key: key() })).headers.get('etag') ?? '';
    await stored.documents.updateOne({ _id: id }, { $set: { filename: 'another.png' } });
    const headers = { 'if-none-match': before };
    expect((await app.call('GET', `/api/service/documents/${id}`, { key: key(), headers })).status).toBe(200);
  });
});

describe('OCR of one page', () => {
  verifies('dashboard.ocr.page', async () => {
    const { organizationId, projectId } = app.seed;
    const document = documentRecord({ organizationId, projectId, pages: 3 });
    await stored.documents.insertOne(document);
    const origin = { organizationId, projectId, documentId: document._id, runId: newId('run'), nodeId: 'ocr' };
    const { results } = app.app.deps;
    const pagesOf = ['first page', 'second page', 'third page'].map((text, index) => pageOf(text, index));
    for (const page of pagesOf) await results.saveOcrPage(origin, { modelLabel: 'x', page });
    const result = { engine: 'x', language: 'eng', pages: [] };
    const text = pagesOf.map((page) => page.text).join('\f');
    await results.saveOcr(origin, { modelLabel: 'x', text, avgConfidence: 90, result, pagesApart: true });
    const path = `${base}/${document._id}/ocr`;
    const whole = replyOf(dashboardDocuments.ocr, await person.get(path)).results[0];
    expect([whole?.text, whole?.pageCount, whole?.result.pages.length]).toEqual([text, 3, 3]);
    const one = replyOf(dashboardDocuments.ocr, await person.get(`${path}?page=1`)).results[0];
    expect([one?.text, one?.pageCount]).toEqual(['second page', 3]);
    expect(one?.result.pages).toEqual([whole?.result.pages[1]]);
    expect(pointersOf(problemOf(await person.get(`${path}?page=3`), 'request.invalid'))).toEqual(['/page']);
  });
});
