import { Binary, type Collection, Int32, Long, MongoClient } from 'mongodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Anything, failureOf, startTestEngine, type TestEngine, openOnWarmThread } from './engine.ts';

let engine: TestEngine;
beforeAll(async () => {
  engine = await startTestEngine();
});
afterAll(() => engine[Symbol.asyncDispose]());

type Similarity = 'cosine' | 'dotProduct' | 'euclidean';

const vectorField = (similarity: Similarity, numDimensions = 2, path = 'v') => ({
  type: 'vector',
  path,
  numDimensions,
  similarity,
});
const indexOf = (...fields: object[]) => ({ name: 'v', type: 'vectorSearch', definition: { fields } });
const SCORE = { $project: { score: { $meta: 'vectorSearchScore' } } };

async function indexed(similarity: Similarity, docs: Anything[], ...fields: object[]) {
  const collection = engine.fresh();
  if (docs.length > 0) await collection.insertMany(docs);
  else await engine.db.createCollection(collection.collectionName);
  await collection.createSearchIndex(indexOf(vectorField(similarity), ...fields));
  return collection;
}

const nearest = (queryVector: unknown, more: object = {}) => ({
  $vectorSearch: { index: 'v', path: 'v', queryVector, limit: 100, exact: true, ...more },
});

async function ids(collection: Collection<Anything>, queryVector: unknown, more: object = {}): Promise<unknown[]> {
  return (await collection.aggregate<Anything>([nearest(queryVector, more)]).toArray()).map((doc) => doc._id);
}

describe('scores', () => {
  const docs: Anything[] = [
    { _id: 'east', v: [1, 0] },
    { _id: 'north', v: [0, 2] },
    { _id: 'west', v: [-3, 0] },
    { _id: 'between', v: [0.6, 0.8] },
  ];
  it.for<[Similarity, number[], Record<string, number>]>([
    ['cosine', [2, 0], { east: 1, between: 0.8, north: 0.5, west: 0 }],
    ['cosine', [0, -1], { east: 0.5, west: 0.5, between: 0.1, north: 0 }],
    ['dotProduct', [1, 0], { east: 1, between: 0.8, north: 0.5, west: 0 }],
    ['dotProduct', [0, 0.5], { north: 1, between: 0.7, east: 0.5, west: 0.5 }],
    ['dotProduct', [4, 0], { east: 2.5, between: 1.7, north: 0.5, west: 0 }],
    ['euclidean', [1, 0], { east: 1, between: 1 / 1.8, north: 1 / 6, west: 1 / 17 }],
    ['euclidean', [0, 0], { east: 1 / 2, between: 1 / 2, north: 1 / 5, west: 1 / 10 }],
  ])('of %s from %j are those of Atlas', async ([similarity, query, scores]) => {
    const collection = await indexed(similarity, docs);
    const found = await collection.aggregate([nearest(query), SCORE]).toArray();
    expect(found).toEqual(Object.entries(scores).map(([_id, score]) => ({ _id, score: expect.closeTo(score, 6) })));
  });

  it('are ranked before limit cuts, and ties go by insertion', async () => {
    const collection = await indexed('cosine', [
      { _id: 9, v: [1, 1] },
      { _id: 8, v: [1, 0] },
      { _id: 7, v: [1, 1] },
    ]);
    expect(await ids(collection, [1, 1], { limit: 2 })).toEqual([9, 7]);
    expect(await ids(collection, [1, 1], { limit: 1, exact: false, numCandidates: 1 })).toEqual([9]);
    expect(await ids(collection, [1, 1], { limit: new Int32(3) })).toEqual([9, 7, 8]);
  });

  it('count what follows after the limit: match, skip and limit only cut the answer', async () => {
    const collection = await indexed(
      'euclidean',
      [1, 2, 3, 4, 5].map((n) => ({ _id: n, even: n % 2 === 0, v: [n, 0] })),
    );
    const after = async (...stages: object[]) =>
      (await collection.aggregate([nearest([0, 0], { limit: 4 }), ...stages]).toArray()).map(
        (doc) => doc['_id'] as number,
      );
    expect(await after({ $match: { even: true } })).toEqual([2, 4]);
    expect(await after({ $match: { even: true } }, { $limit: 1 })).toEqual([2]);
    expect(await after({ $skip: 3 })).toEqual([4]);
    expect(await after({ $sort: { _id: -1 } }, { $limit: 2 })).toEqual([4, 3]);
  });
});

describe('what is in the index', () => {
  const float = (...numbers: number[]) => Binary.fromFloat32Array(new Float32Array(numbers));
  it.for<[what: string, isIn: boolean, v: unknown]>([
    ['doubles', true, [0.5, 0.25]],
    ['ints, longs and doubles', true, [new Int32(1), Long.fromNumber(2)]],
    ['a float32 vector', true, float(1, 2)],
    ['zeros', false, [0, 0]],
    ['too few', false, [1]],
    ['too many', false, [1, 2, 3]],
    ['none', false, []],
    ['a short float32 vector', false, float(1)],
    ['an int8 vector', false, Binary.fromInt8Array(new Int8Array([1, 2]))],
    ['a bit vector', false, Binary.fromPackedBits(new Uint8Array([1, 2]), 0)],
    ['other binary data', false, new Binary(Buffer.alloc(10))],
    ['NaN', false, [1, NaN]],
    ['an infinite number', false, float(1, Infinity)],
    ['a number beyond float32', false, [1, 1e300]],
    ['a string among numbers', false, [1, '2']],
    ['strings', false, '12'],
    ['null', false, null],
    ['a document', false, { 0: 1, 1: 2 }],
    [
      'vectors in an array',
      false,
      [
        [1, 2],
        [3, 4],
      ],
    ],
  ])('%s: %s', async ([, isIn, v]) => {
    const collection = await indexed('cosine', [{ _id: 1, v }, { _id: 2 }]);
    expect(await ids(collection, [1, 1])).toEqual(isIn ? [1] : []);
  });

  it('a zero vector, except for cosine', async () => {
    expect(await ids(await indexed('euclidean', [{ _id: 1, v: [0, 0] }]), [0, 0])).toEqual([1]);
    expect(await ids(await indexed('dotProduct', [{ _id: 1, v: [0, 0] }]), [0, 0])).toEqual([1]);
  });

  it('vectors below a dotted path, but not in an array of documents; several fields each for itself', async () => {
    const collection = engine.fresh();
    await collection.insertMany([
      { _id: 1, e: { text: float(1, 0), image: [1, 0, 0] } },
      { _id: 2, e: { text: float(0, 1) } },
      { _id: 3, e: [{ text: [1, 0] }] },
      { _id: 4, e: { image: [0, 0, 1] } },
      { _id: 5, e: float(1, 0) },
    ]);
    await collection.createSearchIndex(
      indexOf(vectorField('cosine', 2, 'e.text'), vectorField('cosine', 3, 'e.image')),
    );
    expect(await ids(collection, [1, 0.5], { path: 'e.text' })).toEqual([1, 2]);
    expect(await ids(collection, [0, 0, 1], { path: 'e.image' })).toEqual([4, 1]);
  });

  it.for([1, 3, 15, 16, 17, 40, 1536, 8192])('vectors of %i dimensions, to the last number', async (dimensions) => {
    const collection = engine.fresh();
    const at = (last: number) =>
      Array.from({ length: dimensions }, (_, index) => (index === dimensions - 1 ? last : 0.5));
    await collection.insertMany([
      { _id: 1, v: at(3) },
      { _id: 2, v: float(...at(7)) },
    ]);
    await collection.createSearchIndex(indexOf(vectorField('euclidean', dimensions)));
    const found = await collection.aggregate([nearest(at(6)), SCORE]).toArray();
    expect(found).toEqual([
      { _id: 2, score: 0.5 },
      { _id: 1, score: expect.closeTo(0.1, 6) },
    ]);
    expect(await ids(collection, float(...at(2)))).toEqual([1, 2]);
  });
});

describe('a search', () => {
  let collection: Collection<Anything>;
  beforeAll(async () => {
    collection = await indexed('cosine', [{ _id: 1, v: [1, 0], o: 'a' }], { type: 'filter', path: 'o' });
    await collection.createSearchIndex({
      name: 'text',
      definition: { mappings: { fields: { o: { type: 'string' } } } },
    });
  });

  it.for<[more: object, code: number, message: RegExp]>([
    [{ limit: undefined }, 8, /"limit" is required/],
    [{ limit: 0 }, 7912700, /positive/],
    [{ limit: -1 }, 7912700, /positive/],
    [{ limit: NaN }, 7912700, /positive/],
    [{ limit: 1.5 }, 8, /integer/],
    [{ limit: 2 ** 31 }, 8, /integer/],
    [{ limit: '1' }, 8575100, /number/],
    [{ exact: false }, 8, /numCandidates is required/],
    [{ exact: undefined }, 8, /numCandidates is required/],
    [{ exact: 1 }, 8, /"exact"/],
    [{ numCandidates: 100 }, 8, /must be omitted/],
    [{ exact: false, numCandidates: 99 }, 8, /less than or equal to numCandidates/],
    [{ exact: false, numCandidates: 0 }, 8, /\[1\.\.10000\]/],
    [{ exact: false, numCandidates: 10_001 }, 8, /\[1\.\.10000\]/],
    [{ exact: false, numCandidates: 100.5 }, 8, /\[1\.\.10000\]/],
    [{ exact: false, numCandidates: 'many' }, 8, /\[1\.\.10000\]/],
    [{ index: undefined }, 8, /"index"/],
    [{ index: '' }, 8, /"index"/],
    [{ path: undefined }, 8, /"path"/],
    [{ path: 7 }, 8, /"path"/],
    [{ path: 'o' }, 8, /o is not indexed as vector/],
    [{ path: 'elsewhere' }, 8, /elsewhere is not indexed as vector/],
    [{ index: 'text' }, 8, /over search index 'text'/],
    [{ queryVector: undefined }, 8, /"queryVector"/],
    [{ queryVector: 'text' }, 8, /"queryVector"/],
    [{ queryVector: [1, '2'] }, 8, /"queryVector\[1\]"/],
    [{ queryVector: [1, Infinity] }, 8, /"queryVector\[1\]" non-finite/],
    [{ queryVector: [1e39, 1] }, 8, /"queryVector\[0\]" non-finite/],
    [{ queryVector: [] }, 8, /2 dimensions but queried with 0/],
    [{ queryVector: [1, 2, 3] }, 8, /2 dimensions but queried with 3/],
    [{ queryVector: [0, 0] }, 8, /zero vector/],
    [{ queryVector: Binary.fromInt8Array(new Int8Array([1, 2])) }, 238, /int8/],
    [{ queryVector: new Binary(Buffer.alloc(8)) }, 8, /"queryVector"/],
    [{ queryVector: undefined, query: 'words', model: 'm' }, 238, /'query'/],
    [{ returnStoredSource: true }, 238, /returnStoredSource/],
    [{ unheardOf: 1 }, 238, /'unheardOf'/],
  ])('with %j is refused', async ([more, code, message]) => {
    const failure = await failureOf(collection.aggregate([nearest([1, 0], more)], { ignoreUndefined: true }).toArray());
    expect(failure).toMatchObject({ code, message: expect.stringMatching(message) });
  });

  it('of an unknown index or collection finds nothing', async () => {
    expect(await ids(collection, [1, 2, 3], { index: 'misspelt', filter: { nowhere: 1 } })).toEqual([]);
    expect(await ids(engine.fresh(), [1])).toEqual([]);
  });

  it('stands first in a pipeline or in one inside it', async () => {
    expect(await failureOf(collection.aggregate([{ $match: {} }, nearest([1, 0])]).toArray())).toMatchObject({
      code: 40602,
    });
    const other = engine.fresh();
    await other.insertOne({ _id: 'other' });
    const lookup = { from: collection.collectionName, pipeline: [nearest([1, 0]), SCORE], as: 'found' };
    expect(await other.aggregate([{ $lookup: lookup }]).toArray()).toEqual([
      { _id: 'other', found: [{ _id: 1, score: 1 }] },
    ]);
  });

  it('of the other type of index is refused', async () => {
    const search = { $search: { index: 'v', text: { query: 'a', path: 'o' } } };
    expect(await failureOf(collection.aggregate([search]).toArray())).toMatchObject({ code: 8 });
  });

  it('never leaves the tenant that its filter names', async () => {
    const docs = Array.from({ length: 300 }, (_, n) => ({ _id: n, o: `org-${n % 7}`, v: [1, n / 300] }));
    const shared = await indexed('cosine', docs, { type: 'filter', path: 'o' });
    for (let org = 0; org < 7; org++) {
      const found = await ids(shared, [1, 0.5], { filter: { o: `org-${org}` } });
      expect(new Set(found)).toEqual(new Set(docs.filter((doc) => doc.o === `org-${org}`).map((doc) => doc._id)));
    }
    await shared.updateMany({ o: 'org-3' }, { $set: { o: 'org-4' } });
    expect(await ids(shared, [1, 0.5], { filter: { o: 'org-3' } })).toEqual([]);
    expect(await ids(shared, [1, 0.5], { filter: { o: 'org-4' } })).toHaveLength(86);
  });
});

describe('vector search indexes', () => {
  const vector = vectorField('cosine');
  it.for<[fields: unknown, code: number]>([
    [undefined, 2],
    [[], 2],
    ['v', 2],
    [['v'], 2],
    [[{ type: 'filter', path: 'o' }], 2],
    [[vector, { type: 'other', path: 'o' }], 238],
    [[vector, { type: 'autoEmbed', path: 'o' }], 238],
    [[vector, vector], 2],
    [[vector, { type: 'filter', path: 'v' }], 2],
    [[vector, { type: 'filter' }], 2],
    [[vector, { type: 'filter', path: '' }], 2],
    [[vector, { type: 'filter', path: 'o', numDimensions: 2 }], 238],
    [[{ ...vector, path: 'a..b' }], 2],
    [[{ ...vector, numDimensions: 0 }], 2],
    [[{ ...vector, numDimensions: 8193 }], 2],
    [[{ ...vector, numDimensions: 2.5 }], 2],
    [[{ ...vector, numDimensions: '2' }], 2],
    [[{ ...vector, similarity: 'manhattan' }], 2],
    [[{ type: 'vector', path: 'v', numDimensions: 2 }], 2],
    [[{ ...vector, quantization: 'half' }], 2],
    [[{ ...vector, quantization: 'binary' }], 2],
    [[{ ...vector, indexingMethod: 'ivf' }], 2],
    [[{ ...vector, hnswOptions: { maxEdges: 16 } }], 238],
    [[{ ...vector, unheardOf: 1 }], 238],
  ])('with the fields %j are refused', async ([fields, code]) => {
    const collection = await indexed('cosine', []);
    const definition = fields === undefined ? {} : { fields };
    const created = collection.createSearchIndex({ name: 'x', type: 'vectorSearch', definition });
    expect(await failureOf(created)).toMatchObject({ code });
    expect(await failureOf(collection.updateSearchIndex('v', definition))).toMatchObject({ code });
    expect(await collection.listSearchIndexes().toArray()).toHaveLength(1);
  });

  it.for([
    [{ mappings: {} }, 'vectorSearch', 238],
    [{ fields: [vector] }, 'search', 238],
    [{ fields: [vector], storedSource: true }, 'vectorSearch', 238],
    [{ fields: [vector], unheardOf: 1 }, 'vectorSearch', 238],
    [{ fields: [vector] }, 'other', 2],
  ] as const)('with the definition %j of type %s are refused', async ([definition, type, code]) => {
    const collection = await indexed('cosine', []);
    expect(await failureOf(collection.createSearchIndex({ name: 'x', type, definition }))).toMatchObject({ code });
  });

  it.for([
    { ...vector, indexingMethod: 'flat' },
    { ...vector, indexingMethod: 'hnsw', quantization: 'none' },
    { ...vector, quantization: 'scalar' },
    { ...vector, numDimensions: 8, quantization: 'binary' },
    { ...vector, numDimensions: 8192 },
  ])('take %j', async (field) => {
    const collection = await indexed('cosine', []);
    expect(await collection.createSearchIndex({ ...indexOf(field), name: 'x' })).toBe('x');
  });

  it('are listed by name and id, keep their id when changed, and are dropped', async () => {
    const collection = await indexed('cosine', [{ _id: 1, v: [1, 0], w: [1] }]);
    const [listed] = await collection.listSearchIndexes().toArray();
    const definition = { fields: [vectorField('cosine')] };
    const state = { name: 'v', type: 'vectorSearch', status: 'READY', queryable: true };
    expect(listed).toMatchObject({
      ...state,
      id: expect.stringMatching(/^[\da-f]{24}$/),
      latestDefinition: definition,
    });
    const { id } = listed as unknown as { id: string };
    const list = (spec: object) => collection.aggregate([{ $listSearchIndexes: spec }]).toArray();
    expect(await list({ id })).toEqual([listed]);
    expect(await list({ name: 'v' })).toEqual([listed]);
    expect(await list({ name: 'w' })).toEqual([]);
    expect(await failureOf(list({ name: 'v', id }))).toMatchObject({ code: 72 });
    expect(await failureOf(list({ unheardOf: 1 }))).toMatchObject({ code: 40415 });
    expect(await ids(collection, [1, 0])).toEqual([1]);
    const changed = { fields: [vectorField('euclidean', 1, 'w')] };
    await collection.updateSearchIndex('v', changed);
    expect(await list({ id })).toMatchObject([{ ...state, id, latestDefinition: changed }]);
    expect(await ids(collection, [1], { path: 'w' })).toEqual([1]);
    expect(await failureOf(ids(collection, [1, 0]))).toMatchObject({ code: 8 });
    expect(await failureOf(collection.createSearchIndex(indexOf(vector)))).toMatchObject({ code: 68 });
    await engine.db.command({ dropSearchIndex: collection.collectionName, id });
    expect(await list({})).toEqual([]);
    expect(await ids(collection, [1], { path: 'w' })).toEqual([]);
    expect(await failureOf(engine.db.command({ dropSearchIndex: collection.collectionName }))).toMatchObject({
      code: 72,
    });
  });

  it('find after a change of documents exactly what there is', async () => {
    const collection = await indexed('euclidean', [{ _id: 1, v: [1, 0] }], { type: 'filter', path: 'o' });
    const near = () => ids(collection, [1, 0]);
    expect(await near()).toEqual([1]);
    await collection.insertMany([
      { _id: 2, v: [1, 1] },
      { _id: 3, v: [5] },
    ]);
    expect(await near()).toEqual([1, 2]);
    await collection.updateOne({ _id: 1 }, { $set: { v: [9, 9] } });
    expect(await near()).toEqual([2, 1]);
    await collection.updateOne({ _id: 2 }, { $unset: { v: '' } });
    await collection.replaceOne({ _id: 3 }, { v: [2, 0], o: 'x' });
    expect(await near()).toEqual([3, 1]);
    await collection.deleteOne({ _id: 3 });
    await collection.insertOne({ _id: 4, v: [3, 0] });
    expect(await near()).toEqual([4, 1]);
    await failureOf(
      collection.insertMany([
        { _id: 5, v: [1, 0] },
        { _id: 5, v: [1, 0] },
        { _id: 6, v: [1, 0] },
      ]),
    );
    expect(await near()).toEqual([5, 4, 1]);
    await failureOf(collection.createIndexes([{ key: { o: 1 }, unique: true }]));
    await collection.deleteMany({});
    expect(await near()).toEqual([]);
    await collection.insertOne({ _id: 7, v: [1, 0] });
    expect(await near()).toEqual([7]);
    await collection.drop();
    await collection.insertOne({ _id: 8, v: [1, 0] });
    expect(await near()).toEqual([]);
    await collection.createSearchIndex(indexOf(vectorField('euclidean')));
    expect(await near()).toEqual([8]);
  });

  it('are there after a restart', async () => {
    await using other = await startTestEngine();
    const before = other.fresh();
    await before.insertOne({ _id: 1, v: [1, 0] });
    await before.createSearchIndex(indexOf(vectorField('euclidean')));
    expect(await ids(before, [1, 0])).toEqual([1]);
    await other.client.close();
    await other.database.close();
    const database = await openOnWarmThread({ dataDir: other.dataDir });
    const client = await MongoClient.connect(database.uri);
    const after = client.db('test').collection<Anything>(before.collectionName);
    await after.insertOne({ _id: 2, v: [0, 1] });
    expect(await ids(after, [1, 0])).toEqual([1, 2]);
    expect(await after.listSearchIndexes().toArray()).toMatchObject([{ name: 'v', type: 'vectorSearch' }]);
    await client.close();
    await database.close();
  });
});
