import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createSearchIndex, type SearchIndex } from '#src/stores/search/search-index.ts';
import { createLocalModels } from '#src/adapters/models/local/create-local-models.ts';
import { identifiersOf } from '#src/domain/documents/identifiers.ts';
import { newId } from '#src/domain/ids.ts';
import { freshTenant } from '#test/support/records.ts';
import { testDatabase, type TestDatabase } from '#test/support/database.ts';
import type { SearchMode } from '#src/stores/search/query.ts';
import type { SearchRecord } from '#src/stores/search/rows/row.ts';

const { text: embedder } = createLocalModels();
let database: TestDatabase;
let index: SearchIndex;
beforeAll(async () => {
  database = await testDatabase();
  index = createSearchIndex(database.collections, { mode: 'hybrid', embedder });
});
afterAll(() => database.close());

async function stored(
  { organizationId, projectIds: [projectId] }: ReturnType<typeof freshTenant>,
  ocrText: string,
  more: Partial<SearchRecord> = {},
): Promise<string> {
  const documentId = newId('document');
  const { vector } = await embedder.embedDocument(ocrText);
  await index.upsert({
    documentId,
    organizationId,
    projectId,
    apiKeyId: null,
    visibility: 'private',
    objectKey: `uploads/${documentId}.png`,
    createdAt: new Date(),
    title: '',
    description: '',
    ocrText,
    segmentationText: '',
    identifiers: identifiersOf(ocrText),
    embeddings: { text: { label: embedder.label, vector } },
    ...more,
  });
  return documentId;
}

const found = async (tenant: object, text: string, mode: SearchMode = 'lexical') => {
  const scope = tenant as ReturnType<typeof freshTenant>;
  return (await index.search({ ...scope, text, limit: 10, mode })).hits.map(({ documentId }) => documentId);
};

describe('Highlights of stored documents', () => {
  test('tell where a text matched, by document', async () => {
    const tenant = freshTenant();
    const first = await stored(tenant, 'Rechnung an Herrn Müller', { title: 'Invoice', segmentationText: 'table' });
    const second = await stored(tenant, 'nothing of it');
    const highlights = await index.highlights({
      ...tenant,
      documentIds: [first, second],
      text: 'Mueller invoices tables',
    });
    expect(highlights.get(first)).toEqual([
      { field: 'title', text: 'Invoice', spans: [{ start: 0, end: 7 }] },
      {
        field: 'ocr',
        text: 'Rechnung an Herrn Müller',
        place: { page: 0, spans: [{ start: 18, end: 24 }] },
        spans: [{ start: 18, end: 24 }],
      },
      { field: 'segmentation', text: 'table', spans: [{ start: 0, end: 5 }] },
    ]);
    expect(highlights.get(second)).toEqual([{ field: 'ocr', text: 'nothing of it', spans: [] }]);
    expect((await index.highlights({ ...tenant, documentIds: [], text: 'x' })).size).toBe(0);
  });

  test('are of no document that the caller may not read', async () => {
    const [mine, theirs] = [freshTenant(), freshTenant()];
    const [hidden, open] = [await stored(mine, 'walnut'), await stored(mine, 'walnut', { visibility: 'public' })];
    const read = async (scope: ReturnType<typeof freshTenant>) => [
      ...(await index.highlights({ ...scope, documentIds: [hidden, open], text: 'walnut' })).keys(),
    ];
    expect((await read(mine)).toSorted()).toEqual([hidden, open].toSorted());
    expect(await read({ ...mine, projectIds: [newId('project')] })).toEqual([open]);
    expect(await read(theirs)).toEqual([]);
    expect(await read({ ...theirs, projectIds: mine.projectIds })).toEqual([]);
  });
});

describe('Searching stored documents', () => {
  test.each(['lexical', 'hybrid'] as const)('%s: ownOnly leaves out what is public elsewhere', async (mode) => {
    const tenant = freshTenant();
    const elsewhere = { ...tenant, projectIds: [newId('project')] as [string] };
    const [own, open] = [
      await stored(tenant, 'walnut A-4711'),
      await stored(elsewhere, 'walnut A-4711', { visibility: 'public' }),
    ];
    for (const text of ['walnut', 'A-4711', '"walnut a"']) {
      expect((await found(tenant, text, mode)).toSorted()).toEqual([own, open].toSorted());
      expect(await found({ ...tenant, ownOnly: true }, text, mode)).toEqual([own]);
      expect(await found({ ...tenant, projectIds: [], ownOnly: true }, text, mode)).toEqual([]);
    }
  });

  test('words are found however they are accented, written out or inflected', async () => {
    const tenant = freshTenant();
    const german = await stored(tenant, 'Rechnungen der Gärtnerei Höfler');
    const french = await stored(tenant, 'étagère, pommiers et factures');
    for (const text of ['Hofler', 'Hoefler', 'GÄRTNEREI', 'Gartnerei', 'Rechnung'])
      expect([text, await found(tenant, text)]).toEqual([text, [german]]);
    for (const text of ['etagere', 'étagères', 'pommier', 'facture'])
      expect([text, await found(tenant, text)]).toEqual([text, [french]]);
  });

  test('a number that more documents have than are ranked pins none of them; one that few have is found among them', async () => {
    const tenant = freshTenant();
    for (let at = 0; at < 60; at += 1) await stored(tenant, `plain page ${at} of 2024`);
    const [meant, numbered] = [await stored(tenant, 'walnut of 1999'), await stored(tenant, 'INV-77 of 2024')];
    expect((await found(tenant, 'walnut 2024'))[0]).toBe(meant);
    expect((await found(tenant, '2024 INV-77'))[0]).toBe(numbered);
    expect((await index.search({ ...tenant, text: 'INV 77 2024', limit: 10 })).hits[0]).toMatchObject({
      documentId: numbered,
      matchedBy: expect.arrayContaining(['exact']),
    });
  });
});
