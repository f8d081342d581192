import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Anything, startTestEngine, type TestEngine } from '../engine.ts';

let engine: TestEngine;
beforeAll(async () => {
  engine = await startTestEngine();
});
afterAll(() => engine[Symbol.asyncDispose]());

/** BM25 as Lucene writes it: of `rows` documents with the field `holding` have the term, this one `frequency` times. */
const idf = (rows: number, holding: number) => Math.log(1 + (rows - holding + 0.5) / (holding + 0.5));
const tf = (frequency: number, length: number, average: number) =>
  frequency / (frequency + 1.2 * (1 - 0.75 + (0.75 * length) / average));

const DOCS: Anything[] = [
  { _id: 1, t: 'red green blue', u: 'red', k: 'a', n: 1 },
  { _id: 2, t: 'red red', u: 'green blue', k: 'b', n: [2, 3] },
  { _id: 3, t: 'reed sea', k: 'a' },
  { _id: 4, t: 'the red sea of blue and green', k: 'c', n: 9 },
  { _id: 5, u: 'yellow', w: 'sea sea sea' },
];
// The field t: four documents of 3, 2, 2 and 7 terms; the field u: three documents of 1, 2 and 1 terms.
const T = { rows: 4, average: 14 / 4 };
const U = { rows: 3, average: 4 / 3 };

const words = (query: unknown, path: unknown = 't', more: object = {}) => ({ text: { query, path, ...more } });
const phrase = (query: string) => ({ phrase: { query, path: 't' } });
const boost = (value: number) => ({ score: { boost: { value } } });
const k = (value: string, more: object = {}) => ({ equals: { path: 'k', value, ...more } });

const red = (frequency: number, length: number) => idf(T.rows, 3) * tf(frequency, length, T.average);
const green = (length: number) => idf(T.rows, 2) * tf(1, length, T.average);
/** With `reed` beside `red` both count as what more documents have: three. */
const redAndSea = idf(T.rows, 3) + idf(T.rows, 2);

const CASES: [title: string, operator: object, scores: Record<number, number>][] = [
  ['one term', words('red'), { 1: red(1, 3), 2: red(2, 2), 4: red(1, 7) }],
  ['two terms add up', words('red green'), { 1: red(1, 3) + green(3), 2: red(2, 2), 4: red(1, 7) + green(7) }],
  ['a repeated term counts twice', words('green green'), { 1: 2 * green(3), 4: 2 * green(7) }],
  ['two queries add up', words(['green', 'red']), { 1: red(1, 3) + green(3), 2: red(2, 2), 4: red(1, 7) + green(7) }],
  [
    'two fields add up, each by its own statistics',
    words('red', ['t', 'u']),
    { 1: red(1, 3) + idf(U.rows, 1) * tf(1, 1, U.average), 2: red(2, 2), 4: red(1, 7) },
  ],
  ['boost multiplies', words('green', 't', boost(3)), { 1: 3 * green(3), 4: 3 * green(7) }],
  [
    'a term one edit away counts less by the edits for each letter',
    words('red', 't', { fuzzy: { maxEdits: 1 } }),
    { 1: red(1, 3), 2: red(2, 2), 3: (1 - 1 / 3) * idf(T.rows, 3) * tf(1, 2, T.average), 4: red(1, 7) },
  ],
  [
    'a misspelt term has the rarity of the most frequent term close to it',
    words('ree', 't', { fuzzy: { maxEdits: 1 } }),
    {
      1: (2 / 3) * red(1, 3),
      2: (2 / 3) * red(2, 2),
      3: (2 / 3) * idf(T.rows, 3) * tf(1, 2, T.average),
      4: (2 / 3) * red(1, 7),
    },
  ],
  ['a phrase is as rare as its words together', phrase('red sea'), { 4: redAndSea * tf(1, 7, T.average) }],
  ['a phrase of one word is that word', phrase('red'), { 1: red(1, 3), 2: red(2, 2), 4: red(1, 7) }],
  ['a repeated word counts twice in a phrase', phrase('red red'), { 2: 2 * idf(T.rows, 3) * tf(1, 2, T.average) }],
  ['equals scores 1', k('a'), { 1: 1, 3: 1 }],
  ['equals with a boost', k('a', boost(2.5)), { 1: 2.5, 3: 2.5 }],
  ['in scores 1, however many values are met', { in: { path: 'n', value: [2, 3, 9] } }, { 2: 1, 4: 1 }],
  ['must adds up', { compound: { must: [words('red'), k('a')] } }, { 1: red(1, 3) + 1 }],
  ['filter adds nothing', { compound: { must: words('red'), filter: k('a') } }, { 1: red(1, 3) }],
  ['filter alone scores 0', { compound: { filter: k('a') } }, { 1: 0, 3: 0 }],
  [
    'should adds what matches',
    { compound: { must: k('a'), should: [words('red'), words('green', 't', boost(2))] } },
    { 1: 1 + red(1, 3) + 2 * green(3), 3: 1 },
  ],
  [
    'minimumShouldMatch still adds all',
    { compound: { should: [words('red'), words('green'), k('a')], minimumShouldMatch: 2 } },
    { 1: red(1, 3) + green(3) + 1, 4: red(1, 7) + green(7) },
  ],
  [
    'a compound is boosted as a whole',
    { compound: { must: [words('red'), k('a')], ...boost(10) } },
    { 1: 10 * (red(1, 3) + 1) },
  ],
  [
    'a nested filter adds nothing',
    { compound: { must: [{ compound: { filter: k('a') } }, words('red')] } },
    { 1: red(1, 3) },
  ],
];

describe('scores', () => {
  let scoresOf: (operator: object, ...rest: object[]) => Promise<Record<string, number>>;
  beforeAll(async () => {
    const collection = engine.fresh();
    await collection.insertMany(DOCS.map((doc) => ({ ...doc })));
    const fields = {
      t: { type: 'string' },
      u: { type: 'string' },
      w: { type: 'string' },
      k: { type: 'token' },
      n: { type: 'number' },
    };
    await collection.createSearchIndex({ name: 'default', definition: { mappings: { fields } } });
    scoresOf = async (operator, ...rest) => {
      const score = { $project: { score: { $meta: 'searchScore' } } };
      const rows = await collection.aggregate<Anything>([{ $search: operator }, ...rest, score]).toArray();
      expect(rows.map((row) => row['score'])).toEqual(rows.map((row) => row['score']).toSorted((a, b) => b - a));
      return Object.fromEntries(rows.map((row) => [row._id as number, row['score'] as number]));
    };
  });

  it.each(CASES)('%s', async (_title, operator, expected) => {
    const found = await scoresOf(operator);
    expect(Object.keys(found).toSorted()).toEqual(Object.keys(expected).toSorted());
    for (const [id, score] of Object.entries(expected)) expect(found[id]).toBeCloseTo(score, 10);
  });

  it.each(CASES)('%s, cut by a limit', async (_title, operator, expected) => {
    const best = Object.entries(expected).toSorted(([a, x], [b, y]) => y - x || Number(a) - Number(b));
    expect(Object.keys(await scoresOf(operator, { $limit: 1 }))).toEqual(best.slice(0, 1).map(([id]) => id));
    const second = best.slice(1, 2).map(([id]) => id);
    expect(Object.keys(await scoresOf(operator, { $skip: 1 }, { $limit: 1 }))).toEqual(second);
  });
});
