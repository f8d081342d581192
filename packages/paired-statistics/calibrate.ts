import { argv, stdout } from 'node:process';
import { nextAlpha } from './src/alpha-ledger.ts';
import { anytimeRateUpperBound } from './src/binomial.ts';
import { bcaInterval, meanInterval } from './src/bootstrap.ts';
import { compare, type CompareOptions, type Verdict } from './src/compare.ts';
import { nonInferior } from './src/non-inferior.ts';
import { normalCdf } from './src/normal.ts';
import { meanConfidenceSequence, meanProcess, typicalProcess } from './src/processes.ts';
import { raceRound, type Racer } from './src/race.ts';
import { seededRandom } from './src/random.ts';
import { itemDifferences, mean, standardDeviation } from './src/summary.ts';

// `node calibrate.ts [experiments] [seed]`: simulated experiments (2,000) whose truth is known, ours beside naive practice. Prints Markdown.

const experiments = Number(argv[2] ?? 2_000);
const seedOfAll = argv[3] ?? 'calibrate';
const alpha = 0.05;
const random = seededRandom(seedOfAll);
// Source: Box and Muller, Annals of Mathematical Statistics 29 (1958).
const normal = (): number => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
const bounded = (value: number): number => Math.max(-1, Math.min(1, value));
const noise =
  (deviation: number, gain = 0) =>
  (): number =>
    bounded(gain + normal() * deviation);
const many = (n: number, draw: () => number): number[] => Array.from({ length: n }, draw);
const seed = (): string => String(random());
const percent = (rate: number): string => `${(rate * 100).toFixed(1)} %`;
const row = (...cells: readonly string[]): void => void stdout.write(`| ${cells.join(' | ')} |\n`);
const heading = (...cells: readonly string[]): void => {
  row(...cells);
  row(...cells.map(() => '---'));
};
/** Counts how often each of the names comes out. */
function counted<Name extends string>(outcomes: () => Iterable<Name>): (name: Name) => string {
  const counts = new Map<Name, number>();
  for (let at = 0; at < experiments; at += 1)
    for (const name of outcomes()) counts.set(name, (counts.get(name) ?? 0) + 1);
  return (name) => percent((counts.get(name) ?? 0) / experiments);
}

/** Naive practice: the mean over its standard error, as if normal and independent. */
function naiveP(values: readonly number[]): number {
  const deviation = standardDeviation(values);
  return deviation === 0 ? 1 : 2 * (1 - normalCdf(Math.abs(mean(values)) / (deviation / Math.sqrt(values.length))));
}
const isDecided = (verdict: Verdict): boolean => verdict === 'better' || verdict === 'worse';

const nulls: Readonly<Record<string, () => number>> = {
  'noise, deviation .2': noise(0.2),
  'noise, deviation .05': noise(0.05),
  'many ties (80 %)': () => (random() < 0.8 ? 0 : bounded(normal() * 0.3)),
  'skewed: many small losses, some large gains': () => bounded((-Math.log(1 - random()) - 1) * 0.15),
  'skewed: many small gains, some large losses': () => bounded((1 + Math.log(1 - random())) * 0.15),
  'rare catastrophe: 2 % lose everything, 40 % gain .05': () => {
    const place = random();
    return place < 0.02 ? -1 : place < 0.42 ? 0.05 : 0;
  },
};

/** One row: verdict of `compare` with defaults, its test of the typical item alone, and naive practice. */
function nullRow(
  name: string,
  draw: () => { readonly differences: readonly number[]; readonly naive: readonly number[] },
): void {
  const rate = counted<'better' | 'mean' | 'naive' | 'typicalTest' | 'worse'>(function* () {
    const { differences, naive } = draw();
    const { verdict, claim, typicalP } = compare(differences, { seed: seed() });
    if (verdict === 'better' || verdict === 'worse') yield verdict;
    if (claim === 'mean') yield 'mean';
    if (typicalP <= alpha) yield 'typicalTest';
    if (naiveP(naive) <= alpha) yield 'naive';
  });
  row(name, rate('better'), rate('worse'), rate('mean'), rate('typicalTest'), rate('naive'));
}

/** Trials of equal variants: each item has a difference of its own by chance, which all its trials share. */
function trialsOfEqualVariants(): { readonly differences: readonly number[]; readonly naive: readonly number[] } {
  const items = Array.from({ length: 30 }, () => {
    const [one, other] = [normal() * 0.12, normal() * 0.12];
    const trials = (own: number): number[] => many(3, () => bounded(own + normal() * 0.05));
    return { baseline: trials(one), variant: trials(other) };
  });
  return {
    differences: itemDifferences(items),
    naive: items.flatMap(({ baseline, variant }) => variant.map((one, at) => one - (baseline[at] ?? 0))),
  };
}

function fixedDesign(): void {
  heading(
    'No true difference, number of items fixed',
    '`better`',
    '`worse`',
    'of both, by the mean',
    'sign flips, p <= .05',
    'naive: z-test',
  );
  nullRow('A/A, 30 items with 3 trials (naive: trials pooled)', trialsOfEqualVariants);
  for (const [name, draw] of Object.entries(nulls))
    nullRow(`80 items, ${name}`, () => {
      const differences = many(80, draw);
      return { differences, naive: differences };
    });
  for (const n of [15, 80])
    nullRow(`${n} items, pass or fail, a third each way`, () => {
      const differences = many(n, () => [-1, 0, 1][Math.floor(random() * 3)] ?? 0);
      return { differences, naive: differences };
    });
}

/**
 * Looks at the verdict after every item. Asks `compare` only where a verdict is possible: one of its processes has reached the level, and
 * for a gain on most items the bound of the harm as well.
 */
function firstVerdict(
  draw: () => number,
  most: number,
  options: CompareOptions = {},
): { readonly verdict: Verdict; readonly n: number } {
  const { harmSize = 0.2, maxHarmRate = 0.05 } = options;
  const differences: number[] = [];
  const up = { mean: meanProcess(), typical: typicalProcess() };
  const down = { mean: meanProcess(), typical: typicalProcess() };
  let [certain, typical, harmed] = [0, 0, 0];
  while (differences.length < most) {
    const value = draw();
    differences.push(value);
    harmed += value <= -harmSize ? 1 : 0;
    certain = Math.max(certain, up.mean.next(value), down.mean.next(-value), down.typical.next(-value));
    typical = Math.max(typical, up.typical.next(value));
    const n = differences.length;
    const isPossible =
      certain >= 2 / alpha ||
      (typical >= 2 / alpha && n > 50 && anytimeRateUpperBound(harmed, n, alpha) <= maxHarmRate);
    const { verdict } = isPossible
      ? compare(differences, { ...options, design: 'anytime' })
      : { verdict: 'inconclusive' as const };
    if (isDecided(verdict)) return { verdict, n };
  }
  return { verdict: 'inconclusive', n: most };
}

function peeking(): void {
  heading(
    'No true difference, looked at after each of 200 items',
    '`better`',
    '`worse`',
    'naive: z-test from the 5th item',
  );
  for (const [name, draw] of Object.entries(nulls)) {
    const rate = counted<Verdict | 'naive'>(function* () {
      yield firstVerdict(draw, 200).verdict;
      const values = many(200, draw);
      if (values.some((_, last) => last >= 4 && naiveP(values.slice(0, last + 1)) <= alpha)) yield 'naive';
    });
    row(name, rate('better'), rate('worse'), rate('naive'));
  }
}

const upTo = (racers: readonly Racer[], items: number): Racer[] =>
  racers.map(({ name, differences }) => ({ name, differences: differences.slice(0, items) }));

/** A race of 20 variants on 60 items and one confirmation on a holdout of 80. The first variant gains `gain`, the others nothing. */
function search(gain: number): {
  readonly found: boolean;
  readonly runs: number;
  readonly confirmed: boolean;
  readonly naive: { readonly anySignificant: boolean; readonly found: boolean };
} {
  const [entrants, items] = [20, 60];
  const all = Array.from({ length: entrants }, (_, at) => ({
    name: String(at),
    differences: many(items, noise(0.2, at === 0 ? gain : 0)),
  }));
  let alive: readonly Racer[] = all;
  let [measured, runs] = [0, 0];
  let best: string | null = null;
  for (;;) {
    const round = raceRound({ racers: upTo(alive, measured), entrants, items });
    alive = alive.filter(({ name }) => round.keep.includes(name));
    best = round.best;
    if (round.next === null) break;
    runs += (alive.length + 1) * (round.next - measured);
    measured = round.next;
  }
  const holdout = many(80, noise(0.2, best === '0' ? gain : 0));
  const options = { alpha: nextAlpha(alpha, 0), harmSize: 0.6, seed: seed() };
  const top = all.toSorted((a, b) => mean(b.differences) - mean(a.differences))[0];
  return {
    found: best === '0',
    runs,
    confirmed: best !== null && compare(holdout, options).verdict === 'better',
    naive: {
      anySignificant: all.some(({ differences }) => mean(differences) > 0 && naiveP(differences) <= alpha),
      found: top?.name === '0',
    },
  };
}

function searches(): void {
  heading(
    'Best of 20 variants, 60 items, confirmed on 80 others (deviation .2)',
    'confirmed as `better`',
    'found by the race',
    'runs',
    'found on all items',
    'runs',
    'naive: any z-test p <= .05',
  );
  for (const gain of [0, 0.05, 0.08, 0.12]) {
    let runs = 0;
    const rate = counted<'confirmed' | 'found' | 'naive' | 'onAll'>(function* () {
      const result = search(gain);
      runs += result.runs;
      if (result.confirmed) yield 'confirmed';
      if (result.found) yield 'found';
      if (result.naive.found) yield 'onAll';
      if (result.naive.anySignificant) yield 'naive';
    });
    const ofGain = (name: 'found' | 'onAll'): string => (gain === 0 ? '' : rate(name));
    row(
      gain === 0 ? 'all equal to the baseline' : `one gains ${gain}`,
      rate('confirmed'),
      ofGain('found'),
      (runs / experiments).toFixed(0),
      ofGain('onAll'),
      String(21 * 60),
      rate('naive'),
    );
  }
}

function gates(): void {
  heading('Gate with `maxRegression` .05, harm left out', '120 items', '200 items', 'naive: mean over −.05, 120 items');
  const truths: Readonly<Record<string, () => number>> = {
    'loses exactly .05, noise, deviation .1': noise(0.1, -0.05),
    'loses exactly .05: 5 % lose everything': () => (random() < 0.05 ? -1 : 0),
    'loses exactly .05: 10 % lose everything, the others gain': () => (random() < 0.1 ? -1 : 0.05 / 0.9),
    'is as good, noise, deviation .1': noise(0.1),
    'is as good, noise, deviation .2': noise(0.2),
    'changes nothing': () => 0,
  };
  for (const [name, draw] of Object.entries(truths)) {
    const rate = counted<'at120' | 'at200' | 'naive'>(function* () {
      const values = many(200, draw);
      const options = { maxRegression: 0.05, maxHarmRate: 1 };
      if (nonInferior(values.slice(0, 120), options).passes) yield 'at120';
      if (nonInferior(values, options).passes) yield 'at200';
      if (mean(values.slice(0, 120)) > -0.05) yield 'naive';
    });
    row(name, rate('at120'), rate('at200'), rate('naive'));
  }
}

function coverage(): void {
  heading(
    'Intervals of 95 % hold the true mean',
    'ours, 30 items',
    'ours, 80 items',
    'BCa alone, 30 items',
    'BCa alone, 80 items',
    'confidence sequence, after 80 items',
  );
  const holds = ([low, high]: readonly [number, number]): boolean => low <= 0 && 0 <= high;
  for (const [name, draw] of Object.entries(nulls)) {
    const rate = counted<'bca30' | 'bca80' | 'ours30' | 'ours80' | 'sequence'>(function* () {
      const [few, more] = [many(30, draw), many(80, draw)];
      const options = { resamples: 2_000, seed: seed() };
      if (holds(meanInterval(few, options))) yield 'ours30';
      if (holds(meanInterval(more, options))) yield 'ours80';
      if (holds(bcaInterval(few, options))) yield 'bca30';
      if (holds(bcaInterval(more, options))) yield 'bca80';
      if (holds(meanConfidenceSequence(more, { grid: 100 }))) yield 'sequence';
    });
    row(name, rate('ours30'), rate('ours80'), rate('bca30'), rate('bca80'), rate('sequence'));
  }
}

function power(): void {
  heading(
    'True difference (deviation .2, harm from .6)',
    '`better`, 80 items',
    'sign flips, 80 items',
    'naive: z-test, 80 items',
    'looked at after each of 400: `better`',
    'mean items until then',
  );
  for (const effect of [0.05, 0.08, 0.12]) {
    const draw = noise(0.2, effect);
    let items = 0;
    const rate = counted<'anytime' | 'better' | 'flips' | 'naive'>(function* () {
      const values = many(80, draw);
      const { verdict, typicalP } = compare(values, { harmSize: 0.6, seed: seed() });
      if (verdict === 'better') yield 'better';
      if (typicalP <= alpha) yield 'flips';
      if (naiveP(values) <= alpha) yield 'naive';
      const first = firstVerdict(draw, 400, { harmSize: 0.6 });
      items += first.n;
      if (first.verdict === 'better') yield 'anytime';
    });
    row(`+${effect}`, rate('better'), rate('flips'), rate('naive'), rate('anytime'), (items / experiments).toFixed(0));
  }
}

const started = performance.now();
for (const table of [fixedDesign, peeking, searches, gates, coverage, power]) {
  table();
  stdout.write('\n');
}
const seconds = ((performance.now() - started) / 1_000).toFixed(0);
stdout.write(`${experiments} experiments a figure, seed "${seedOfAll}", ${seconds} s.\n`);
