import { argv, stdout } from 'node:process';
import { nextAlpha } from './src/alpha-ledger.ts';
import { bcaInterval, meanInterval } from './src/bootstrap.ts';
import { compare } from './src/compare.ts';
import { normalCdf } from './src/normal.ts';
import { highestEvidence, meanConfidenceSequence, meanProcess, typicalProcess } from './src/processes.ts';
import { seededRandom } from './src/random.ts';
import { mcNemarTest, signFlipTest } from './src/sign-flip.ts';
import { itemDifferences, mean, standardDeviation } from './src/summary.ts';

// `node calibrate.ts [experiments]`: simulated experiments (2,000) whose truth is known, ours beside naive practice. Prints Markdown.

const experiments = Number(argv[2] ?? 2_000);
const alpha = 0.05;
const flips = 1_000;
const random = seededRandom('calibrate');
// Source: Box and Muller, Annals of Mathematical Statistics 29 (1958).
const normal = (): number => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
const bounded = (value: number): number => Math.max(-1, Math.min(1, value));
const many = (n: number, draw: () => number): number[] => Array.from({ length: n }, draw);
const share = (happens: () => boolean): number => {
  let count = 0;
  for (let at = 0; at < experiments; at += 1) count += happens() ? 1 : 0;
  return count / experiments;
};
const percent = (rate: number): string => `${(rate * 100).toFixed(1)} %`;
const row = (...cells: readonly string[]): void => void stdout.write(`| ${cells.join(' | ')} |\n`);

/** Naive practice: the mean over its standard error, as if normal and independent. */
function naiveP(values: readonly number[]): number {
  const deviation = standardDeviation(values);
  return deviation === 0 ? 1 : 2 * (1 - normalCdf(Math.abs(mean(values)) / (deviation / Math.sqrt(values.length))));
}
const seed = (): string => String(random());
const isDecided = (differences: readonly number[], options = {}): boolean =>
  ['better', 'worse'].includes(compare(differences, { seed: seed(), ...options }).verdict);

const nulls: Readonly<Record<string, () => number>> = {
  'normal noise': () => bounded(normal() * 0.2),
  'many ties (80 %)': () => (random() < 0.8 ? 0 : bounded(normal() * 0.3)),
  'skewed: many small losses, some large gains': () => bounded((-Math.log(1 - random()) - 1) * 0.15),
  'skewed: many small gains, some large losses': () => bounded((1 + Math.log(1 - random())) * 0.15),
  'rare catastrophe: 2 % lose everything, 40 % gain .05': () => {
    const place = random();
    return place < 0.02 ? -1 : place < 0.42 ? 0.05 : 0;
  },
};

/** Trials of equal variants: each item has a difference of its own by chance, which all its trials share. */
function trialsOfEqualVariants(): { baseline: number[]; variant: number[] }[] {
  return Array.from({ length: 30 }, () => {
    const [one, other] = [normal() * 0.12, normal() * 0.12];
    const trials = (own: number): number[] => many(3, () => bounded(own + normal() * 0.05));
    return { baseline: trials(one), variant: trials(other) };
  });
}

function falsePositives(): void {
  row('No true difference', 'ours', 'naive practice');
  row('---', '---', '---');
  const items = Array.from({ length: experiments }, trialsOfEqualVariants);
  let at = 0;
  const averaged = share(() => signFlipTest(itemDifferences(items[at++] ?? []), { flips, seed: seed() }) <= alpha);
  at = 0;
  const pooled = share(
    () =>
      naiveP(
        (items[at++] ?? []).flatMap(({ baseline, variant }) => variant.map((one, k) => one - (baseline[k] ?? 0))),
      ) <= alpha,
  );
  row('30 items with 3 trials: sign flips of item means; pooled trials', percent(averaged), percent(pooled));
  for (const [name, draw] of Object.entries(nulls)) {
    const found = { mean: 0, typical: 0 };
    for (let count = 0; count < experiments; count += 1) {
      const { claim } = compare(many(60, draw), { seed: seed() });
      if (claim !== null) found[claim] += 1;
    }
    const ours = `${percent(found.mean / experiments)} and ${percent(found.typical / experiments)}`;
    row(
      `60 items, ${name}: by the mean and by most items; z-test`,
      ours,
      percent(share(() => naiveP(many(60, draw)) <= alpha)),
    );
  }
  for (const [name, draw] of Object.entries(nulls)) {
    const ours = share(() => highestEvidence(meanProcess(), many(200, draw)) >= 2 / alpha);
    const naive = share(() => {
      const values = many(200, draw);
      return values.some((_, last) => last >= 4 && naiveP(values.slice(0, last + 1)) <= alpha);
    });
    row(`looked at after each of 200 items, ${name}: mean process; z-test`, percent(ours), percent(naive));
  }
  const typical = share(
    () => highestEvidence(typicalProcess(), many(200, nulls['normal noise'] as () => number)) >= 2 / alpha,
  );
  row('looked at after each of 200 items, normal noise: typical process', percent(typical), '');
  const noise = nulls['normal noise'] as () => number;
  const confirmed = share(() => {
    const scores = Array.from({ length: 20 }, () => mean(many(60, noise)));
    // The best of 20 equal variants is as good as any other: its holdout is drawn anew.
    return Math.max(...scores) > 0 && isDecided(many(40, noise), { alpha: nextAlpha(alpha, 0) });
  });
  const bestOf = share(() =>
    Array.from({ length: 20 }, () => many(60, noise)).some((one) => mean(one) > 0 && naiveP(one) <= alpha),
  );
  row('best of 20 equal variants: confirmed once on a holdout; any at p <= .05', percent(confirmed), percent(bestOf));
  const passFail = (): number[] => many(15, () => [-1, 0, 1][Math.floor(random() * 3)] ?? 0);
  const exact = share(() => {
    const values = passFail();
    return mcNemarTest(values.filter((one) => one < 0).length, values.filter((one) => one > 0).length) <= alpha;
  });
  row(
    'pass or fail of 15 items: exact McNemar; z-test',
    percent(exact),
    percent(share(() => naiveP(passFail()) <= alpha)),
  );
}

function coverage(): void {
  row('Intervals of 95 % hold the true mean', 'ours', 'BCa alone');
  row('---', '---', '---');
  const holds = ([low, high]: readonly [number, number], truth: number): boolean => low <= truth && truth <= high;
  for (const n of [30, 60])
    for (const [name, draw] of Object.entries(nulls)) {
      const [found, alone] = [meanInterval, bcaInterval].map((interval) =>
        share(() => holds(interval(many(n, draw), { resamples: flips, seed: seed() }), 0)),
      );
      row(`${n} items, ${name}`, percent(found ?? 0), percent(alone ?? 0));
    }
  const sequence = (draw: () => number) => share(() => holds(meanConfidenceSequence(many(60, draw), { grid: 40 }), 0));
  for (const [name, draw] of Object.entries(nulls))
    row(`confidence sequence, 60 items, ${name}`, percent(sequence(draw)), '');
}

function power(): void {
  row(
    'True difference (deviation .2)',
    'sign flips, 60 items',
    'verdict, 60 items, harm from .6',
    'anytime: typical, mean items',
    'anytime: mean, mean items',
  );
  row('---', '---', '---', '---', '---');
  for (const effect of [0.05, 0.08, 0.12]) {
    const draw = (): number => bounded(effect + normal() * 0.2);
    const fixed = share(() => signFlipTest(many(60, draw), { flips, seed: seed() }) <= alpha);
    const verdict = share(() => isDecided(many(60, draw), { harmSize: 0.6 }));
    const items = (start: typeof meanProcess): string => {
      let [total, decided] = [0, 0];
      for (let at = 0; at < experiments; at += 1) {
        const process = start();
        let count = 0;
        let evidence = 1;
        while (count < 1_000 && evidence < 2 / alpha) {
          evidence = process.next(draw());
          count += 1;
        }
        total += count;
        decided += evidence >= 2 / alpha ? 1 : 0;
      }
      return `${(total / experiments).toFixed(0)} (${percent(decided / experiments)} within 1,000)`;
    };
    row(`+${effect}`, percent(fixed), percent(verdict), items(typicalProcess), items(meanProcess));
  }
}

const started = performance.now();
falsePositives();
stdout.write('\n');
coverage();
stdout.write('\n');
power();
stdout.write(`\n${experiments} experiments a figure, ${((performance.now() - started) / 1_000).toFixed(0)} s\n`);
