import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Anything, failureOf, startTestEngine, type TestEngine } from './engine.ts';

let engine: TestEngine;
beforeAll(async () => {
  engine = await startTestEngine();
});
afterAll(() => engine[Symbol.asyncDispose]());

const DEFINITION = {
  analyzer: 'lucene.english',
  mappings: {
    dynamic: false,
    fields: {
      org: { type: 'token' },
      title: { type: 'string', analyzer: 'lucene.standard' },
      text: { type: 'string' },
      nested: { type: 'document', fields: { words: { type: 'string' } } },
    },
  },
};

const DOCS: Anything[] = [
  { _id: 1, org: 'a', title: 'Invoice 2024-17', text: 'The invoice was paid in March by the customer' },
  { _id: 2, org: 'a', title: 'Receipt', text: 'Receipts for paying an invoice, another invoice and more invoices' },
  {
    _id: 3,
    org: 'b',
    title: 'Café menu',
    text: 'coffee and cake',
    nested: [{ words: 'paid' }, { words: ['in', 'march'] }],
  },
  { _id: 4, org: 'b', text: ['march', 'paid in'] },
  { _id: 5, org: 'b', title: 'nothing' },
];

async function things() {
  const collection = engine.fresh();
  await collection.insertMany(DOCS.slice(0, 3));
  expect(await collection.createSearchIndex({ name: 'main', definition: DEFINITION })).toBe('main');
  await collection.insertMany(DOCS.slice(3));
  const search = (operator: object, ...rest: object[]) =>
    collection.aggregate<Anything>([{ $search: { index: 'main', ...operator } }, ...rest]).toArray();
  const ids = async (operator: object, ...rest: object[]) =>
    (await search(operator, ...rest)).map((doc) => doc._id as number);
  return { collection, search, ids };
}

describe('$search', () => {
  it('finds words by stem, best first, and ignores case', async () => {
    const { ids } = await things();
    expect(await ids({ text: { query: 'invoices', path: 'text' } })).toEqual([2, 1]);
    expect(await ids({ text: { query: 'CAFÉ', path: 'title' } })).toEqual([3]);
    expect(await ids({ text: { query: 'invoices', path: 'title' } })).toEqual([]);
    expect(await ids({ text: { query: 'paid receipt', path: ['title', 'text'] } })).toEqual([2, 4, 1]);
    expect(await ids({ text: { query: 'march', path: 'nested.words' } })).toEqual([3]);
    expect(await ids({ text: { query: '"NEAR( OR * -', path: 'text' } })).toEqual([]);
  });

  it('scores by BM25 with k1 1.2 and b 0.75', async () => {
    const { search } = await things();
    const [first, second] = await search(
      { text: { query: 'invoice', path: 'text' } },
      { $project: { score: { $meta: 'searchScore' } } },
    );
    // Four documents have the field, of 7, 4, 2 and 2 terms without stop words; two hold the term, three times and once.
    const idf = Math.log(1 + (4 - 2 + 0.5) / (2 + 0.5));
    const tf = (n: number, length: number) => n / (n + 1.2 * (0.25 + (0.75 * length) / (15 / 4)));
    expect(first).toEqual({ _id: 2, score: expect.closeTo(idf * tf(3, 7), 10) });
    expect(second).toEqual({ _id: 1, score: expect.closeTo(idf * tf(1, 4), 10) });
    const [boosted] = await search(
      { text: { query: 'invoice', path: 'text', score: { boost: { value: 3 } } } },
      { $limit: 1 },
      { $addFields: { score: { $meta: 'searchScore' } } },
    );
    expect(boosted?.['score']).toBeCloseTo(3 * (first?.['score'] as number), 10);
  });

  it('takes a phrase in order only', async () => {
    const { ids } = await things();
    expect(await ids({ phrase: { query: 'paid in march', path: 'text' } })).toEqual([1]);
    expect(await ids({ phrase: { query: 'march paid', path: 'text' } })).toEqual([4]);
  });

  it('forgives typing errors up to maxEdits, after the prefix', async () => {
    const { ids } = await things();
    const fuzzy = (query: string, options: object) => ids({ text: { query, path: 'title', fuzzy: options } });
    expect(await fuzzy('recepit', { maxEdits: 1 })).toEqual([2]);
    expect(await fuzzy('recxxpt', { maxEdits: 1 })).toEqual([]);
    expect(await fuzzy('xeceipt', { maxEdits: 1, prefixLength: 1 })).toEqual([]);
    expect(await fuzzy('xeceipt', { maxEdits: 1 })).toEqual([2]);
  });

  it('combines clauses; filters do not score', async () => {
    const { search, ids } = await things();
    const paid = { text: { query: 'paid', path: 'text' } };
    const org = (value: string) => ({ equals: { path: 'org', value } });
    expect(await ids({ compound: { must: [paid], filter: [org('b')] } })).toEqual([4]);
    expect(await ids({ compound: { must: [paid], filter: [{ in: { path: 'org', value: ['a'] } }] } })).toEqual([1]);
    expect(await ids({ compound: { filter: [org('b')], should: [paid] } })).toEqual([4, 3, 5]);
    const should = [paid, { text: { query: 'march', path: 'text' } }, { text: { query: 'receipt', path: 'title' } }];
    expect((await ids({ compound: { should, minimumShouldMatch: 2 } })).toSorted((a, b) => a - b)).toEqual([1, 4]);
    const score = { $project: { score: { $meta: 'searchScore' } } };
    const [plain] = await search(paid, { $limit: 1 }, score);
    const [filtered] = await search({ compound: { must: [paid], filter: [org('b')] } }, { $limit: 1 }, score);
    expect(filtered).toEqual(plain);
    expect(await ids(paid, { $match: { org: 'a' } }, { $limit: 5 })).toEqual([1]);
  });

  it('follows every change of a document in the same moment', async () => {
    const { collection, ids } = await things();
    const find = () => ids({ text: { query: 'unusual', path: 'text' } });
    await collection.updateOne({ _id: 5 }, { $set: { text: 'an unusual word' } });
    expect(await find()).toEqual([5]);
    await collection.updateOne({ _id: 5 }, { $set: { other: 1 } });
    expect(await find()).toEqual([5]);
    await collection.replaceOne({ _id: 5 }, { org: 'b' });
    expect(await find()).toEqual([]);
    await collection.updateOne({ _id: 5 }, { $set: { text: 'unusual again' } });
    await collection.deleteOne({ _id: 5 });
    expect(await find()).toEqual([]);
  });

  it('answers an unknown index with nothing, and refuses what it does not know', async () => {
    const { collection, ids } = await things();
    expect(
      await collection.aggregate([{ $search: { index: 'misspelt', text: { query: 'paid', path: 'text' } } }]).toArray(),
    ).toEqual([]);
    expect(await failureOf(ids({ wildcard: { query: '*', path: 'text' } }))).toMatchObject({ code: 238 });
    expect(await failureOf(ids({ text: { query: 'a', path: 'text', synonyms: 'x' } }))).toMatchObject({ code: 238 });
    expect(await failureOf(ids({ equals: { path: 'text', value: 'a' } }))).toMatchObject({ code: 8 });
    expect(await failureOf(collection.aggregate([{ $match: {} }, { $search: {} }]).toArray())).toMatchObject({
      code: 40602,
    });
    expect(
      await failureOf(collection.createSearchIndex({ name: 'x', definition: { mappings: { dynamic: true } } })),
    ).toMatchObject({ code: 238 });
  });
});

describe('search indexes', () => {
  it('are listed, changed and dropped', async () => {
    const { collection, ids } = await things();
    expect(await collection.listSearchIndexes().toArray()).toMatchObject([
      { name: 'main', type: 'search', queryable: true, status: 'READY', latestDefinition: DEFINITION },
    ]);
    expect(await failureOf(collection.createSearchIndex({ name: 'main', definition: DEFINITION }))).toMatchObject({
      code: 68,
    });
    await collection.updateSearchIndex('main', { mappings: { dynamic: false, fields: { title: { type: 'string' } } } });
    expect(await ids({ text: { query: 'receipt', path: 'title' } })).toEqual([2]);
    expect(await ids({ text: { query: 'paid', path: 'text' } })).toEqual([]);
    await collection.dropSearchIndex('main');
    expect(await collection.listSearchIndexes('main').toArray()).toEqual([]);
    expect(await failureOf(collection.dropSearchIndex('main'))).toMatchObject({ code: 27 });
    expect(await failureOf(engine.fresh().createSearchIndex({ name: 'x', definition: DEFINITION }))).toMatchObject({
      code: 26,
    });
  });
});
