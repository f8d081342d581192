import { describe, expect, test } from 'vitest';
import { fuse, type RankedLeg } from '#src/domain/search/fuse.ts';

type Leg = 'exact' | 'lexical' | 'semantic';

/** Hits as `id:score`. */
const leg = (name: Leg, hits: string, more: Partial<RankedLeg<Leg>> = {}): RankedLeg<Leg> => ({
  leg: name,
  weight: 1,
  pins: name === 'exact',
  hits: hits
    .split(' ')
    .filter((hit) => hit !== '')
    .map((hit) => ({ documentId: hit.split(':')[0] ?? '', score: Number(hit.split(':')[1]) })),
  ...more,
});
const ids = (legs: RankedLeg<Leg>[], limit = 10): string =>
  fuse(legs, limit)
    .map((hit) => hit.documentId)
    .join(' ');

describe('Reciprocal rank fusion', () => {
  test.each([
    ['nothing comes of nothing', [], ''],
    ['legs that found nothing come to nothing', [leg('lexical', ''), leg('semantic', '')], ''],
    ['one leg keeps its order', [leg('lexical', 'b:9 a:5 c:1')], 'b a c'],
    ['an empty leg changes nothing', [leg('lexical', 'b:9 a:5 c:1'), leg('semantic', '')], 'b a c'],
    ['what both found stands first', [leg('lexical', 'a:9 b:5'), leg('semantic', 'c:.9 b:.8')], 'b a c'],
    ['ranks count, scores do not', [leg('lexical', 'a:900 b:1'), leg('semantic', 'b:.2 a:.1')], 'a b'],
    ['equal ranks: the leg named first decides', [leg('semantic', 'a:1'), leg('lexical', 'b:9')], 'a b'],
    ['equal scores in one leg: the id decides', [leg('lexical', 'c:5 a:5 b:5')], 'a b c'],
    ['equal scores share a rank', [leg('lexical', 'b:5 a:5'), leg('semantic', 'a:.9 b:.8')], 'a b'],
    ['the rank after a tie counts the tied', [leg('lexical', 'a:5 b:5 c:1'), leg('semantic', 'd:9 e:8')], 'a b d e c'],
    ['a heavier leg wins', [leg('lexical', 'a:9 b:8'), leg('semantic', 'b:.9 a:.8', { weight: 2 })], 'b a'],
    ['a leg without weight only adds', [leg('lexical', 'a:9'), leg('semantic', 'b:.9 a:.8', { weight: 0 })], 'a b'],
    ['pins stand above all', [leg('exact', 'c:1'), leg('lexical', 'a:9 b:5'), leg('semantic', 'a:.9 b:.8')], 'c a b'],
    ['pins are in the order of the others', [leg('exact', 'c:1 b:1'), leg('lexical', 'a:9 b:5 c:1')], 'b c a'],
    ['more exact comes before', [leg('exact', 'c:2 b:1'), leg('lexical', 'b:5 c:1')], 'c b'],
    ['a document that comes twice counts once', [leg('lexical', 'a:9 a:8 b:7')], 'a b'],
  ])('%s', (_, legs, expected) => {
    expect(ids(legs)).toBe(expected);
  });

  test('scores are 1 for the first of every leg, fall with the ranks and pass 1 for pins only', () => {
    const legs = [leg('exact', 'p:1'), leg('lexical', 'p:9 a:5 b:3'), leg('semantic', 'p:.9 a:.8 c:.1')];
    const scores = fuse(legs, 10).map((hit) => hit.score);
    expect(scores[0]).toBeCloseTo(2, 10);
    expect(scores[1]).toBeCloseTo((2 / 62) * (61 / 3), 10);
    expect(scores.slice(1).every((score) => score > 0 && score <= 1)).toBe(true);
    expect(fuse([leg('lexical', 'a:9'), leg('semantic', 'a:.9')], 1)[0]?.score).toBeCloseTo(1, 10);
  });

  test('every hit says its rank and score in each leg', () => {
    const [hit] = fuse([leg('lexical', 'a:7 b:7'), leg('semantic', 'c:.9 b:.4')], 1);
    expect(hit).toMatchObject({
      documentId: 'b',
      legs: { lexical: { rank: 1, score: 7 }, semantic: { rank: 2, score: 0.4 } },
    });
  });

  test('the limit cuts the end', () => {
    expect(ids([leg('lexical', 'a:9 b:8 c:7'), leg('semantic', 'd:9')], 2)).toBe('a d');
    expect(ids([leg('lexical', 'a:9')], 0)).toBe('');
  });

  test('order of legs and of arrival do not change what equal weights answer', () => {
    const [one, two] = [leg('lexical', 'a:9 b:8 c:7 d:6'), leg('semantic', 'd:.9 b:.8 x:.7')];
    const scores = (legs: RankedLeg<Leg>[]) => new Map(fuse(legs, 10).map((hit) => [hit.documentId, hit.score]));
    expect(scores([one, two])).toEqual(scores([two, one]));
  });
});
