import { normalCdf, normalQuantile } from './normal.ts';
import { seededRandom, seededWords } from './random.ts';
import { studentInterval } from './student.ts';
import { mean, quantile } from './summary.ts';

export interface BootstrapOptions {
  /** Share of intervals that hold the true value. */
  readonly level?: number;
  readonly resamples?: number;
  readonly seed?: string;
  /** The mean unless stated otherwise. */
  readonly statistic?: (sample: readonly number[]) => number;
}

/** Skewness of the statistic's influence, by leaving out one value at a time. For the mean the influences are the values themselves. */
function acceleration(values: readonly number[], statistic: (sample: readonly number[]) => number): number {
  const without =
    statistic === mean
      ? values.map((value) => -value)
      : values.map((_, left) => statistic(values.filter((_value, at) => at !== left)));
  const middle = mean(without);
  let [squares, cubes] = [0, 0];
  for (const value of without) {
    squares += (middle - value) ** 2;
    cubes += (middle - value) ** 3;
  }
  return squares === 0 ? 0 : cubes / (6 * squares ** 1.5);
}

/**
 * Interval of a mean that reaches as far at each end as the bootstrap's or Student's: the first holds the mean too rarely where most values
 * are equal (87 % of 95 % at 60 items), the second where values are skewed.
 */
export function meanInterval(
  values: readonly number[],
  options: Omit<BootstrapOptions, 'statistic'> = {},
): readonly [low: number, high: number] {
  const [low, high] = bcaInterval(values, options);
  const [lower, higher] = studentInterval(values, options.level);
  return [Math.min(low, lower), Math.max(high, higher)];
}

/**
 * Interval of a statistic, corrected for bias and skewness. Source: Efron and Tibshirani, "An introduction to the bootstrap" (1993),
 * chapter 14. A loss that no value shows is in no interval: state the bound of `rateUpperBound` beside it.
 */
export function bcaInterval(
  values: readonly number[],
  { level = 0.95, resamples = 5_000, seed = '', statistic = mean }: BootstrapOptions = {},
): readonly [low: number, high: number] {
  const seen = statistic(values);
  if (values.length < 2 || values.every((value) => value === values[0])) return [seen, seen];
  const ascending = (statistic === mean ? meansOfResamples : statisticsOfResamples)(values, {
    resamples,
    seed,
    statistic,
  }).toSorted();
  let below = 0;
  for (const value of ascending) below += value < seen ? 1 : value === seen ? 0.5 : 0;
  const bias = normalQuantile(Math.min(1 - 0.5 / resamples, Math.max(0.5 / resamples, below / resamples)));
  const skew = acceleration(values, statistic);
  const end = (share: number): number => {
    const z = bias + normalQuantile(share);
    return quantile(ascending, normalCdf(bias + z / (1 - skew * z)));
  };
  return [end((1 - level) / 2), end((1 + level) / 2)];
}

interface Resampling {
  readonly resamples: number;
  readonly seed: string;
  readonly statistic: (sample: readonly number[]) => number;
}

function statisticsOfResamples(values: readonly number[], { resamples, seed, statistic }: Resampling): Float64Array {
  const random = seededRandom(seed);
  const sample = [...values];
  return Float64Array.from({ length: resamples }, () => {
    for (let at = 0; at < sample.length; at += 1) sample[at] = values[Math.floor(random() * values.length)] ?? 0;
    return statistic(sample);
  });
}

/** Up to this many values, the sums of all pairs fit the caches of a processor. */
const mostPaired = 256;

/** Draws two values with one random word: an index of the sums of all pairs. */
function meansOfResamples(values: readonly number[], { resamples, seed }: Resampling): Float64Array {
  const n = values.length;
  const perWord = n <= mostPaired ? 2 : 1;
  const table = Float64Array.from(perWord === 1 ? values : values.flatMap((one) => values.map((two) => one + two)));
  const share = table.length / 2 ** 32;
  const next = seededWords(seed);
  const words = new Uint32Array(Math.ceil(n / perWord));
  const whole = Math.floor(n / perWord);
  const means = new Float64Array(resamples);
  for (let turn = 0; turn < resamples; turn += 1) {
    next(words);
    // Two sums, since each addition waits for the one before it.
    let [even, odd] = [0, 0];
    let at = 0;
    for (; at + 1 < whole; at += 2) {
      even += table[Math.floor((words[at] as number) * share)] as number;
      odd += table[Math.floor((words[at + 1] as number) * share)] as number;
    }
    if (at < whole) even += table[Math.floor((words[at] as number) * share)] as number;
    if (whole < words.length) odd += values[Math.floor(((words[whole] as number) * n) / 2 ** 32)] as number;
    means[turn] = (even + odd) / n;
  }
  return means;
}
