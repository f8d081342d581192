import { describe, expect, test } from 'vitest';
import { anytimeRateUpperBound, rateUpperBound } from '../src/binomial.ts';
import { itemsNeeded } from '../src/detectable-effect.ts';
import { nonInferior } from '../src/non-inferior.ts';
import { raceRound, rungs, type Racer } from '../src/race.ts';
import { seededRandom } from '../src/random.ts';

const random = seededRandom('gates');
const normal = (): number => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
const bounded = (value: number): number => Math.max(-1, Math.min(1, value));
const many = (n: number, draw: (at: number) => number): number[] => Array.from({ length: n }, (_, at) => draw(at));
const share = (happens: () => boolean, of = 400): number =>
  many(of, () => (happens() ? 1 : 0)).reduce((a, b) => a + b) / of;

describe('nonInferior', () => {
  test('passes a variant that changes nothing once enough items show it', () => {
    const same = (n: number) =>
      nonInferior(
        many(n, () => 0),
        { maxRegression: 0.05 },
      );
    expect(same(100)).toMatchObject({ passes: true, needed: 20, regressed: false, harm: { seen: 0 } });
    expect(same(100).reason).toBe(
      'Passes: +0.000 on 100 items. The mean loses less than 0.05; at most 3 % of items lose 0.2 or more.',
    );
    expect(same(20).passes).toBe(false);
    expect(same(20).reason).toMatch(
      /^Not shown: \+0\.000 on 20 items; the evidence .* is \d\.\d, and 20 is needed; up to 13\.9 % of items could lose 0\.2 or more \(0 of 20 did\), and 5 % may; without any such loss 59 items show it\. Measure more items\.$/,
    );
    expect(nonInferior([], { maxRegression: 0.05 })).toMatchObject({ passes: false, n: 0, mean: 0, evidence: 1 });
  });

  test.each([
    ['every item loses a little', () => bounded(-0.05 + 0.1 * normal())],
    ['few items lose everything', () => (random() < 0.05 ? -1 : 0)],
    ['few items lose everything, and the others gain', () => (random() < 0.1 ? -1 : 0.05 / 0.9)],
  ])('passes in at most alpha of the experiments when the mean loses exactly the maximum: %s', (_name, draw) => {
    expect(share(() => nonInferior(many(120, draw), { maxRegression: 0.05, maxHarmRate: 1 }).passes)).toBeLessThan(
      0.05,
    );
  });

  test('passes a variant that is as good in most experiments', () => {
    const options = { maxRegression: 0.05, maxHarmRate: 1 };
    expect(
      share(
        () =>
          nonInferior(
            many(200, () => bounded(0.1 * normal())),
            options,
          ).passes,
      ),
    ).toBeGreaterThan(0.95);
  });

  test('passes no variant that harms more items than allowed, whatever it gains', () => {
    const differences = many(200, (at) => (at % 20 === 3 ? -0.5 : 0.3));
    expect(nonInferior(differences, { maxRegression: 0.05 })).toMatchObject({ passes: false, harm: { seen: 10 } });
    expect(nonInferior(differences, { maxRegression: 0.05, maxHarmRate: 1 }).passes).toBe(true);
    const harmful = share(
      () =>
        nonInferior(
          many(120, () => (random() < 0.05 ? -0.2 : 0.3)),
          { maxRegression: 0.05 },
        ).passes,
    );
    expect(harmful).toBeLessThan(0.08);
  });

  test('says that a variant regressed', () => {
    const found = nonInferior(
      many(60, () => -0.4),
      { maxRegression: 0.05 },
    );
    expect(found).toMatchObject({ passes: false, regressed: true });
    expect(found.reason).toBe('Regressed: −0.400 on 60 items. The mean lost more than 0.05.');
  });

  test('refuses limits and differences that are out of range', () => {
    expect(() => nonInferior([0], { maxRegression: 0 })).toThrow('over 0 and below 1');
    expect(() => nonInferior([Number.NaN], { maxRegression: 0.1 })).toThrow('Scale differences');
  });
});

describe('raceRound', () => {
  const racers = (gains: readonly number[], n: number): Racer[] =>
    gains.map((gain, at) => ({ name: `v${at}`, differences: many(n, () => gain) }));

  test('has rungs that double up to all items', () => {
    expect(rungs(200, 20)).toEqual([16, 32, 64, 128, 200]);
    expect(rungs(400, 8)).toEqual([100, 200, 400]);
    expect(rungs(10, 20)).toEqual([10]);
    expect(rungs(60, 1)).toEqual([60]);
  });

  test('begins with all candidates, and drops the lower half at a rung', () => {
    const gains = [0.01, 0.04, 0.02, 0.03];
    expect(raceRound({ racers: racers(gains, 0), entrants: 4, items: 40, first: 10 })).toEqual({
      drop: [],
      keep: ['v0', 'v1', 'v2', 'v3'],
      next: 20,
      best: null,
    });
    const rung = raceRound({ racers: racers(gains, 20), entrants: 4, items: 40, first: 10 });
    expect(rung.drop).toEqual([
      { name: 'v0', reason: 'lower half' },
      { name: 'v2', reason: 'lower half' },
    ]);
    expect(rung).toMatchObject({ keep: ['v1', 'v3'], next: 40, best: null });
    const left = racers(gains, 20).filter(({ name }) => rung.keep.includes(name));
    expect(raceRound({ racers: left, entrants: 4, items: 40, first: 10 })).toMatchObject({ drop: [], next: 40 });
  });

  test('ends with the best candidate that gained anything', () => {
    expect(raceRound({ racers: racers([0.01, 0.04], 40), entrants: 4, items: 40 })).toEqual({
      drop: [{ name: 'v0', reason: 'lower half' }],
      keep: ['v1'],
      next: null,
      best: 'v1',
    });
    expect(raceRound({ racers: racers([-0.01, 0], 40), entrants: 4, items: 40 })).toMatchObject({
      next: null,
      best: null,
    });
    expect(raceRound({ racers: [], entrants: 4, items: 40 })).toEqual({ drop: [], keep: [], next: null, best: null });
  });

  test('drops a candidate that is clearly worse before the first rung', () => {
    const round = raceRound({ racers: racers([-0.5, 0, 0.01], 30), entrants: 3, items: 100, first: 50 });
    expect(round.drop).toEqual([{ name: 'v0', reason: 'worse' }]);
    expect(round).toMatchObject({ next: 50, best: null });
    expect(raceRound({ racers: racers([-0.5], 30), entrants: 3, items: 100 })).toMatchObject({ next: null, keep: [] });
  });

  test('compares candidates on the items that all of them have', () => {
    const [one, two] = [[...many(10, () => 0.1), -1, -1], many(10, () => 0.05)];
    const state = { entrants: 2, items: 10 };
    const found = raceRound({
      racers: [
        { name: 'one', differences: one },
        { name: 'two', differences: two },
      ],
      ...state,
    });
    expect(found.best).toBe('one');
  });

  test('finds one good variant among 20 about as often as measuring all of them on all items, with half of the runs', () => {
    const [entrants, items] = [20, 60];
    let runs = 0;
    const finds = share(() => {
      const all = many(entrants, () => 0).map((_, at) => ({
        name: `v${at}`,
        differences: many(items, () => bounded((at === 0 ? 0.08 : 0) + 0.2 * normal())),
      }));
      let [alive, measured] = [all, 0];
      for (;;) {
        const state = alive.map(({ name, differences }) => ({ name, differences: differences.slice(0, measured) }));
        const { keep, next, best } = raceRound({ racers: state, entrants, items });
        alive = alive.filter(({ name }) => keep.includes(name));
        if (next === null) return best === 'v0';
        runs += (alive.length + 1) * (next - measured);
        measured = next;
      }
    }, 100);
    expect(finds).toBeGreaterThan(0.65);
    expect(runs / 100).toBeLessThan(0.6 * (entrants + 1) * items);
  });
});

test('the bound of a rate holds when it is looked at after every item', () => {
  // The exact probability that the bound is under the true rate of 5 % after any of 200 items.
  const everUnder = (bound: typeof rateUpperBound): number => {
    let [bySeen, failed] = [[1], 0];
    for (let n = 1; n <= 200; n += 1) {
      const next = [...bySeen.map((p) => p * 0.95), 0];
      for (const [seen, p] of bySeen.entries()) next[seen + 1] = (next[seen + 1] ?? 0) + p * 0.05;
      const least = next.findIndex((_, seen) => seen / n >= 0.05 || bound(seen, n, 0.05) >= 0.05);
      failed += next.slice(0, least).reduce((sum, p) => sum + p, 0);
      bySeen = next.map((p, seen) => (seen < least ? 0 : p));
    }
    return failed;
  };
  expect(everUnder(anytimeRateUpperBound)).toBeCloseTo(0.0335, 4);
  expect(everUnder(rateUpperBound)).toBeCloseTo(0.1172, 4);
  const itemsToShow = many(200, (at) => anytimeRateUpperBound(0, at + 1, 0.05)).findIndex((rate) => rate <= 0.05) + 1;
  expect(itemsToShow).toBe(67);
  expect(anytimeRateUpperBound(0, 0, 0.05)).toBe(1);
  expect(anytimeRateUpperBound(5, 5, 0.05)).toBe(1);
  expect(anytimeRateUpperBound(20, 1_000, 0.05)).toBeGreaterThan(rateUpperBound(20, 1_000, 0.05));
  expect(anytimeRateUpperBound(20, 1_000, 0.05)).toBeLessThan(0.045);
});

test('Chow, Shao and Wang, 3.1.4: half a deviation needs 32 women', () => {
  expect(itemsNeeded(0.5, 1)).toBe(32);
  expect(itemsNeeded(0.05, 0.2)).toBe(126);
  expect(itemsNeeded(0.05, 0)).toBe(0);
});
