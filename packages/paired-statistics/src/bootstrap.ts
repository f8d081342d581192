import { normalCdf, normalQuantile } from './normal.ts';
import { seededRandom } from './random.ts';
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

/** Skewness of the statistic's influence, by leaving out one value at a time. */
function acceleration(values: readonly number[], statistic: (sample: readonly number[]) => number): number {
  const without = values.map((_, left) => statistic(values.filter((_value, at) => at !== left)));
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
  { level = 0.95, resamples = 10_000, seed = '', statistic = mean }: BootstrapOptions = {},
): readonly [low: number, high: number] {
  const seen = statistic(values);
  if (values.length < 2 || values.every((value) => value === values[0])) return [seen, seen];
  const random = seededRandom(seed);
  const sample = [...values];
  const found = Float64Array.from({ length: resamples }, () => {
    for (let at = 0; at < sample.length; at += 1) sample[at] = values[Math.floor(random() * values.length)] ?? 0;
    return statistic(sample);
  });
  const ascending = found.toSorted();
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
