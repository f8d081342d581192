import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { identifiersOf } from '#src/domain/documents/identifiers.ts';
import { newId } from '#src/domain/ids.ts';
import type { SearchIndex, SearchRecord } from '#src/domain/ports/search-index.ts';
import { freshTenant } from '#test/support/records.ts';

export interface SearchIndexUnderTest {
  readonly index: SearchIndex;
  close(): Promise<void>;
}

type Tenant = ReturnType<typeof freshTenant>;

function recordOf(
  { organizationId, projectIds }: Tenant,
  ocrText: string,
  more: Partial<SearchRecord> = {},
): SearchRecord {
  const documentId = newId('document');
  return {
    documentId,
    organizationId,
    projectId: projectIds[0],
    apiKeyId: null,
    visibility: 'private',
    objectKey: `uploads/${documentId}.png`,
    createdAt: new Date(),
    title: '',
    description: '',
    ocrText,
    identifiers: identifiersOf(ocrText),
    embeddings: {},
    ...more,
  };
}

/** The promise of `SearchIndex`, for every adapter. `make` is called once for the suite. Searching may lag behind writing. */
export function searchIndexConformance(name: string, make: () => Promise<SearchIndexUnderTest>): void {
  describe(`${name} as a SearchIndex`, () => {
    let subject: SearchIndexUnderTest;
    const index = (): SearchIndex => subject.index;
    beforeAll(async () => {
      subject = await make();
    });
    afterAll(() => subject.close());

    finding(index);
    tenancy(index);
    hostile(index);

    test('a working index passes its check', async () => {
      await expect(index().check()).resolves.toBeUndefined();
    });
  });
}

async function found(
  index: SearchIndex,
  tenant: { organizationId: string; projectIds: readonly string[] },
  text: string,
) {
  return (await index.search({ ...tenant, text, limit: 10 })).map((hit) => hit.documentId);
}

function finding(index: () => SearchIndex): void {
  test('a document is found by words of its text, its description and its title', async () => {
    const tenant = freshTenant();
    const record = recordOf(tenant, 'Delivery of seventeen walnut tables', {
      title: 'Carpenter note',
      description: 'Handwritten confirmation',
    });
    await index().upsert(record);
    for (const word of ['walnut', 'WALNUT', 'confirmation', 'carpenter'])
      await expect.poll(() => found(index(), tenant, word)).toEqual([record.documentId]);
    expect(await found(index(), tenant, 'helicopter')).toEqual([]);
  });

  test('a word with one letter wrong is found, but what has it right comes first', async () => {
    const tenant = freshTenant();
    const [right, wrong] = [recordOf(tenant, 'the recipe'), recordOf(tenant, 'the recipt')];
    await index().upsert(wrong);
    await index().upsert(right);
    await expect.poll(() => found(index(), tenant, 'recipe')).toEqual([right.documentId, wrong.documentId]);
  });

  test('a phrase in quotes ranks the document that has it first', async () => {
    const tenant = freshTenant();
    const apart = recordOf(tenant, 'tables walnut tables walnut tables and a blue chair by the walnut');
    const together = recordOf(tenant, 'the walnut tables are here');
    await index().upsert(apart);
    await index().upsert(together);
    await expect.poll(async () => (await found(index(), tenant, '"the walnut tables"'))[0]).toBe(together.documentId);
  });

  test('an identifier finds its document before every other, however it is punctuated', async () => {
    const tenant = freshTenant();
    const chatty = recordOf(tenant, 'invoice invoice invoice invoice about an invoice');
    const exact = recordOf(tenant, 'Rechnung INV-2024-0042');
    await index().upsert(chatty);
    await index().upsert(exact);
    for (const text of ['invoice INV-2024-0042', 'invoice inv20240042', 'invoice INV-2024/0042']) {
      await expect.poll(async () => (await found(index(), tenant, text))[0]).toBe(exact.documentId);
      const [hit] = await index().search({ ...tenant, text, limit: 10 });
      expect(hit?.matchedBy).toContain('exact');
    }
  });

  test('scores fall, the limit holds, and no document comes twice', async () => {
    const tenant = freshTenant();
    for (let at = 0; at < 8; at += 1)
      await index().upsert(recordOf(tenant, `walnut ${'walnut '.repeat(at)} table A-100${at}`));
    await expect
      .poll(async () => (await index().search({ ...tenant, text: 'walnut A-1003', limit: 5 })).length)
      .toBe(5);
    const hits = await index().search({ ...tenant, text: 'walnut A-1003', limit: 100 });
    const scores = hits.map((hit) => hit.score);
    expect(scores).toEqual(scores.toSorted((a, b) => b - a));
    expect(new Set(hits.map((hit) => hit.documentId)).size).toBe(hits.length);
    expect(hits).toHaveLength(8);
  });

  test('a record is replaced as a whole', async () => {
    const tenant = freshTenant();
    const record = recordOf(tenant, 'walnut X-777', { description: 'old words' });
    await index().upsert(record);
    await expect.poll(() => found(index(), tenant, 'walnut')).toEqual([record.documentId]);
    await index().upsert({ ...record, ocrText: 'mahogany', description: '', identifiers: [] });
    await expect.poll(() => found(index(), tenant, 'mahogany')).toEqual([record.documentId]);
    for (const text of ['walnut', 'X-777', 'words']) await expect.poll(() => found(index(), tenant, text)).toEqual([]);
  });

  test('vectors and their labels do not stand in the way of words', async () => {
    const tenant = freshTenant();
    const text = { label: 'local/lexical-1', vector: Float32Array.from([0.6, 0.8]) };
    const image = { label: 'local/visual-1', vector: Float32Array.from([1, 0]), blockHash: '00ff00ff00ff00ff' };
    const record = recordOf(tenant, 'walnut', { embeddings: { text, image } });
    await index().upsert(record);
    await expect.poll(() => found(index(), tenant, 'walnut')).toEqual([record.documentId]);
  });
}

function tenancy(index: () => SearchIndex): void {
  test('another organization finds nothing, public or not', async () => {
    const [mine, theirs] = [freshTenant(), freshTenant()];
    const record = recordOf(mine, 'walnut Q-4711', { visibility: 'public' });
    await index().upsert(record);
    await expect.poll(() => found(index(), mine, 'walnut')).toEqual([record.documentId]);
    for (const text of ['walnut', 'Q-4711'])
      for (const projectIds of [theirs.projectIds, mine.projectIds])
        expect(await found(index(), { ...theirs, projectIds }, text)).toEqual([]);
  });

  test('another project finds public documents only, and follows a change of visibility', async () => {
    const mine = freshTenant();
    const other = { ...mine, projectIds: [newId('project')] };
    const record = recordOf(mine, 'walnut Q-4712');
    await index().upsert(record);
    await expect.poll(() => found(index(), mine, 'walnut')).toEqual([record.documentId]);
    for (const text of ['walnut', 'Q-4712']) expect(await found(index(), other, text)).toEqual([]);
    await index().setVisibility(mine.organizationId, [record.documentId], 'public');
    for (const text of ['walnut', 'Q-4712'])
      await expect.poll(() => found(index(), other, text)).toEqual([record.documentId]);
    await index().setVisibility(mine.organizationId, [record.documentId], 'private');
    await expect.poll(() => found(index(), other, 'walnut')).toEqual([]);
  });

  test('another organization cannot change the visibility of a record', async () => {
    const [mine, theirs] = [freshTenant(), freshTenant()];
    const record = recordOf(mine, 'walnut');
    await index().upsert(record);
    await index().setVisibility(theirs.organizationId, [record.documentId], 'public');
    await expect.poll(() => found(index(), mine, 'walnut')).toEqual([record.documentId]);
    expect(await found(index(), { ...mine, projectIds: [newId('project')] }, 'walnut')).toEqual([]);
  });

  test('a reader without projects finds what is public and nothing else', async () => {
    const tenant = freshTenant();
    const open = recordOf(tenant, 'walnut', { visibility: 'public' });
    await index().upsert(open);
    await index().upsert(recordOf(tenant, 'walnut'));
    await expect.poll(() => found(index(), { ...tenant, projectIds: [] }, 'walnut')).toEqual([open.documentId]);
  });
}

function hostile(index: () => SearchIndex): void {
  test.each([
    '.*',
    '$ne',
    '{"$gt":""}',
    '"',
    '""',
    '" "',
    '*?~^:\\/()[]{}',
    'AND OR NOT',
    '🦄'.repeat(50),
    'a'.repeat(1_000),
    `${'"x '.repeat(300)}"`,
    'walnut\0table',
    'the of and',
    '１２３４５',
    '\u{202e}\u{feff}',
  ])('the query %j is answered within a second, without a fault', async (text) => {
    const tenant = freshTenant();
    await index().upsert(recordOf(tenant, 'a walnut table'));
    const started = performance.now();
    expect(await index().search({ ...tenant, text, limit: 10 })).toBeInstanceOf(Array);
    expect(performance.now() - started).toBeLessThan(1_000);
  });

  test('hostile text is stored and found like any other', async () => {
    const tenant = freshTenant();
    const record = recordOf(tenant, 'walnut </document> ${jndi:ldap} \0 "quoted" \u{1F984}', {
      title: '$where',
      identifiers: ['__proto__', '$ne'],
    });
    await index().upsert(record);
    await expect.poll(() => found(index(), tenant, 'walnut')).toEqual([record.documentId]);
  });
}
