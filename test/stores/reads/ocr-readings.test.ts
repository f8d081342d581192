import { afterAll, beforeAll, expect, test } from 'vitest';
import type { DocumentRecord } from '#src/domain/documents/document.ts';
import { changesByPage } from '#src/domain/operators/correct-page.ts';
import type { ResultOrigin } from '#src/domain/documents/results.ts';
import { storesOf, testDatabase, type Stores, type TestDatabase } from '#test/support/database.ts';
import { documentRecord, pageOf } from '#test/support/records.ts';

let database: TestDatabase;
let stores: Stores;
beforeAll(async () => {
  database = await testDatabase();
  stores = storesOf(database.client);
});
afterAll(() => database.close());

const pages = 5;

async function document(): Promise<{ record: DocumentRecord; of: (runId: string) => ResultOrigin }> {
  const record = documentRecord({ pages });
  await stores.documents.insert(record);
  const { organizationId, projectId, _id: documentId } = record;
  const of = (name: string) => ({
    organizationId,
    projectId,
    documentId,
    runId: `${name}_${documentId}`,
    nodeId: 'read',
  });
  return { record, of };
}

/** Stores a page; true: the document was seen after it. */
async function read(origin: ResultOrigin, pagesRead: number): Promise<boolean> {
  let isThere = false;
  const reading = { language: 'eng', pagesRead, pages };
  await stores.results.saveOcrPage(origin, { modelLabel: 'm', page: pageOf('x', pagesRead - 1), reading }, () => {
    isThere = true;
  });
  return isThere;
}

const shown = async ({ _id }: DocumentRecord) => {
  const found = await database.collections.documents.findOne({ _id });
  return found?.reading && [found.reading.runId.slice(0, 5), found.reading.pagesRead];
};

test('a page and the progress of its run are stored together, until the result is', async () => {
  const { record, of } = await document();
  for (const page of [1, 2, 3]) {
    expect(await read(of('run_a'), page)).toBe(true);
    expect(await shown(record)).toEqual(['run_a', page]);
  }
  const { organizationId, _id: documentId } = record;
  const about = { organizationId, documentId, ocrResultId: stores.results.idsOf(of('run_a')).ocr, modelLabel: 'm' };
  expect(await stores.results.readingPages(about)).toHaveLength(3);
  expect(await stores.results.readingPagesFrom(about, 1, 9)).toMatchObject([{ index: 1 }, { index: 2 }]);
  expect(await stores.results.readingPage(about, 2)).toMatchObject({ index: 2, text: 'x' });
  // Pages that an earlier attempt read with another engine are none of this reading.
  expect(await stores.results.readingPage({ ...about, modelLabel: 'other' }, 2)).toBeNull();
  const result = { engine: 'e', language: 'eng', pages: [] };
  const whole = { modelLabel: 'm', text: 'x', avgConfidence: 1, result, pagesApart: true } as const;
  await stores.results.saveOcr(of('run_a'), whole);
  expect(await shown(record)).toBeUndefined();
  // A repeated end, after a crash, removes it too.
  await read(of('run_a'), 5);
  await stores.results.saveOcr(of('run_a'), whole);
  expect(await shown(record)).toBeUndefined();
});

test('of two runs that read a document the one that began last is shown, as long as it goes on', async () => {
  const { record, of } = await document();
  await read(of('run_a'), 1);
  await read(of('run_a'), 2);
  await read(of('run_b'), 1);
  expect(await shown(record)).toEqual(['run_b', 1]);
  // It is stored, and not shown.
  expect(await read(of('run_a'), 3)).toBe(false);
  expect(await shown(record)).toEqual(['run_b', 1]);
  await read(of('run_b'), 2);
  expect(await shown(record)).toEqual(['run_b', 2]);
  await stores.results.endReading(of('run_a'));
  expect(await shown(record)).toEqual(['run_b', 2]);
  const { documents } = database.collections;
  await documents.updateOne({ _id: record._id }, { $set: { 'reading.at': new Date(Date.now() - 31_000) } });
  await read(of('run_a'), 4);
  expect(await shown(record)).toEqual(['run_a', 4]);
  await stores.results.endReading(of('run_a'));
  expect(await shown(record)).toBeUndefined();
});

test('pages that were corrected, and those of runs that are kept apart, are taken for pages of no run', async () => {
  const { record, of } = await document();
  const { results, corrections } = stores;
  const save = (origin: ResultOrigin) =>
    results.saveOcrPage(origin, { modelLabel: 'm', page: pageOf('x'), readAs: 'way' });
  await save({ ...of('run_a'), isolated: true });
  expect(await results.pagesReadAs(of('run_c'), 'way')).toEqual(new Map());
  await save(of('run_b'));
  const result = { engine: 'e', language: 'eng', pages: [] };
  const whole = { modelLabel: 'm', text: 'x', avgConfidence: 1, result, pagesApart: true } as const;
  const { ocrResultId } = await results.saveOcr(of('run_b'), whole);
  const by = { by: 'person', author: 'usr_a', at: new Date() } as const;
  const changes = changesByPage([{ page: 0, line: 0, text: 'corrected' }]);
  expect(await corrections.correctOcr(record, ocrResultId, changes, by)).toMatchObject({ text: 'corrected' });
  const { organizationId, _id: documentId } = record;
  const rows = database.collections.ocrPages.find({
    organizationId,
    documentId,
    readAs: 'way',
    isolated: { $exists: false },
  });
  expect((await rows.toArray()).map(({ page }) => page.text)).toEqual(['x']);
  const found = await results.pagesReadAs(of('run_c'), 'way');
  expect([...found]).toEqual([[0, `${ocrResultId}/0`]]);
  expect(await results.pageReadAs(of('run_c'), found.get(0) ?? '')).toMatchObject({ text: 'x' });
  expect(await results.pagesReadAs(of('run_c'), 'other')).toEqual(new Map());
  expect(await results.pagesReadAs({ ...of('run_c'), isolated: true }, 'way')).toEqual(new Map());
  expect(await results.pagesReadAs({ ...of('run_c'), projectId: 'prj_other' }, 'way')).toEqual(new Map());
});

test('a run that is kept apart shows nothing on the document, and a deleted document is not seen', async () => {
  const { record, of } = await document();
  expect(await read({ ...of('run_a'), isolated: true }, 1)).toBe(false);
  expect(await shown(record)).toBeUndefined();
  const tenant = { organizationId: record.organizationId, projectIds: [record.projectId] };
  await stores.documents.markDeleted(tenant, record._id, new Date());
  expect(await read(of('run_a'), 1)).toBe(false);
  expect(await shown(record)).toBeUndefined();
});
