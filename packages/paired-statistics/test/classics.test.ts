import { describe, expect, test } from 'vitest';
import { binomialCdf, rateInterval, rateUpperBound } from '../src/binomial.ts';
import { bcaInterval, meanInterval } from '../src/bootstrap.ts';
import { studentInterval, studentQuantile } from '../src/student.ts';
import { detectableEffect } from '../src/detectable-effect.ts';
import { holmAdjusted } from '../src/holm.ts';
import { seededRandom } from '../src/random.ts';
import { normalCdf, normalQuantile } from '../src/normal.ts';
import { mcNemarTest, signFlipTest } from '../src/sign-flip.ts';

describe('worked examples of the literature', () => {
  test('Fisher (1935), §21: 15 pairs of Darwin’s maize, 863 of 32,768 arrangements in each tail', () => {
    const eighthsOfAnInch = [49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48];
    expect(signFlipTest(eighthsOfAnInch)).toBe((2 * 863) / 32_768);
  });

  test('sign flips of one size are McNemar’s exact test, for any number of items', () => {
    const passFail = (lost: number, won: number, ties: number): number[] => [
      ...Array.from<number>({ length: lost }).fill(-1),
      ...Array.from<number>({ length: won }).fill(1),
      ...Array.from<number>({ length: ties }).fill(0),
    ];
    expect(signFlipTest(passFail(7, 1, 13))).toBe(mcNemarTest(7, 1));
    expect(signFlipTest(passFail(20, 40, 100))).toBe(mcNemarTest(20, 40));
    // Means of three trials that differ in their last digits only.
    expect(signFlipTest([...passFail(20, 39, 5).map((one) => one / 3), 0.1 + 0.2 + 1 / 30])).toBe(mcNemarTest(20, 40));
    expect(signFlipTest([0.3, -0.3])).toBe(1);
  });

  test('24 items are counted exactly, and drawn flips agree with them', () => {
    const random = seededRandom('exact');
    const values = Array.from({ length: 24 }, () => random() - 0.42);
    const sum = (of: readonly number[]): number => of.reduce((all, one) => all + one, 0);
    const far = Math.abs(sum(values)) - 1e-9;
    let count = 0;
    for (let flip = 0; flip < 200_000; flip += 1)
      count += Math.abs(sum(values.map((value) => (random() < 0.5 ? value : -value)))) >= far ? 1 : 0;
    const p = signFlipTest(values);
    expect(Math.abs(p - count / 200_000)).toBeLessThan(0.004);
    expect(p * 2 ** 24).toBe(Math.round(p * 2 ** 24));
    // A 25th value as good as zero turns counting into drawing.
    expect(Math.abs(p - signFlipTest([...values, 1e-7], { flips: 100_000 }))).toBeLessThan(0.006);
  });

  test('Fagerland, Lydersen and Laake (2013): airway hyper-responsiveness of 21 children, exact p = 0.0703', () => {
    expect(mcNemarTest(7, 1)).toBeCloseTo(0.0703, 4);
    expect(mcNemarTest(1, 7)).toBe(mcNemarTest(7, 1));
    expect(mcNemarTest(0, 0)).toBe(1);
  });

  test.each([
    // Newcombe, Statistics in Medicine 17 (1998), table I, method 5.
    [81, 263, 0.2527, 0.3676],
    [15, 148, 0.0578, 0.1617],
    [0, 20, 0, 0.1684],
    [1, 29, 0.0009, 0.1776],
  ])('Newcombe (1998), table I: %i of %i', (seen, n, low, high) => {
    const interval = rateInterval(seen, n, 0.05);
    expect(interval[0]).toBeCloseTo(low, 4);
    expect(interval[1]).toBeCloseTo(high, 4);
  });

  test('Hanley and Lippman-Hand (1983): nothing seen among n means at most 3 / n', () => {
    expect(rateUpperBound(0, 100, 0.05)).toBeCloseTo(1 - 0.05 ** (1 / 100), 12);
    expect(rateUpperBound(0, 100, 0.05)).toBeLessThan(3 / 100);
  });

  test('Efron and Tibshirani (1993), chapter 14: variance of the spatial test data, BCa 90 % [115.8, 259.6]', () => {
    const scores = [
      48, 36, 20, 29, 42, 42, 20, 42, 22, 41, 45, 14, 6, 0, 33, 28, 34, 4, 32, 24, 47, 41, 24, 26, 30, 41,
    ];
    const variance = (sample: readonly number[]): number => {
      const middle = sample.reduce((sum, value) => sum + value, 0) / sample.length;
      return sample.reduce((sum, value) => sum + (value - middle) ** 2, 0) / sample.length;
    };
    expect(variance(scores)).toBeCloseTo(171.5, 1);
    const [low, high] = bcaInterval(scores, { statistic: variance, level: 0.9, seed: 'spatial' });
    // The book drew 2,000 resamples, which leaves some units of chance.
    expect(Math.abs(low - 115.8)).toBeLessThan(4);
    expect(Math.abs(high - 259.6)).toBeLessThan(6);
  });

  test('Holm (1979): each p is multiplied by the number of hypotheses that are left', () => {
    const adjusted = holmAdjusted([0.01, 0.04, 0.03, 0.005]);
    for (const [at, p] of [0.03, 0.06, 0.06, 0.02].entries()) expect(adjusted[at]).toBeCloseTo(p, 12);
    expect(holmAdjusted([0.9, 0.8])).toEqual([1, 1]);
  });

  test('Chow, Shao and Wang, 3.1.4: a bone density that rises by half a deviation needs 32 women', () => {
    expect(detectableEffect(1, 32)).toBeCloseTo(0.495, 3);
    expect(detectableEffect(1, 31)).toBeGreaterThan(0.5);
  });

  test('Abramowitz and Stegun, table 26.1: the normal distribution', () => {
    expect(normalCdf(1)).toBeCloseTo(0.841_344_746_068_543, 14);
    expect(normalCdf(-3)).toBeCloseTo(0.001_349_898_031_630_1, 14);
    expect(1 - normalCdf(5)).toBeCloseTo(2.866_515_719e-7, 14);
    expect(normalQuantile(0.975)).toBeCloseTo(1.959_963_984_540_054, 12);
  });

  test.each([
    [1, 12.706],
    [2, 4.303],
    [3, 3.182],
    [9, 2.262],
    [59, 2.001],
  ])('Student’s t, table 26.10 of Abramowitz and Stegun: %i degrees of freedom', (degrees, value) => {
    expect(Math.abs(studentQuantile(0.975, degrees) - value)).toBeLessThan(0.005);
    expect(studentQuantile(0.025, degrees)).toBeCloseTo(-studentQuantile(0.975, degrees), 9);
  });

  test('Student (1908), §IX: hours of sleep that ten patients gained by laevo over dextro hyoscyamine', () => {
    const hours = [1.2, 2.4, 1.3, 1.3, 0, 1, 1.8, 0.8, 4.6, 1.4];
    const [low, high] = studentInterval(hours);
    expect(low).toBeCloseTo(0.7, 1);
    expect(high).toBeCloseTo(2.46, 2);
    expect(meanInterval(hours)[0]).toBeLessThanOrEqual(low);
    expect(meanInterval(hours)[1]).toBeGreaterThanOrEqual(high);
  });

  test('binomial sums are those of whole numbers', () => {
    expect(binomialCdf(2, 5, 0.5)).toBeCloseTo(16 / 32, 14);
    expect(binomialCdf(59, 100, 0.5)).toBeCloseTo(0.971_556_0, 6);
    expect(binomialCdf(1_000, 1_000, 0.2)).toBe(1);
  });
});
