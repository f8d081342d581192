import { isDeepStrictEqual } from 'node:util';
import { BSON } from 'mongodb';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { collectionsOf } from '#src/stores/collections.ts';
import { createGroundingTexts } from '#src/stores/grounding-texts.ts';
import { migrate } from '#src/stores/migrate.ts';
import { createResultStore } from '#src/stores/results.ts';
import { AppError } from '#src/domain/app-error.ts';
import type { OcrEngine, OcrPage } from '#src/domain/ports/ocr-engine.ts';
import type { NodeDeps } from '#graphs/node-deps.ts';
import { catalog } from '#graphs/catalog.ts';
import { temporaryDatabase } from '#test/graphs/support/embedded-database.ts';
import { graphOf, runGraph } from '#test/graphs/support/graph-fixtures.ts';
import { pageOf } from '#test/support/records.ts';

const pageCount = 200;
const organizationId = 'org_a';
const documentId = 'doc_a';

let database: Awaited<ReturnType<typeof temporaryDatabase>>;
beforeAll(async () => {
  database = await temporaryDatabase();
  await migrate(database.db);
});
afterAll(() => database.close());

const drawn = new Map<number, OcrPage>();

/** Close print: 60 lines of 16 words. */
function dense(index: number): OcrPage {
  const page = drawn.get(index) ?? draw(index);
  drawn.set(index, page);
  return page;
}

const draw = (index: number): OcrPage =>
  pageOf(
    Array.from({ length: 60 }, (_, row) =>
      Array.from({ length: 16 }, (_word, at) => `p${index}r${row}w${at}`).join(' '),
    ).join('\n'),
    index,
  );

/** Engine that ends at a page, once, as a process does that is killed there. */
function engineEndingAt(last: number, end: () => Error = () => new Error('killed')) {
  const asked: number[] = [];
  let hasEnded = false;
  const engine: OcrEngine = {
    label: 'test/1',
    language: 'eng',
    async recognize({ index }) {
      asked.push(index);
      if (index === last && !hasEnded) {
        hasEnded = true;
        throw end();
      }
      return dense(index);
    },
    installed: () => ['eng'],
    recent: () => null,
    close: async () => undefined,
  };
  return { engine, asked };
}

const graph = graphOf({ load: 'load_image', read: 'ocr' }, ['START>load', 'load>read', 'read>END'], {
  state: { document: {}, ocr: {} },
  outputs: { ocr: 'ocr' },
});

function depsWith(ocr: OcrEngine, pages: number, results: NodeDeps['results']): NodeDeps {
  const blank = { width: 10, height: 10, png: Buffer.alloc(0) };
  return {
    document: async () => ({
      objectKey: 'uploads/org_a/prj_a/long.pdf',
      sha256: null,
      contentType: 'application/pdf',
      sizeBytes: 1,
      pages,
      visibility: 'private',
      apiKeyId: null,
      createdAt: new Date(0),
      page: async (index: number) => ({ ...blank, index }),
      text: async () => null,
    }),
    results,
    ocr,
  } satisfies Partial<NodeDeps> as unknown as NodeDeps;
}

test('200 dense pages, more than one record holds, are stored page by page, and a second attempt goes on where the first one ended', async () => {
  const collections = collectionsOf(database.db);
  const results = createResultStore(database.client, collections);
  const { engine, asked } = engineEndingAt(120);
  const deps = depsWith(engine, pageCount, results);
  await expect(runGraph(graph, { catalog, deps, runId: 'run_long' })).rejects.toThrow();
  expect(await collections.ocrPages.countDocuments({ organizationId, documentId })).toBe(120);
  expect(await collections.ocrResults.countDocuments({ organizationId, documentId })).toBe(0);
  const { outputs } = await runGraph(graph, { catalog, deps, runId: 'run_long' });
  expect(asked).toEqual([
    ...Array.from({ length: 121 }, (_, at) => at),
    ...Array.from({ length: 80 }, (_, at) => at + 120),
  ]);

  const { ocrResultId, characters } = outputs['ocr'] as { ocrResultId: string; characters: number };
  const pages = Array.from({ length: pageCount }, (_, index) => dense(index));
  const text = pages.map((page) => page.text).join('\f');
  expect(characters).toBe(text.length);
  expect(BSON.calculateObjectSize({ pages })).toBeGreaterThan(16 * 1024 ** 2);
  expect(await results.ocrText(organizationId, ocrResultId)).toMatchObject({ text, avgConfidence: 90 });
  expect(await results.ocrPage(organizationId, ocrResultId, 199)).toEqual(pages[199]);
  expect(await results.ocrPage(organizationId, ocrResultId, 200)).toBeNull();
  const whole = await results.ocrById(organizationId, ocrResultId);
  // 16 MB: Vitest's own comparison takes seconds.
  expect(isDeepStrictEqual(whole?.result.pages, pages)).toBe(true);
  const [listed] = await results.listOcr(organizationId, documentId, 1);
  expect(listed?.result.pages.map(({ index }) => index)).toEqual(pages.map(({ index }) => index));
  const asking = [{ documentId, ocrResultId, descriptionId: null }];
  const { ocr } = await createGroundingTexts(collections).read(organizationId, asking);
  expect(ocr[0]?.pages).toHaveLength(pageCount);
  expect(ocr[0]?.pages[7]?.lines[3]).toEqual({ text: pages[7]?.lines[3]?.text, box: pages[7]?.lines[3]?.box });
  await results.deleteOf(organizationId, documentId);
  expect(await collections.ocrPages.countDocuments({ organizationId, documentId })).toBe(0);
});

test('a retry after a page that took too long goes on with that page', async () => {
  const { engine, asked } = engineEndingAt(2, () => new AppError('ocr.timeout', 'too long'));
  const retried = structuredClone(graph);
  Object.assign(retried.nodes['read'] ?? {}, {
    retry: { maxAttempts: 2, initialIntervalMs: 1, backoff: 1, maxIntervalMs: 1 },
  });
  const deps = depsWith(engine, 4, createResultStore(database.client, collectionsOf(database.db)));
  await runGraph(retried, { catalog, deps, runId: 'run_slow' });
  expect(asked).toEqual([0, 1, 2, 2, 3]);
});

test('a new run of a failed one goes on after its last page; another way of reading, and a node that is not cached, begin anew', async () => {
  const results = createResultStore(database.client, collectionsOf(database.db));
  const { engine, asked } = engineEndingAt(3);
  const deps = depsWith(engine, 5, results);
  const of = (config: object, more: object = {}) => {
    const changed = structuredClone(graph);
    Object.assign(changed.nodes['read'] ?? {}, { config, ...more });
    return changed;
  };
  const run = async (runId: string, changed = graph) => {
    asked.length = 0;
    const about = { organizationId, projectId: 'prj_a', documentId: 'doc_again', executionId: 'exec_a', runId };
    await runGraph(changed, { catalog, deps, parts: { run: about } });
    return [...asked];
  };
  await expect(run('run_first')).rejects.toThrow();
  expect(await run('run_second')).toEqual([3, 4]);
  const text = async (runId: string) => {
    const origin = { organizationId, projectId: 'prj_a', documentId: 'doc_again', runId, nodeId: 'read' };
    return (await results.ocrById(organizationId, results.idsOf(origin).ocr))?.result.pages;
  };
  expect(await text('run_second')).toEqual([0, 1, 2, 3, 4].map(dense));
  expect(await run('run_third')).toEqual([]);
  const all = [0, 1, 2, 3, 4];
  expect(await run('run_other', of({ pageSegmentationMode: 6 }))).toEqual(all);
  expect(await run('run_fresh', of({}, { cache: false }))).toEqual(all);
  expect(await run('run_fourth')).toEqual([]);
});

test('pages that another engine read are read again', async () => {
  const results = createResultStore(database.client, collectionsOf(database.db));
  const origin = { organizationId, projectId: 'prj_a', documentId: 'doc_b', runId: 'run_b', nodeId: 'read' };
  await results.saveOcrPage(origin, { modelLabel: 'old/1 eng', page: dense(0) });
  expect(await results.readPages(origin, 'new/1 eng')).toEqual([]);
  await results.saveOcrPage(origin, { modelLabel: 'new/1 eng', page: pageOf('new words') });
  expect(await results.readPages(origin, 'new/1 eng')).toEqual([
    { index: 0, text: 'new words', confidence: 90, wordCharacters: 8 },
  ]);
});
