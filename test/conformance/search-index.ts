import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createLocalModels } from '#src/adapters/models/local/create-local-models.ts';
import { identifiersOf } from '#src/domain/documents/identifiers.ts';
import { newId } from '#src/domain/ids.ts';
import type { SearchOptions } from '#src/stores/search/hybrid-search.ts';
import { freshTenant } from '#test/support/records.ts';
import type { SearchIndex } from '#src/stores/search/search-index.ts';
import type { SearchQuery } from '#src/stores/search/query.ts';
import type { SearchRecord } from '#src/stores/search/rows/row.ts';

export interface SearchIndexUnderTest {
  open(options: SearchOptions): SearchIndex;
  close(): Promise<void>;
}

const { text: embedder } = createLocalModels();

/** Searching may lag behind writing. */
const eventually = <T>(ask: () => Promise<T>) => expect.poll(ask, { timeout: 20_000, interval: 5 });

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
    segmentationText: '',
    identifiers: identifiersOf(ocrText),
    embeddings: {},
    ...more,
  };
}

/** With its text's embedding. */
async function embedded(tenant: Tenant, ocrText: string, more: Partial<SearchRecord> = {}): Promise<SearchRecord> {
  const { vector } = await embedder.embedDocument(ocrText);
  return recordOf(tenant, ocrText, { embeddings: { text: { label: embedder.label, vector } }, ...more });
}

/** The promise of `SearchIndex`, for every adapter. `make` is called once for the suite. */
export function searchIndexConformance(name: string, make: () => Promise<SearchIndexUnderTest>): void {
  describe(`${name} as a SearchIndex`, () => {
    let subject: SearchIndexUnderTest;
    let lexical: SearchIndex;
    let hybrid: SearchIndex;
    const index = (): SearchIndex => lexical;
    beforeAll(async () => {
      subject = await make();
      lexical = subject.open({ mode: 'lexical', embedder });
      hybrid = subject.open({ mode: 'hybrid', embedder });
    }, 120_000);
    afterAll(() => subject.close());

    finding(index);
    narrowing(() => hybrid);
    blending(() => hybrid);
    degrading(() => subject);
    for (const [mode, of] of [
      ['lexical', index],
      ['hybrid', () => hybrid],
    ] as const) {
      tenancy(mode, of);
      hostile(mode, of);
      test(`a working ${mode} index passes its check`, async () => {
        await expect(of().check()).resolves.toBeUndefined();
      });
    }
  });
}

type Scope = Pick<SearchQuery, 'organizationId' | 'projectIds' | 'documentIds' | 'apiKeyIds'>;

async function found(index: SearchIndex, scope: Scope, text: string) {
  return (await index.search({ ...scope, text, limit: 10 })).hits.map((hit) => hit.documentId);
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
      await eventually(() => found(index(), tenant, word)).toEqual([record.documentId]);
    expect(await found(index(), tenant, 'helicopter')).toEqual([]);
  });

  test('a document is found by words of its file name and of its records, and by a phrase of either', async () => {
    const tenant = freshTenant();
    const record = recordOf(tenant, 'Thank you', { filename: 'Acme bill-2024.pdf', recordText: 'Restoran Wan Sheng' });
    await index().upsert(record);
    for (const text of ['acme', 'bill', 'sheng', '"wan sheng"', 'reztoran'])
      await eventually(() => found(index(), tenant, text)).toEqual([record.documentId]);
    await index().setRecordText(tenant.organizationId, record.documentId, 'Kopitiam Lim\nB-4711');
    for (const text of ['kopitiam', 'b4711', 'acme'])
      await eventually(() => found(index(), tenant, text)).toEqual([record.documentId]);
    await eventually(() => found(index(), tenant, 'sheng')).toEqual([]);
    await index().setNames(tenant.organizationId, record.documentId, { title: 'Beacon', filename: 'renamed scan.pdf' });
    for (const text of ['beacon', 'renamed', 'kopitiam'])
      await eventually(() => found(index(), tenant, text)).toEqual([record.documentId]);
    await eventually(() => found(index(), tenant, 'acme')).toEqual([]);
  });

  test('a word with one letter wrong is found, but what has it right comes first', async () => {
    const tenant = freshTenant();
    const [right, wrong] = [recordOf(tenant, 'the recipe'), recordOf(tenant, 'the recipt')];
    await index().upsert(wrong);
    await index().upsert(right);
    await eventually(() => found(index(), tenant, 'recipe')).toEqual([right.documentId, wrong.documentId]);
  });

  test('a word that no document has finds words two edits away, and a known word of many documents finds itself only', async () => {
    const tenant = freshTenant();
    const [far, near] = [recordOf(tenant, 'aerodynamics of a wing'), recordOf(tenant, 'the recipt')];
    const recipes = Array.from({ length: 10 }, (_, at) => recordOf(tenant, `recipe ${at}`));
    for (const record of [far, near, ...recipes]) await index().upsert(record);
    await eventually(async () => (await found(index(), tenant, 'recipe')).toSorted()).toEqual(
      recipes.map(({ documentId }) => documentId).toSorted(),
    );
    for (const text of ['aerodinamycs', 'arodinamics wing', 'aerodinamycs recipe'])
      expect((await found(index(), tenant, text))[0]).toBe(far.documentId);
  });

  test('a word is known if any document of the caller has it, also where the search narrows to others', async () => {
    const tenant = freshTenant();
    const [known, other] = [recordOf(tenant, 'heating'), recordOf(tenant, 'hearing')];
    for (const record of [known, other]) await index().upsert(record);
    await eventually(() => found(index(), tenant, 'hegting')).toEqual(
      expect.arrayContaining([known.documentId, other.documentId]),
    );
    const narrowed = { ...tenant, documentIds: [other.documentId] };
    const share = async (text: string) =>
      (await index().search({ ...narrowed, text, limit: 1 })).hits[0]?.ranks.lexical;
    // Widened in full where it is unknown, at a fifth of the weight where it is known.
    const [unknown, asKnown] = [await share('hegring'), await share('heating')];
    expect(unknown?.score ?? 0).toBeGreaterThan(2 * (asKnown?.score ?? Infinity));
  });

  test('a phrase in quotes finds the documents that have it, the one most about it first', async () => {
    const tenant = freshTenant();
    const apart = recordOf(tenant, 'tables made from walnut wood, walnut chairs, more tables');
    const once = recordOf(tenant, 'walnut tables are here among many other things that nobody asked for');
    const twice = recordOf(tenant, 'walnut tables, walnut tables');
    for (const record of [apart, once, twice]) await index().upsert(record);
    await eventually(() => found(index(), tenant, '"walnut tables"')).toEqual([twice.documentId, once.documentId]);
    await eventually(() => found(index(), tenant, '"walnut tables" chairs')).toEqual([
      twice.documentId,
      once.documentId,
      apart.documentId,
    ]);
  });

  test('an identifier finds its document before every other, however it is punctuated', async () => {
    const tenant = freshTenant();
    const chatty = recordOf(tenant, 'invoice invoice invoice invoice about an invoice');
    const exact = recordOf(tenant, 'Rechnung INV-2024-0042');
    await index().upsert(chatty);
    await index().upsert(exact);
    for (const text of ['invoice INV-2024-0042', 'invoice inv20240042', 'invoice INV-2024/0042']) {
      await eventually(async () => (await found(index(), tenant, text))[0]).toBe(exact.documentId);
      const [hit, next] = (await index().search({ ...tenant, text, limit: 10 })).hits;
      expect(hit?.matchedBy).toContain('exact');
      expect(hit?.score).toBeGreaterThan(1);
      expect(next?.score).toBeLessThanOrEqual(1);
    }
  });

  test('scores fall, the limit holds, and no document comes twice', async () => {
    const tenant = freshTenant();
    for (let at = 0; at < 8; at += 1)
      await index().upsert(recordOf(tenant, `walnut ${'walnut '.repeat(at)} table A-100${at}`));
    const ask = async (limit: number) => (await index().search({ ...tenant, text: 'walnut A-1003', limit })).hits;
    await eventually(async () => (await ask(100)).length).toBe(8);
    expect(await ask(5)).toHaveLength(5);
    const hits = await ask(100);
    const scores = hits.map((hit) => hit.score);
    expect(scores).toEqual(scores.toSorted((a, b) => b - a));
    expect(new Set(hits.map((hit) => hit.documentId)).size).toBe(hits.length);
  });

  test('a run that has no description, title or vector leaves those of an earlier run', async () => {
    const tenant = freshTenant();
    const more = { title: 'Carpenter note', description: 'old words K-4711', identifiers: ['k4711', 'x777'] };
    const record = await embedded(tenant, 'walnut X-777', more);
    await index().upsert(record);
    const { title, description: _, ocrText: __, ...place } = { ...record, embeddings: {} };
    await index().upsert({ ...place, ocrText: 'mahogany Y-888', identifiers: ['y888'] });
    for (const text of ['carpenter', 'old', 'k4711', 'mahogany', 'Y-888', 'carpentre', 'mahogony'])
      await eventually(() => found(index(), tenant, text)).toEqual([record.documentId]);
    for (const text of ['walnut', 'X-777']) expect(await found(index(), tenant, text)).toEqual([]);
    await index().upsert({ ...place, title, ocrText: 'walnut', description: 'new words', identifiers: [] });
    await eventually(() => found(index(), tenant, 'new')).toEqual([record.documentId]);
    for (const text of ['old', 'k4711', 'mahogany']) expect(await found(index(), tenant, text)).toEqual([]);
  });

  test('two runs that index one document at a time keep what the other wrote', async () => {
    const tenant = freshTenant();
    const { title, description, ocrText, ...place } = recordOf(tenant, 'walnut', {
      title: 'Carpenter note',
      description: 'confirmation',
    });
    await Promise.all([index().upsert({ ...place, title, description }), index().upsert({ ...place, ocrText })]);
    for (const text of ['carpenter', 'confirmation', 'walnut', 'carpentre', 'wlanut'])
      await eventually(() => found(index(), tenant, text)).toEqual([place.documentId]);
    // As after a process that died between its two commands: a run is repeated as a whole.
    await index().upsert({ ...place, ocrText });
    expect(await found(index(), tenant, 'confirmation')).toEqual([place.documentId]);
  });

  test('a record is replaced as a whole', async () => {
    const tenant = freshTenant();
    const record = recordOf(tenant, 'walnut X-777', { description: 'old words' });
    await index().upsert(record);
    await eventually(() => found(index(), tenant, 'walnut')).toEqual([record.documentId]);
    await index().upsert({ ...record, ocrText: 'mahogany', description: '', identifiers: [] });
    await eventually(() => found(index(), tenant, 'mahogany')).toEqual([record.documentId]);
    for (const text of ['walnut', 'X-777', 'words']) await eventually(() => found(index(), tenant, text)).toEqual([]);
  });

  test('vectors and their labels do not stand in the way of words', async () => {
    const tenant = freshTenant();
    const text = { label: 'local/lexical-1', vector: Float32Array.from([0.6, 0.8]) };
    const image = { label: 'local/visual-1', vector: Float32Array.from([1, 0]), blockHash: '00ff00ff00ff00ff' };
    const record = recordOf(tenant, 'walnut', { embeddings: { text, image } });
    await index().upsert(record);
    await eventually(() => found(index(), tenant, 'walnut')).toEqual([record.documentId]);
  });
}

function narrowing(index: () => SearchIndex): void {
  test('a search narrows to documents and to keys, by every retriever', async () => {
    const tenant = freshTenant();
    const mine = await embedded(tenant, 'walnut table W-4711', { apiKeyId: 'key_mine' });
    const other = await embedded(tenant, 'walnut table W-4711', { apiKeyId: 'key_other' });
    const nobody = await embedded(tenant, 'walnut table W-4711');
    for (const record of [mine, other, nobody]) await index().upsert(record);
    for (const text of ['walnut', 'W-4711', '"walnut table"', 'wlanut']) {
      const among = (scope: Partial<Scope>) => found(index(), { ...tenant, ...scope }, text);
      await eventually(async () => (await among({})).length).toBe(3);
      expect(await among({ apiKeyIds: ['key_mine'] })).toEqual([mine.documentId]);
      expect(await among({ documentIds: [other.documentId] })).toEqual([other.documentId]);
      expect(await among({ documentIds: [other.documentId], apiKeyIds: ['key_mine'] })).toEqual([]);
      for (const nothing of [{ documentIds: [] }, { apiKeyIds: [] }]) expect(await among(nothing)).toEqual([]);
    }
  });
}

function blending(index: () => SearchIndex): void {
  test('a word that no rule for typing errors reaches is found by its letters, and the answer says how near', async () => {
    const tenant = freshTenant();
    const record = await embedded(tenant, 'confirmation of a delivery');
    await index().upsert(record);
    await index().upsert(await embedded(tenant, 'seventeen zebras'));
    await eventually(async () => (await found(index(), tenant, 'ocnfirmation'))[0]).toBe(record.documentId);
    const ask = { ...tenant, text: 'ocnfirmation', limit: 10 };
    const { hits, degraded } = await index().search(ask);
    expect(hits[0]).toMatchObject({ matchedBy: ['semantic'], ranks: { semantic: { rank: 1 } } });
    expect(hits[0]?.distance).toBeGreaterThan(0.1);
    expect(hits[0]?.distance).toBeLessThan(0.9);
    expect(degraded).toEqual([]);
    expect((await index().search({ ...ask, mode: 'lexical' })).hits).toEqual([]);
  });

  test('what has the words stands above what has their letters, and equal texts are equally near', async () => {
    const tenant = freshTenant();
    const both = await embedded(tenant, 'walnut table');
    const words = recordOf(tenant, 'walnut table and a chair');
    const letters = await embedded(tenant, 'wlanut tbale');
    for (const record of [words, letters, both]) await index().upsert(record);
    await eventually(async () => (await found(index(), tenant, 'walnut table')).length).toBe(3);
    const { hits } = await index().search({ ...tenant, text: 'walnut table', limit: 10 });
    expect(hits[0]).toMatchObject({ documentId: both.documentId, matchedBy: ['lexical', 'semantic'] });
    expect(hits[0]?.distance).toBeCloseTo(0, 3);
    expect(hits.find((hit) => hit.documentId === words.documentId)).toMatchObject({ distance: null });
    expect(hits.find((hit) => hit.documentId === letters.documentId)).toMatchObject({ matchedBy: ['semantic'] });
  });

  test('identifiers and phrases stay above the nearest neighbour; the limit holds', async () => {
    const tenant = freshTenant();
    const exact = recordOf(tenant, 'INV-2024-0042 and much that has nothing to do with it');
    const phrase = recordOf(tenant, 'here the invoice nobody paid is named once among many other words');
    for (const record of [exact, phrase]) await index().upsert(record);
    for (let at = 0; at < 5; at += 1) await index().upsert(await embedded(tenant, `invoice May ${at}`));
    for (const [text, first] of [
      ['invoice inv-2024/0042', exact],
      ['"invoice nobody" invoice', phrase],
    ] as const) {
      await eventually(async () => (await found(index(), tenant, text)).length).toBeGreaterThan(4);
      const { hits } = await index().search({ ...tenant, text, limit: 3 });
      expect(hits).toHaveLength(3);
      expect(hits[0]).toMatchObject({ documentId: first.documentId });
      expect(hits[0]?.matchedBy).toContain('exact');
    }
  });

  test('a vector stays until a run writes another, or has none for the text', async () => {
    const tenant = freshTenant();
    const record = await embedded(tenant, 'confirmation');
    await index().upsert(record);
    await eventually(() => found(index(), tenant, 'ocnfirmation')).toEqual([record.documentId]);
    const next = await embedded(tenant, 'hydrangea', { documentId: record.documentId });
    await index().upsert(next);
    await eventually(() => found(index(), tenant, 'yhdrangea')).toEqual([record.documentId]);
    expect(await found(index(), tenant, 'ocnfirmation')).toEqual([]);
    await index().upsert({ ...next, embeddings: {}, description: 'indexed without a vector' });
    await eventually(() => found(index(), tenant, 'indexed')).toEqual([record.documentId]);
    expect(await found(index(), tenant, 'yhdrangea')).toEqual([record.documentId]);
    await index().upsert({ ...next, embeddings: { text: null } });
    await eventually(() => found(index(), tenant, 'yhdrangea')).toEqual([]);
    expect(await found(index(), tenant, 'hydrangea')).toEqual([record.documentId]);
  });
}

function degrading(subject: () => SearchIndexUnderTest): void {
  const options = { mode: 'hybrid', embedder } as const;
  const nothing = async (): Promise<never> => Promise.reject(new Error('the model is down'));
  const never = (_: string, signal?: AbortSignal) =>
    new Promise<never>((_resolve, reject) => {
      signal?.addEventListener('abort', () => reject(new Error('stopped')));
    });

  test.each([
    ['embeddings of another label', { ...options, embedder: { ...embedder, label: 'other/1' } }],
    ['a model that fails', { ...options, embedder: { ...embedder, embedQuery: nothing } }],
    ['a model that hangs', { ...options, embedder: { ...embedder, embedQuery: never } }],
  ])('%s leaves the other retrievers, and the answer says so', async (_, broken) => {
    const tenant = freshTenant();
    const [index, working] = [subject().open(broken), subject().open(options)];
    const record = await embedded(tenant, 'walnut table Q-4711');
    await index.upsert(record);
    await eventually(() => found(working, tenant, 'walnut')).toEqual([record.documentId]);
    expect(await index.search({ ...tenant, text: 'Q-4711 walnut', limit: 10 })).toMatchObject({
      hits: [{ documentId: record.documentId, matchedBy: ['exact', 'lexical'], distance: null }],
      degraded: ['semantic'],
    });
  });

  test('a query without a content word is near to nothing, and the answer says so', async () => {
    const tenant = freshTenant();
    const index = subject().open(options);
    await index.upsert(await embedded(tenant, 'walnut'));
    await eventually(async () => (await index.search({ ...tenant, text: 'walnut', limit: 10 })).degraded).toEqual([]);
    expect(await index.search({ ...tenant, text: 'the of', limit: 10 })).toEqual({ hits: [], degraded: ['semantic'] });
  });

  test('vectors of another length, from an earlier model, break no search', async () => {
    const tenant = freshTenant();
    const index = subject().open(options);
    const vector = Float32Array.from([0.6, 0.8]);
    const older = recordOf(tenant, 'walnut chair', { embeddings: { text: { label: 'older/2', vector } } });
    const newer = await embedded(tenant, 'walnut table');
    for (const record of [older, newer]) await index.upsert(record);
    await eventually(async () => (await found(index, tenant, 'walnut')).toSorted()).toEqual(
      [older.documentId, newer.documentId].toSorted(),
    );
    const { hits } = await index.search({ ...tenant, text: 'walnut', limit: 10 });
    expect(hits.find((hit) => hit.documentId === older.documentId)).toMatchObject({ matchedBy: ['lexical'] });
  });
}

function tenancy(mode: string, index: () => SearchIndex): void {
  test(`${mode}: another organization finds nothing, public or not`, async () => {
    const [mine, theirs] = [freshTenant(), freshTenant()];
    const record = await embedded(mine, 'walnut Q-4711', { visibility: 'public' });
    await index().upsert(record);
    await eventually(() => found(index(), mine, 'walnut')).toEqual([record.documentId]);
    for (const text of ['walnut', 'Q-4711'])
      for (const projectIds of [theirs.projectIds, mine.projectIds])
        expect(await found(index(), { ...theirs, projectIds }, text)).toEqual([]);
  });

  test(`${mode}: another project finds public documents only, and follows a change of visibility`, async () => {
    const mine = freshTenant();
    const other = { ...mine, projectIds: [newId('project')] };
    const record = await embedded(mine, 'walnut Q-4712');
    await index().upsert(record);
    await eventually(() => found(index(), mine, 'walnut')).toEqual([record.documentId]);
    for (const text of ['walnut', 'Q-4712']) expect(await found(index(), other, text)).toEqual([]);
    await index().setVisibility(mine.organizationId, [record.documentId], 'public');
    for (const text of ['walnut', 'Q-4712'])
      await eventually(() => found(index(), other, text)).toEqual([record.documentId]);
    await index().setVisibility(mine.organizationId, [record.documentId], 'private');
    await eventually(() => found(index(), other, 'walnut')).toEqual([]);
  });

  test(`${mode}: another organization cannot change the visibility of a record`, async () => {
    const [mine, theirs] = [freshTenant(), freshTenant()];
    const record = await embedded(mine, 'walnut');
    await index().upsert(record);
    await index().setVisibility(theirs.organizationId, [record.documentId], 'public');
    await eventually(() => found(index(), mine, 'walnut')).toEqual([record.documentId]);
    expect(await found(index(), { ...mine, projectIds: [newId('project')] }, 'walnut')).toEqual([]);
  });

  test(`${mode}: a reader without projects finds what is public and nothing else`, async () => {
    const tenant = freshTenant();
    const open = await embedded(tenant, 'walnut', { visibility: 'public' });
    await index().upsert(open);
    await index().upsert(await embedded(tenant, 'walnut'));
    await eventually(() => found(index(), { ...tenant, projectIds: [] }, 'walnut')).toEqual([open.documentId]);
  });
}

function hostile(mode: string, index: () => SearchIndex): void {
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
  ])(`${mode}: the query %j is answered within a second, without an error`, async (text) => {
    const tenant = freshTenant();
    await index().upsert(await embedded(tenant, 'a walnut table'));
    const started = performance.now();
    expect((await index().search({ ...tenant, text, limit: 10 })).hits).toBeInstanceOf(Array);
    expect(performance.now() - started).toBeLessThan(1_000);
  });

  test(`${mode}: hostile text is stored and found like any other`, async () => {
    const tenant = freshTenant();
    const record = await embedded(tenant, 'walnut </document> ${jndi:ldap} \0 "quoted" \u{1F984}', {
      title: '$where',
      identifiers: ['__proto__', '$ne'],
    });
    await index().upsert(record);
    await eventually(() => found(index(), tenant, 'walnut')).toEqual([record.documentId]);
  });
}
