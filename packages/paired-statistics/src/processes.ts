/**
 * Evidence against a null hypothesis that may be looked at after every item, for ever: under the null it reaches 1/alpha with a
 * probability of at most alpha. Source: Ville's inequality (1939); Ramdas, Grünwald, Vovk and Shafer, "Game-theoretic statistics and safe
 * anytime-valid inference", Statistical Science 38 (2023).
 */
export interface EvidenceProcess {
  /** Takes the next difference and returns the evidence so far; 1 at the beginning. */
  next(difference: number): number;
}

const typicalStakes = [0.05, 0.1, 0.2, 0.3, 0.5, 0.8] as const;
const meanCaps = [0.25, 0.5, 0.75] as const;

/**
 * Evidence that a difference is more often up than down, against "symmetric around zero". Each factor is 1 + tanh(c d / s), with the scale
 * s of the differences before; its mean is 1 for a random sign. Says nothing about rare large losses.
 */
export function typicalProcess(): EvidenceProcess {
  const capital = typicalStakes.map(() => 1);
  let [squares, seen] = [0, 0];
  return {
    next(difference) {
      // Without a past the first difference sets no stake.
      if (seen > 0 && squares > 0) {
        const scale = Math.sqrt(squares / seen);
        for (const [at, stake] of typicalStakes.entries())
          capital[at] = (capital[at] ?? 1) * (1 + Math.tanh((stake * difference) / scale));
      }
      squares += difference ** 2;
      seen += 1;
      return average(capital);
    },
  };
}

/**
 * Evidence that the mean of differences in [-1, 1] is over zero, against every distribution with a mean of zero or less. The stake is what
 * the past would have called for: m / (q + m²), at least 0 and at most a cap. Source: Waudby-Smith and Ramdas, "Estimating means of
 * bounded random variables by betting", Journal of the Royal Statistical Society B 86 (2024).
 */
export function meanProcess(): EvidenceProcess {
  const capital = meanCaps.map(() => 1);
  // One imagined difference of 0, far from it: the first stakes are small.
  let [sum, squares, seen] = [0, 0.25, 1];
  return {
    next(difference) {
      const middle = sum / seen;
      const variance = squares / seen;
      const wanted = Math.max(0, middle / (variance + middle ** 2));
      for (const [at, cap] of meanCaps.entries())
        capital[at] = (capital[at] ?? 1) * (1 + Math.min(cap, wanted) * difference);
      sum += difference;
      seen += 1;
      squares += (difference - sum / seen) ** 2;
      return average(capital);
    },
  };
}

/** Highest evidence that a process reached over the differences. */
export function highestEvidence(process: EvidenceProcess, differences: Iterable<number>): number {
  let highest = 1;
  for (const difference of differences) highest = Math.max(highest, process.next(difference));
  return highest;
}

/**
 * Interval of the mean of differences in [-1, 1] that holds it at all times together with probability `level`: the means that no betting
 * process has refuted so far. Source: Waudby-Smith and Ramdas (2024), §4.
 */
export function meanConfidenceSequence(
  differences: readonly number[],
  { level = 0.95, grid = 400 }: { readonly level?: number; readonly grid?: number } = {},
): readonly [low: number, high: number] {
  const refuted = 2 / (1 - level);
  const holds = (candidate: number): boolean => {
    const range = 1 + Math.abs(candidate);
    const shifted = differences.map((value) => (value - candidate) / range);
    if (highestEvidence(meanProcess(), shifted) >= refuted) return false;
    return (
      highestEvidence(
        meanProcess(),
        shifted.map((value) => -value),
      ) < refuted
    );
  };
  const step = 2 / grid;
  const kept = Array.from({ length: grid + 1 }, (_, at) => -1 + at * step).filter(holds);
  const [first, last] = [kept[0] ?? 0, kept.at(-1) ?? 0];
  // Candidates between two of the grid were not tried: the interval reaches to the refuted neighbours.
  return [Math.max(-1, first - step), Math.min(1, last + step)];
}

function average(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
