import { describe, expect, test } from 'vitest';
import {
  fuse,
  weightOfMeaning,
  weightOfSentences,
  weightOfSpelling,
  type RankedHits,
} from '#src/domain/search/fuse.ts';

type Retriever = 'exact' | 'lexical' | 'semantic';

/** Hits as `id:score`. */
const retriever = (
  name: Retriever,
  hits: string,
  more: Partial<RankedHits<Retriever>> = {},
): RankedHits<Retriever> => ({
  retriever: name,
  weight: 1,
  pins: name === 'exact',
  hits: hits
    .split(' ')
    .filter((hit) => hit !== '')
    .map((hit) => ({ documentId: hit.split(':')[0] ?? '', score: Number(hit.split(':')[1]) })),
  ...more,
});
const ids = (ranked: RankedHits<Retriever>[], limit = 10): string =>
  fuse(ranked, limit)
    .map((hit) => hit.documentId)
    .join(' ');

describe('Score fusion', () => {
  test.each([
    ['nothing comes of nothing', [], ''],
    ['retrievers that found nothing come to nothing', [retriever('lexical', ''), retriever('semantic', '')], ''],
    ['one retriever keeps its order', [retriever('lexical', 'b:9 a:5 c:1')], 'b a c'],
    ['an empty retriever changes nothing', [retriever('lexical', 'b:9 a:5 c:1'), retriever('semantic', '')], 'b a c'],
    ['what both found stands first', [retriever('lexical', 'a:9 b:5'), retriever('semantic', 'c:.9 b:.8')], 'b a c'],
    ['a sure retriever decides', [retriever('lexical', 'a:900 b:1'), retriever('semantic', 'b:.2 a:.15')], 'a b'],
    ['a score at the floor adds nothing', [retriever('semantic', 'b:.9 a:.5 c:.5', { floor: 0.5 })], 'b a c'],
    [
      'above a floor, small differences count',
      [retriever('lexical', 'a:9 b:7'), retriever('semantic', 'b:.9 a:.8 c:.7', { floor: 0.7 })],
      'b a c',
    ],
    [
      'equal scores: the retriever named first decides',
      [retriever('semantic', 'a:1'), retriever('lexical', 'b:9')],
      'a b',
    ],
    ['equal scores in one retriever: the id decides', [retriever('lexical', 'c:5 a:5 b:5')], 'a b c'],
    ['equal scores: the other decides', [retriever('lexical', 'b:5 a:5'), retriever('semantic', 'a:.9 b:.8')], 'a b'],
    [
      'what one found is worth its share of that one',
      [retriever('lexical', 'a:5 b:5 c:1'), retriever('semantic', 'd:9 e:8')],
      'a b d e c',
    ],
    [
      'a heavier retriever wins',
      [retriever('lexical', 'a:9 b:8.5'), retriever('semantic', 'b:.9 a:.8', { weight: 2 })],
      'b a',
    ],
    [
      'a retriever without weight only adds, in its order, and decides no tie of another',
      [retriever('lexical', 'b:9 a:9'), retriever('semantic', 'd:.9 c:.8 b:.7', { weight: 0 })],
      'a b d c',
    ],
    ['a retriever without weight ranks alone', [retriever('semantic', 'b:.9 a:.8', { weight: 0 })], 'b a'],
    [
      'pins stand above all',
      [retriever('exact', 'c:1'), retriever('lexical', 'a:9 b:5'), retriever('semantic', 'a:.9 b:.8')],
      'c a b',
    ],
    [
      'pins are in the order of the others',
      [retriever('exact', 'c:1 b:1'), retriever('lexical', 'a:9 b:5 c:1')],
      'b c a',
    ],
    ['more exact comes before', [retriever('exact', 'c:2 b:1', { weight: 2 }), retriever('lexical', 'b:5 c:1')], 'c b'],
    ['a document that comes twice counts once', [retriever('lexical', 'a:9 a:8 b:7')], 'a b'],
  ])('%s', (_, ranked, expected) => {
    expect(ids(ranked)).toBe(expected);
  });

  test('scores are 1 for the first of every retriever, fall with the ranks and pass 1 for pins only', () => {
    const ranked = [
      retriever('exact', 'p:1'),
      retriever('lexical', 'p:9 a:5 b:3'),
      retriever('semantic', 'p:.9 a:.8 c:.1'),
    ];
    const scores = fuse(ranked, 10).map((hit) => hit.score);
    expect(scores[0]).toBeCloseTo(2, 10);
    expect(scores[1]).toBeCloseTo((5 / 9 + 8 / 9) / 3, 10);
    expect(scores.slice(1).every((score) => score > 0 && score <= 1)).toBe(true);
    expect(fuse([retriever('lexical', 'a:9'), retriever('semantic', 'a:.9')], 1)[0]?.score).toBeCloseTo(1, 10);
  });

  test('every hit says its rank and score in each retriever', () => {
    const [hit] = fuse([retriever('lexical', 'a:7 b:7'), retriever('semantic', 'c:.9 b:.4')], 1);
    expect(hit).toMatchObject({
      documentId: 'b',
      ranks: { lexical: { rank: 1, score: 7 }, semantic: { rank: 2, score: 0.4 } },
    });
  });

  test('the limit cuts the end', () => {
    expect(ids([retriever('lexical', 'a:9 b:8 c:7'), retriever('semantic', 'd:9')], 2)).toBe('a d');
    expect(ids([retriever('lexical', 'a:9')], 0)).toBe('');
  });

  test('order of ranked and of arrival do not change what equal weights answer', () => {
    const [one, two] = [retriever('lexical', 'a:9 b:8 c:7 d:6'), retriever('semantic', 'd:.9 b:.8 x:.7')];
    const scores = (ranked: RankedHits<Retriever>[]) =>
      new Map(fuse(ranked, 10).map((hit) => [hit.documentId, hit.score]));
    expect(scores([one, two])).toEqual(scores([two, one]));
  });
});

describe('The weight of neighbours beside words', () => {
  test('of spelling is nothing while words are known, and twice that of words when none is', () => {
    expect([1, 0.75, 0.5, 0.25, 0].map(weightOfSpelling)).toEqual([0, 0, 0, 1, 2]);
  });

  test('of meaning grows with what the best document lacks of the query', () => {
    const weights = [1, 0.5, 0].map(weightOfMeaning);
    expect(weights).toEqual([0.3, 0.8, 2.3]);
  });

  test('of sentences is nothing while the best document has most of the query', () => {
    const [all, most, some, none] = [1, 0.6, 0.35, 0].map(weightOfSentences);
    expect([all, most]).toEqual([0, 0]);
    expect(some).toBeCloseTo(1);
    expect(none).toBeCloseTo(2.4);
  });
});
