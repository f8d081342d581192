import { describe, expect, test } from 'vitest';
import { compare, type Verdict } from '../src/compare.ts';
import { nonInferior } from '../src/non-inferior.ts';
import { raceRound } from '../src/race.ts';
import { seededRandom } from '../src/random.ts';
import { sentenceOf } from '../src/sentence.ts';
import type { Difference } from '../src/summary.ts';

const random = seededRandom('lost');
const normal = (): number => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
const bounded = (value: number): number => Math.max(-1, Math.min(1, value));
const many = <T>(n: number, draw: (at: number) => T): T[] => Array.from({ length: n }, (_, at) => draw(at));
const whole = [-1, 1] as const;

/**
 * Loses two of 100 pairs as they suit a claim most: those that speak most against it. A variant of an outage that hits the documents on
 * which it does badly.
 */
function withoutWorst(differences: readonly number[], against: 1 | -1): Difference[] {
  const order = differences.map((value, at) => ({ at, value })).toSorted((a, b) => against * (a.value - b.value));
  const lost = new Set(order.slice(0, 2).map(({ at }) => at));
  return differences.map((value, at) => (lost.has(at) ? whole : value));
}

describe('lost pairs', () => {
  test('over 2 % of them leave no verdict, however clear the others are', () => {
    const clear = many(97, () => 0.5);
    const found = compare([...clear, whole, whole, whole]);
    expect(found).toMatchObject({ verdict: 'no_verdict', claim: null, n: 100, lost: 3, wins: 97 });
    expect(sentenceOf(found)).toBe('No verdict: 3 of 100 items were lost, and at most 2 % may be.');
    expect(compare(many(100, () => whole))).toMatchObject({ verdict: 'no_verdict', lost: 100, interval: [-1, 1] });
    expect(compare([whole])).toMatchObject({ verdict: 'no_verdict' });
  });

  test('up to 2 % of them leave a verdict that holds if each had gone against it', () => {
    const found = compare([...many(98, () => 0.5), whole, whole]);
    expect(found).toMatchObject({ verdict: 'better', claim: 'mean', n: 100, lost: 2, harm: { seen: 2 } });
    expect(sentenceOf(found)).toMatch(
      /2 of 100 items were lost; the verdict is the same whatever they would have been\.$/,
    );
    const close = [...many(98, () => 0), whole, whole];
    expect(
      compare(
        many(100, () => 0),
        { margin: 0.02 },
      ).verdict,
    ).toBe('equivalent');
    expect(compare(close, { margin: 0.02 }).verdict).toBe('inconclusive');
    expect(sentenceOf(compare(close, { margin: 0.02 }))).toMatch(/2 of 100 items were lost\.$/);
  });

  test('the interval reaches as far as with each of them at its worst, and at its best', () => {
    const known = many(98, () => bounded(0.1 * normal()));
    const found = compare([...known, whole, whole]);
    expect(found.interval[0]).toBe(compare([...known, -1, -1]).interval[0]);
    expect(found.interval[1]).toBe(compare([...known, 1, 1]).interval[1]);
  });

  test('a pair whose ends are known is counted with them', () => {
    const known = many(99, () => 0.5);
    expect(compare([...known, [-0.1, 0.9]]).harm.seen).toBe(0);
    expect(() => compare([[0.5, -0.5]])).toThrow('lower one first');
    expect(() => compare([[-2, 0]])).toThrow('Scale differences');
  });

  test.each(['fixed', 'anytime'] as const)('leave the false positives at their level, by the %s design', (design) => {
    const verdicts = (against: 1 | -1): Verdict[] =>
      many(150, (at) => {
        const equal = many(100, () => bounded(0.2 * normal()));
        return compare(withoutWorst(equal, against), { design, seed: String(at) }).verdict;
      });
    const rate = (of: readonly Verdict[], wrong: Verdict): number =>
      of.filter((one) => one === wrong).length / of.length;
    expect(rate(verdicts(1), 'better')).toBeLessThan(0.05);
    expect(rate(verdicts(-1), 'worse')).toBeLessThan(0.05);
  });

  test('dropping the same pairs in silence finds a gain that is none', () => {
    const wrong = many(60, (at) => {
      // Four of 100 lose everything, and the others gain as much together.
      const equal = many(100, (place) => (place < 2 ? -1 : 2 / 98 + 0.02 * normal()));
      return [compare(equal.slice(2), { seed: String(at) }), compare(withoutWorst(equal, 1), { seed: String(at) })];
    });
    const better = (which: 0 | 1): number => wrong.filter((pair) => pair[which]?.verdict === 'better').length / 60;
    expect(better(0)).toBeGreaterThan(0.9);
    expect(better(1)).toBe(0);
  });

  test('a gate counts them against the variant, and passes nobody who lost too many', () => {
    const same = (n: number, lost: number): Difference[] => many(n, (at) => (at < lost ? whole : 0));
    const options = { maxRegression: 0.1, maxHarmRate: 0.1 };
    expect(nonInferior(same(200, 0), options).passes).toBe(true);
    expect(nonInferior(same(200, 2), options)).toMatchObject({ passes: true, lost: 2, harm: { seen: 2 } });
    const refused = nonInferior(same(200, 200), options);
    expect(refused).toMatchObject({ passes: false, lost: 200, mean: 0 });
    expect(refused.reason).toBe('No verdict: 200 of 200 items were lost, and at most 2 % may be.');
    const regressing = many(400, () =>
      withoutWorst(
        many(100, () => (random() < 0.1 ? -1 : 0)),
        1,
      ),
    );
    const passed = regressing.filter((one) => nonInferior(one, { maxRegression: 0.1, maxHarmRate: 1 }).passes).length;
    expect(passed / 400).toBeLessThan(0.05);
  });

  test('a race drops a candidate that lost too many, and one that lost few is not called worse for it', () => {
    const racers = [
      { name: 'lost', differences: many<Difference>(60, (at) => (at < 5 ? whole : 0.9)) },
      { name: 'fair', differences: many<Difference>(60, (at) => (at === 0 ? whole : 0.1)) },
    ];
    const round = raceRound({ racers, entrants: 2, items: 60 });
    expect(round.drop).toEqual([{ name: 'lost', reason: 'lost' }]);
    expect(round.best).toBe('fair');
    const all = { name: 'all', differences: many<Difference>(16, () => whole) };
    expect(raceRound({ racers: [all], entrants: 1, items: 60 })).toMatchObject({ keep: [], next: null, best: null });
  });
});
