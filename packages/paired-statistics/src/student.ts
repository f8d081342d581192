import { normalQuantile } from './normal.ts';
import { mean, standardDeviation } from './summary.ts';

/**
 * Value that a variable of Student's t distribution is below with probability `p`. Exact for 1 and 2 degrees of freedom, within .004 for 3,
 * and closer for more. Source: Abramowitz and Stegun, "Handbook of mathematical functions", 26.7.5.
 */
export function studentQuantile(p: number, degrees: number): number {
  if (degrees === 1) return Math.tan(Math.PI * (p - 0.5));
  if (degrees === 2) return (2 * p - 1) / Math.sqrt(2 * p * (1 - p));
  const z = normalQuantile(p);
  const square = z * z;
  const terms = [
    (square + 1) / 4,
    ((5 * square + 16) * square + 3) / 96,
    (((3 * square + 19) * square + 17) * square - 15) / 384,
    ((((79 * square + 776) * square + 1_482) * square - 1_920) * square - 945) / 92_160,
  ];
  return z * (1 + terms.reduce((sum, term, at) => sum + term / degrees ** (at + 1), 0));
}

/** Interval of the mean, exact for normal values. Source: Student, "The probable error of a mean", Biometrika 6 (1908). */
export function studentInterval(values: readonly number[], level = 0.95): readonly [low: number, high: number] {
  const middle = mean(values);
  if (values.length < 2) return [middle, middle];
  const error = standardDeviation(values) / Math.sqrt(values.length);
  const reach = studentQuantile((1 + level) / 2, values.length - 1) * error;
  return [middle - reach, middle + reach];
}
