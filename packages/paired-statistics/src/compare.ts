import { meanInterval } from './bootstrap.ts';
import { anytimeRateUpperBound, rateUpperBound } from './binomial.ts';
import { detectableEffect } from './detectable-effect.ts';
import { highestEvidence, meanConfidenceSequence, meanProcess, typicalProcess } from './processes.ts';
import { signFlipTest } from './sign-flip.ts';
import { completed, mean, standardDeviation, type Difference } from './summary.ts';

/** `no_verdict`: too many pairs were lost to say anything. */
export type Verdict = 'better' | 'worse' | 'equivalent' | 'inconclusive' | 'no_verdict';

export interface CompareOptions {
  /** Probability of a wrong `better` or `worse`, both together. */
  readonly alpha?: number;
  /** Largest difference that does not matter; without it no verdict is `equivalent`. */
  readonly margin?: number;
  /** Size of a loss that is harm, and the share of items that may suffer it. */
  readonly harmSize?: number;
  readonly maxHarmRate?: number;
  /** `fixed`: the number of items was set before. `anytime`: the results may have been looked at after every item. */
  readonly design?: 'fixed' | 'anytime';
  readonly seed?: string;
}

/** Items that lost at least `size`, and the rate that they show is not exceeded, at the level of the comparison. */
export interface Harm {
  readonly size: number;
  readonly seen: number;
  readonly upperBound: number;
}

export interface Comparison {
  /** All items, those whose pair was lost among them. */
  readonly n: number;
  readonly lost: number;
  /** Mean of the items that were not lost, like wins, ties and losses. */
  readonly mean: number;
  /** Interval of the mean: `meanInterval` (fixed) or a confidence sequence (anytime). It holds whatever the lost pairs would have been. */
  readonly interval: readonly [low: number, high: number];
  readonly wins: number;
  readonly ties: number;
  readonly losses: number;
  /** "Better on most items": p of the sign flips (fixed), or 1 / evidence (anytime). */
  readonly typicalP: number;
  /** "Better in the mean", for every distribution: 1 / evidence of the betting process, for both directions. */
  readonly meanP: number;
  readonly harm: Harm;
  /** Smallest mean difference that as many items show with a probability of 80 %. */
  readonly detectable: number;
  readonly verdict: Verdict;
  /** Claim that the verdict rests on. */
  readonly claim: 'mean' | 'typical' | null;
}

const pOf = (evidence: number): number => Math.min(1, 2 / evidence);

/** Evidence in the direction of the mean; the factor 2 of `pOf` pays for both directions. */
function typicalPOf(differences: readonly number[], sign: number, { design, seed = '' }: CompareOptions): number {
  if (design !== 'anytime') return signFlipTest(differences, { seed });
  const turned = differences.map((value) => sign * value);
  return pOf(highestEvidence(typicalProcess(), turned));
}

interface Claims {
  readonly sign: number;
  readonly typical: boolean;
  readonly inMean: boolean;
  readonly harmless: boolean;
  readonly within: boolean;
}

/** A loss that no item shows moves no test of the typical item: `better` needs the mean, or a bound of the harm. */
function decide({ sign, typical, inMean, harmless, within }: Claims): Pick<Comparison, 'verdict' | 'claim'> {
  if (inMean && sign !== 0) return { verdict: sign > 0 ? 'better' : 'worse', claim: 'mean' };
  if (typical && sign < 0) return { verdict: 'worse', claim: 'typical' };
  if (typical && sign > 0 && harmless) return { verdict: 'better', claim: 'typical' };
  if (within && harmless) return { verdict: 'equivalent', claim: null };
  return { verdict: 'inconclusive', claim: null };
}

/**
 * Compares a variant with its baseline on the same items. `differences`: variant minus baseline per item, in [-1, 1], higher is better,
 * in the order in which they were measured. Trials are averaged per item first (`itemDifferences`). A lost pair stands at its place with
 * the least and the largest difference that it could have been. A verdict is one with all of them at the least and with all of them at the
 * largest alike; with over `maxLostShare` of lost pairs there is none.
 */
export function compare(differences: readonly Difference[], options: CompareOptions = {}): Comparison {
  const { known, lost, tooMany, lowest, highest } = completed(differences);
  if (lost === 0) return compareKnown(known, options);
  const [low, high] = [compareKnown(lowest, options), compareKnown(highest, options)];
  const agree = low.verdict === high.verdict;
  const sameSide = low.mean * high.mean > 0;
  return {
    ...countsOf(known),
    n: differences.length,
    lost,
    interval: [low.interval[0], high.interval[1]],
    typicalP: sameSide ? Math.max(low.typicalP, high.typicalP) : 1,
    meanP: sameSide ? Math.max(low.meanP, high.meanP) : 1,
    harm: low.harm,
    detectable: Math.max(low.detectable, high.detectable),
    verdict: tooMany ? 'no_verdict' : agree ? low.verdict : 'inconclusive',
    claim: tooMany || !agree ? null : low.claim === high.claim ? low.claim : 'typical',
  };
}

function countsOf(differences: readonly number[]): Pick<Comparison, 'losses' | 'mean' | 'ties' | 'wins'> {
  return {
    mean: differences.length === 0 ? 0 : mean(differences),
    wins: differences.filter((value) => value > 0).length,
    ties: differences.filter((value) => value === 0).length,
    losses: differences.filter((value) => value < 0).length,
  };
}

function compareKnown(differences: readonly number[], options: CompareOptions): Comparison {
  const { alpha = 0.05, margin = 0, harmSize = 0.2, maxHarmRate = 0.05, design = 'fixed', seed = '' } = options;
  const n = differences.length;
  const counts = countsOf(differences);
  const sign = Math.sign(counts.mean);
  const level = 1 - alpha;
  const interval: readonly [number, number] =
    n === 0
      ? [-1, 1]
      : design === 'fixed'
        ? meanInterval(differences, { level, seed })
        : meanConfidenceSequence(differences, { level });
  const typicalP = typicalPOf(differences, sign, options);
  const meanP = pOf(
    highestEvidence(
      meanProcess(),
      differences.map((value) => sign * value),
    ),
  );
  const seen = differences.filter((value) => value <= -harmSize).length;
  const bound = design === 'fixed' ? rateUpperBound : anytimeRateUpperBound;
  const harm: Harm = { size: harmSize, seen, upperBound: bound(seen, n, alpha) };
  return {
    ...counts,
    n,
    lost: 0,
    interval,
    typicalP,
    meanP,
    harm,
    detectable: detectableEffect(standardDeviation(differences), n, { alpha }),
    ...decide({
      sign,
      typical: typicalP <= alpha,
      inMean: meanP <= alpha,
      harmless: harm.upperBound <= maxHarmRate,
      within: n > 0 && margin > 0 && interval[0] > -margin && interval[1] < margin,
    }),
  };
}
