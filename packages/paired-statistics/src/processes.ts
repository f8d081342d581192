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

export interface BettingOptions {
  /** Largest stakes, below 1; the evidence is the average of a process for each. */
  readonly caps?: readonly [low: number, middle: number, high: number];
  readonly expected?: number;
}

/**
 * Evidence that the mean of differences in [-1, 1] is over zero, against every distribution with a mean of zero or less. The stake is what
 * the past would have called for: m / (q + m²), at least 0 and at most a cap. Source: Waudby-Smith and Ramdas, "Estimating means of
 * bounded random variables by betting", Journal of the Royal Statistical Society B 86 (2024).
 */
export function meanProcess(): EvidenceProcess {
  return bettingProcess();
}

/**
 * The betting process behind `meanProcess`. `expected` is the mean that the first stakes count on, with the weight of one difference that
 * was half as large as differences can be.
 */
export function bettingProcess({ caps = meanCaps, expected = 0 }: BettingOptions = {}): EvidenceProcess {
  const [lowCap, middleCap, highCap] = caps;
  let [low, middle, high] = [1, 1, 1];
  let [sum, squares, seen] = [expected, 0.25, 1];
  return {
    next(difference) {
      const mean = sum / seen;
      const wanted = Math.max(0, mean / (squares / seen + mean * mean));
      low *= 1 + Math.min(lowCap, wanted) * difference;
      middle *= 1 + Math.min(middleCap, wanted) * difference;
      high *= 1 + Math.min(highCap, wanted) * difference;
      sum += difference;
      seen += 1;
      squares += (difference - sum / seen) ** 2;
      return (low + middle + high) / 3;
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
  const step = 2 / grid;
  const isRefuted = (at: number): boolean => {
    const candidate = -1 + at * step;
    const range = 1 + Math.abs(candidate);
    const [above, below] = [meanProcess(), meanProcess()];
    return differences.some((value) => {
      const shifted = (value - candidate) / range;
      return Math.max(above.next(shifted), below.next(-shifted)) >= refuted;
    });
  };
  // Refuted candidates need a few differences each, kept ones need all: the search goes inwards and ends at the first kept one.
  let [first, last] = [0, grid];
  while (first < grid && isRefuted(first)) first += 1;
  while (last > first && isRefuted(last)) last -= 1;
  // Many differences with little spread refute the whole grid: what is left lies between the two candidates around their mean.
  if (first === last && isRefuted(first)) {
    const middle = average(differences);
    return [Math.max(-1, middle - step), Math.min(1, middle + step)];
  }
  // Candidates between two of the grid were not tried: the interval reaches to the refuted neighbours.
  return [Math.max(-1, -1 + (first - 1) * step), Math.min(1, -1 + (last + 1) * step)];
}

function average(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
