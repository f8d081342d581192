import { rateUpperBound } from './binomial.ts';
import { bettingProcess, highestEvidence, type EvidenceProcess } from './processes.ts';
import { completed, maxLostShare, mean, type Difference } from './summary.ts';

export interface NonInferiorityOptions {
  /** Largest loss of the mean that is acceptable, over 0 and below 1. */
  readonly maxRegression: number;
  /** Probability that a variant passes whose mean loses `maxRegression` or more, or that harms more items than allowed. */
  readonly alpha?: number;
  /** Share of items that may lose `harmSize` or more; 1 for no such limit. */
  readonly maxHarmRate?: number;
  readonly harmSize?: number;
}

export interface NonInferiority {
  readonly passes: boolean;
  /** All items, those whose pair was lost among them. Lost pairs count wholly against the variant; with over `maxLostShare` it does not pass. */
  readonly n: number;
  readonly lost: number;
  /** Mean of the items that were not lost. */
  readonly mean: number;
  /** Evidence that the mean loses less than `maxRegression`, and the evidence that passes: 1 / alpha. */
  readonly evidence: number;
  readonly needed: number;
  /** Items that lost `harmSize` or more, and the rate that they show is not exceeded, at the level of the gate. */
  readonly harm: { readonly seen: number; readonly upperBound: number };
  /** True when the mean lost `maxRegression` or more, at the level of the gate: more items do not help. */
  readonly regressed: boolean;
  /** The result for people, and the next step. */
  readonly reason: string;
}

// A gate stakes more than a comparison: most variants that reach it are about as good as what they replace.
const caps = [0.5, 0.75, 0.95] as const;

const signed = (value: number): string => `${value < 0 ? '−' : '+'}${Math.abs(value).toFixed(3)}`;
const percent = (rate: number): string => `${Number((rate * 100).toFixed(1))} %`;

/** Items at which none that is harmed shows a rate of at most `maxHarmRate`. */
const itemsForHarm = (maxHarmRate: number, alpha: number): number =>
  Math.ceil(Math.log(alpha) / Math.log1p(-maxHarmRate));

function reasonOf(found: Omit<NonInferiority, 'reason'>, options: Required<NonInferiorityOptions>): string {
  const { n, lost, evidence, needed, harm, regressed } = found;
  const { maxRegression, maxHarmRate, harmSize, alpha } = options;
  if (lost > n * maxLostShare)
    return `No verdict: ${lost} of ${n} items were lost, and at most ${percent(maxLostShare)} may be.`;
  const against = lost === 0 ? '' : `, of which ${lost} were lost and count wholly against it`;
  const size = `${signed(found.mean)} on ${n} items${against}`;
  if (regressed) return `Regressed: ${size}. The mean lost more than ${maxRegression}.`;
  const gaps: string[] = [];
  if (evidence < needed)
    gaps.push(
      `the evidence that the mean loses less than ${maxRegression} is ${evidence.toFixed(1)}, and ${needed.toFixed(0)} is needed`,
    );
  if (harm.upperBound > maxHarmRate)
    gaps.push(
      `up to ${percent(harm.upperBound)} of items could lose ${harmSize} or more (${harm.seen} of ${n} did), and ${percent(maxHarmRate)} may; without any such loss ${itemsForHarm(maxHarmRate, alpha)} items show it`,
    );
  if (gaps.length > 0) return `Not shown: ${size}; ${gaps.join('; ')}. Measure more items.`;
  const limited = maxHarmRate < 1 ? `; at most ${percent(harm.upperBound)} of items lose ${harmSize} or more` : '';
  return `Passes: ${size}. The mean loses less than ${maxRegression}${limited}.`;
}

/**
 * Decides whether a variant may replace its baseline: the mean loses less than `maxRegression`, for every distribution of differences in
 * [-1, 1], and few items lose much. A variant that misses either claim passes with a probability of at most `alpha`, and may be looked at
 * after every item as far as the mean is concerned. Source: Waudby-Smith and Ramdas, "Estimating means of bounded random variables by
 * betting", Journal of the Royal Statistical Society B 86 (2024), on shifted differences; both claims together by Berger,
 * "Multiparameter hypothesis testing and acceptance sampling", Technometrics 24 (1982).
 */
export function nonInferior(differences: readonly Difference[], options: NonInferiorityOptions): NonInferiority {
  const { maxRegression, alpha = 0.05, maxHarmRate = 0.05, harmSize = 0.2 } = options;
  if (!(maxRegression > 0 && maxRegression < 1))
    throw new RangeError(`maxRegression is ${maxRegression}. Use a value over 0 and below 1.`);
  const { known, lost, tooMany, lowest, highest } = completed(differences);
  // In [-1, 1] again, with a mean over 0 when the mean loses less than allowed.
  const shift = (value: number): number => (value + maxRegression) / (1 + maxRegression);
  const gate = (): EvidenceProcess => bettingProcess({ caps, expected: maxRegression / (1 + maxRegression) });
  const n = differences.length;
  const seen = lowest.filter((value) => value <= -harmSize).length;
  const evidence = highestEvidence(gate(), lowest.map(shift));
  const harm = { seen, upperBound: maxHarmRate < 1 ? rateUpperBound(seen, n, alpha) : 1 };
  const against = highestEvidence(
    bettingProcess(),
    highest.map((value) => -shift(value)),
  );
  const found = {
    passes: !tooMany && evidence >= 1 / alpha && harm.upperBound <= maxHarmRate,
    n,
    lost,
    mean: known.length === 0 ? 0 : mean(known),
    evidence,
    needed: 1 / alpha,
    harm,
    regressed: !tooMany && against >= 1 / alpha,
  };
  return { ...found, reason: reasonOf(found, { maxRegression, alpha, maxHarmRate, harmSize }) };
}
