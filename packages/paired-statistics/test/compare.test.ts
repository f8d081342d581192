import { describe, expect, test } from 'vitest';
import { alphaLeft, nextAlpha } from '../src/alpha-ledger.ts';
import { bcaInterval } from '../src/bootstrap.ts';
import { compare } from '../src/compare.ts';
import { highestEvidence, meanConfidenceSequence, meanProcess, typicalProcess } from '../src/processes.ts';
import { seededRandom, shuffled } from '../src/random.ts';
import { sentenceOf } from '../src/sentence.ts';
import { itemDifferences } from '../src/summary.ts';

const random = seededRandom('compare');
/** A little noise around a value. */
const around = (value: number, spread = 0.1): number => value + (random() - 0.5) * spread;
const many = (n: number, value: (at: number) => number): number[] => Array.from({ length: n }, (_, at) => value(at));

describe('compare', () => {
  test('is better in the mean when the variant gains on every item', () => {
    const result = compare(many(60, () => around(0.2)));
    expect(result).toMatchObject({ n: 60, wins: 60, ties: 0, losses: 0, verdict: 'better', claim: 'mean' });
    expect(result.interval[0]).toBeLessThan(0.2);
    expect(result.interval[1]).toBeGreaterThan(0.2 - 0.02);
    expect(sentenceOf(result)).toMatch(
      /^Better in the mean: \+0\.\d{3} \[.*on 60 items; up to 5 % of items could lose/,
    );
  });

  test('is worse when it loses on every item', () => {
    expect(compare(many(60, () => around(-0.2)))).toMatchObject({
      verdict: 'worse',
      harm: { seen: expect.any(Number) },
    });
  });

  test('calls a small gain on most items better only with a bound of the harm', () => {
    const gain = (n: number) => many(n, () => around(0.02, 0.1));
    const few = compare(gain(50));
    // 50 items without harm leave 5.8 % possible, over the 5 % allowed.
    expect(few.typicalP).toBeLessThan(0.05);
    expect(few).toMatchObject({ verdict: 'inconclusive', harm: { seen: 0 } });
    expect(sentenceOf(few)).toMatch(/^Not decided: .* measure more items/);
    const enough = compare(gain(80));
    expect(enough).toMatchObject({ verdict: 'better', claim: 'typical' });
    expect(sentenceOf(enough)).toContain('Better on most items');
  });

  test('names no smaller difference than the measured one as what so few items would show', () => {
    const few = compare(many(12, (at) => (at < 7 ? 1 : 0)));
    expect(few).toMatchObject({ verdict: 'inconclusive', harm: { seen: 0 } });
    expect(few.mean).toBeGreaterThan(few.detectable);
    expect(sentenceOf(few)).toMatch(
      /did\)\. The difference is large, but 12 items do not show .* measure more items\.$/,
    );
    expect(sentenceOf(compare(many(12, (at) => (at < 2 ? 0.1 : 0))))).toMatch(
      /As many items show a mean difference of 0\.\d+/,
    );
  });

  test('is no better when a few items lose everything', () => {
    const differences = many(120, (at) => (at % 40 === 7 ? -1 : around(0.05, 0.05)));
    expect(compare(differences)).toMatchObject({ verdict: 'inconclusive', harm: { seen: 3 } });
  });

  test('is equivalent within a margin, and never without one', () => {
    const same = many(100, () => around(0, 0.02));
    expect(compare(same, { margin: 0.02 }).verdict).toBe('equivalent');
    expect(sentenceOf(compare(same, { margin: 0.02 }))).toContain('No difference that matters');
    expect(compare(same).verdict).toBe('inconclusive');
    expect(sentenceOf(compare(same.slice(0, 5).map(() => 0)))).toMatch(/^Not decided: .*All items differ by the same/);
  });

  test('may be looked at after every item in the anytime design', () => {
    const differences = many(150, () => around(0.15, 0.4));
    const result = compare(differences, { design: 'anytime' });
    expect(result.verdict).toBe('better');
    expect(result.interval[0]).toBeGreaterThan(0);
    expect(result.interval[0]).toBeLessThan(0.15);
    expect(result.interval[1]).toBeGreaterThan(0.15);
    const harmless = many(60, () => 0);
    expect(compare(harmless).harm.upperBound).toBeLessThan(0.05);
    expect(compare(harmless, { design: 'anytime' }).harm.upperBound).toBeGreaterThan(0.05);
  });

  test('decides nothing on no items, or on ties alone', () => {
    expect(compare([])).toMatchObject({ n: 0, verdict: 'inconclusive', interval: [-1, 1], typicalP: 1, meanP: 1 });
    expect(compare([], { design: 'anytime', margin: 0.5 }).verdict).toBe('inconclusive');
    expect(compare([0, 0, 0])).toMatchObject({ mean: 0, interval: [0, 0], typicalP: 1, verdict: 'inconclusive' });
  });

  test('refuses differences that are out of range or no numbers', () => {
    expect(() => compare([0.2, 1.5])).toThrow('Scale differences to [-1, 1]');
    expect(() => compare([Number.NaN])).toThrow(RangeError);
  });

  test('tests pass/fail results exactly', () => {
    const results = [...many(12, () => 1), -1, ...many(80, () => 0)];
    expect(compare(results).typicalP).toBeCloseTo((2 * (1 + 13)) / 2 ** 13, 14);
    expect(compare(results, { harmSize: 1, maxHarmRate: 0.06 }).verdict).toBe('better');
  });

  test('bootstraps an odd number of values, and more than have a table of pairs', () => {
    const width = ([low, high]: readonly [number, number]): number => high - low;
    for (const n of [31, 256, 257, 301]) {
      const values = many(n, () => around(0, 1));
      const statistic = (sample: readonly number[]): number => sample.reduce((sum, one) => sum + one, 0) / n;
      const [fast, general] = [bcaInterval(values), bcaInterval(values, { statistic, resamples: 2_000 })];
      expect(width(fast) / width(general)).toBeCloseTo(1, 0.7);
      expect(Math.abs(fast[0] - general[0])).toBeLessThan(width(general) / 15);
      expect(Math.abs(fast[1] - general[1])).toBeLessThan(width(general) / 15);
    }
  });

  test('gives the same result for the same seed', () => {
    const differences = many(40, () => around(0.03, 0.5));
    expect(compare(differences, { seed: 'a' })).toEqual(compare(differences, { seed: 'a' }));
    expect(bcaInterval(differences, { seed: 'a' })).not.toEqual(bcaInterval(differences, { seed: 'b' }));
  });
});

describe('processes', () => {
  test('a factor of the typical process is fair for a random sign', () => {
    for (const size of [0.01, 0.4, 1]) {
      const after = (sign: number): number => {
        const process = typicalProcess();
        process.next(0.3);
        return process.next(sign * size);
      };
      expect((after(1) + after(-1)) / 2).toBeCloseTo(1, 12);
    }
  });

  test('the mean process never stakes more than it has, and gains nothing without a past', () => {
    const process = meanProcess();
    expect(process.next(1)).toBe(1);
    const last =
      many(30, (at) => (at === 29 ? -1 : 1))
        .map((value) => process.next(value))
        .at(-1) ?? 0;
    expect(last).toBeGreaterThan(0);
  });

  test('evidence grows with the effect', () => {
    const evidence = (effect: number): number =>
      highestEvidence(
        meanProcess(),
        many(100, () => around(effect, 0.6)),
      );
    expect(evidence(0.3)).toBeGreaterThan(evidence(0.1));
    expect(evidence(-0.3)).toBeLessThan(2);
  });

  test('a confidence sequence shrinks around the mean', () => {
    const width = (n: number): number => {
      const [low, high] = meanConfidenceSequence(many(n, () => around(0.1, 0.4)));
      expect(low).toBeLessThan(0.1);
      expect(high).toBeGreaterThan(0.1);
      return high - low;
    };
    expect(width(400)).toBeLessThan(width(50));
    expect(meanConfidenceSequence([])).toEqual([-1, 1]);
    // No candidate of the grid is as near to the mean as these differences are to each other.
    for (const n of [500, 3_000]) {
      const [low, high] = meanConfidenceSequence(Array.from<number>({ length: n }).fill(0.0525));
      expect(low).toBeLessThanOrEqual(0.0525);
      expect(high).toBeGreaterThanOrEqual(0.0525);
    }
  });
});

test('trials count once per item', () => {
  const items = [
    { baseline: [0.4, 0.6], variant: [0.7, 0.9] },
    { baseline: [1], variant: [0] },
  ];
  expect(itemDifferences(items).map((value) => value.toFixed(6))).toEqual(['0.300000', '-1.000000']);
});

test('confirmations together spend no more than alpha', () => {
  const spent = Array.from({ length: 50 }, (_, at) => nextAlpha(0.05, at)).reduce((sum, one) => sum + one, 0);
  expect(spent).toBeLessThanOrEqual(0.05);
  expect(nextAlpha(0.05, 0)).toBe(0.025);
  expect(alphaLeft(0.05, 3)).toBeCloseTo(0.05 - 0.025 - 0.0125 - 0.00625, 15);
});

test('a shuffle keeps the items and repeats for its seed', () => {
  const items = many(100, (at) => at);
  const order = shuffled(items, seededRandom('x'));
  expect(order).not.toEqual(items);
  expect(order.toSorted((a, b) => a - b)).toEqual(items);
  expect(shuffled(items, seededRandom('x'))).toEqual(order);
});
