import type { Collection, Document } from 'mongodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Anything, failureOf, startTestEngine, type TestEngine } from '../engine.ts';

let engine: TestEngine;
let things: Collection<Anything>;
beforeAll(async () => {
  engine = await startTestEngine();
  things = engine.db.collection<Anything>('things');
  await things.insertMany([
    { _id: 'a', n: 1, m: 4, text: 'red apple', v: [1, 0] },
    { _id: 'b', n: 2, m: 3, text: 'red red pear', v: [0.6, 0.8] },
    { _id: 'c', n: 3, m: 2, text: 'green pear', v: [0, 1] },
    { _id: 'd', n: 3, m: 1, text: 'blue plum', v: [-1, 0] },
  ]);
  await things.createSearchIndex({
    name: 'text',
    definition: { mappings: { dynamic: false, fields: { text: { type: 'string' } } } },
  });
  await things.createSearchIndex({
    name: 'vector',
    type: 'vectorSearch',
    definition: { fields: [{ type: 'vector', path: 'v', numDimensions: 2, similarity: 'cosine' }] },
  });
});
afterAll(() => engine[Symbol.asyncDispose]());

const SCORED = { $project: { score: { $meta: 'score' } } };
const fuse = (pipelines: Document, rest: Document = {}) => ({ $rankFusion: { input: { pipelines }, ...rest } });
const run = (stage: Document, ...rest: Document[]) => things.aggregate<Anything>([stage, ...rest]).toArray();
const close = (value: number): unknown => expect.closeTo(value, 10);
const rank = (at: number, weight = 1): number => weight / (60 + at);

const UP = [{ $sort: { n: 1 } }];
const DOWN = [{ $sort: { m: 1 } }, { $limit: 2 }];

describe('$rankFusion', () => {
  it.each<[string, Document, Document, [string, number][]]>([
    [
      'ranks one pipeline by its sort',
      { up: [{ $sort: { m: -1 } }, { $limit: 2 }] },
      {},
      [
        ['a', rank(1)],
        ['b', rank(2)],
      ],
    ],
    [
      'adds what each pipeline gives, and equal sort keys share a rank',
      { up: UP, down: DOWN },
      {},
      [
        ['d', rank(3) + rank(1)],
        ['c', rank(3) + rank(2)],
        ['a', rank(1)],
        ['b', rank(2)],
      ],
    ],
    [
      'weighs the pipelines, those without a weight as 1',
      { up: UP, down: DOWN },
      { combination: { weights: { up: 0.5 } } },
      [
        ['d', rank(3, 0.5) + rank(1)],
        ['c', rank(3, 0.5) + rank(2)],
        ['a', rank(1, 0.5)],
        ['b', rank(2, 0.5)],
      ],
    ],
    [
      'orders equal scores by _id',
      {
        up: [{ $match: { _id: { $in: ['d', 'c'] } } }, { $sort: { n: 1 } }],
        none: [{ $match: { n: 9 } }, { $sort: { n: 1 } }],
      },
      {},
      [
        ['c', rank(1)],
        ['d', rank(1)],
      ],
    ],
    [
      'takes a search and a vector search',
      {
        words: [{ $search: { index: 'text', text: { query: 'pear', path: 'text' } } }, { $limit: 5 }],
        vectors: [{ $vectorSearch: { index: 'vector', path: 'v', queryVector: [0, 1], limit: 2, exact: true } }],
      },
      { combination: { weights: { vectors: 2 } } },
      [
        ['c', rank(1) + rank(1, 2)],
        ['b', rank(2) + rank(2, 2)],
      ],
    ],
  ])('%s', async (_name, pipelines, rest, expected) => {
    expect(await run(fuse(pipelines, rest), SCORED)).toEqual(
      expected.map(([_id, score]) => ({ _id, score: close(score) })),
    );
  });

  it('gives the documents as they are, to the stages that follow', async () => {
    expect(await run(fuse({ up: UP }), { $match: { n: { $gt: 1 } } }, { $limit: 1 })).toEqual([
      { _id: 'b', n: 2, m: 3, text: 'red red pear', v: [0.6, 0.8] },
    ]);
    expect(await run(fuse({ up: UP }), { $sort: { m: 1 } }, { $project: { _id: 1 } })).toEqual(
      ['d', 'c', 'b', 'a'].map((_id) => ({ _id })),
    );
  });

  it('answers nothing over a collection that is not there', async () => {
    expect(
      await engine
        .fresh()
        .aggregate([fuse({ up: UP })])
        .toArray(),
    ).toEqual([]);
  });

  it.each<[string, Document, number]>([
    ['no pipelines', fuse({}), 9],
    ['no input', { $rankFusion: {} }, 40414],
    ['an unknown field', fuse({ up: UP }, { frob: 1 }), 40415],
    ['an empty pipeline', fuse({ up: [] }), 9834300],
    ['a pipeline without an order', fuse({ up: [{ $match: {} }] }), 9191100],
    ['a stage that changes documents', fuse({ up: [...UP, { $project: { n: 1 } }] }), 9191103],
    ['a fusion within', fuse({ up: [fuse({ x: UP })] }), 10473002],
    ['a weight for no pipeline', fuse({ up: UP }, { combination: { weights: { upp: 1 } } }), 9967500],
    ['a negative weight', fuse({ up: UP }, { combination: { weights: { up: -1 } } }), 9460300],
    ['a weight that is no number', fuse({ up: UP }, { combination: { weights: { up: 'x' } } }), 13118],
    ['a name with a dot', fuse({ 'a.b': UP }), 16410],
    ['scoreDetails', fuse({ up: UP }, { scoreDetails: true }), 238],
    ['scoreDetails that is no bool', fuse({ up: UP }, { scoreDetails: 1 }), 14],
  ])('refuses %s', async (_name, stage, code) => {
    expect(await failureOf(run(stage))).toMatchObject({ code });
  });

  it('stands first, and not in a $facet', async () => {
    expect(await failureOf(run({ $match: {} }, fuse({ up: UP })))).toMatchObject({ code: 40602 });
    expect(await failureOf(run({ $facet: { a: [fuse({ up: UP })] } }))).toMatchObject({ code: 40600 });
  });
});

describe('$meta', () => {
  const search = { $search: { index: 'text', text: { query: 'red', path: 'text' } } };
  const vector = { $vectorSearch: { index: 'vector', path: 'v', queryVector: [1, 0], limit: 3, exact: true } };

  it('has the score of the search under its own name and as score', async () => {
    const found = await run(vector, { $project: { own: { $meta: 'vectorSearchScore' }, any: { $meta: 'score' } } });
    expect(found).toEqual(
      [
        ['a', 1],
        ['b', 0.8],
        ['c', 0.5],
      ].map(([_id, score]) => ({
        _id,
        own: expect.closeTo(score as number, 6),
        any: expect.closeTo(score as number, 6),
      })),
    );
    expect(await failureOf(run(search, { $project: { s: { $meta: 'vectorSearchScore' } } }))).toMatchObject({
      code: 40218,
    });
  });

  it('sorts by the greatest score first, beside fields', async () => {
    const ids = async (...stages: Document[]) => (await run(vector, ...stages)).map((doc) => doc._id);
    expect(await ids({ $sort: { s: { $meta: 'vectorSearchScore' } } })).toEqual(['a', 'b', 'c']);
    expect(
      await ids({ $addFields: { odd: { $in: ['$_id', ['b', 'c']] } } }, { $sort: { odd: -1, s: { $meta: 'score' } } }),
    ).toEqual(['b', 'c', 'a']);
  });

  it('stays with a document through stages that reshape it', async () => {
    const found = await run(
      search,
      { $set: { x: 1 } },
      { $unset: 'v' },
      { $match: { n: 1 } },
      { $project: { s: { $gt: [{ $meta: 'searchScore' }, 0] } } },
    );
    expect(found).toEqual([{ _id: 'a', s: true }]);
  });
});
