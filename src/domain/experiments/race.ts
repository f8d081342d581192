import { highestEvidence, meanProcess, typicalProcess } from '@inkgraph/paired-statistics/processes';

/** A candidate of a search with its differences to the baseline so far. */
export interface Candidate {
  readonly name: string;
  readonly differences: readonly number[];
}

/** Fewest documents before a first cut. */
const firstRung = 5;

/**
 * Numbers of documents after which the worse half of the candidates is dropped: 1/2, 1/4, ... of all, so that each rung costs about as many
 * runs as the one before. Source: Karnin, Koren and Somekh, "Almost optimal exploration in multi-armed bandits", ICML 2013 (sequential
 * halving).
 */
export function rungsOf(documents: number, candidates: number): readonly number[] {
  const rungs = [documents];
  for (let left = candidates; left > 2 && (rungs[0] ?? 0) / 2 >= firstRung; left = Math.ceil(left / 2))
    rungs.unshift(Math.floor((rungs[0] ?? 0) / 2));
  return rungs;
}

const mean = (values: readonly number[]): number =>
  values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;

/** True when the evidence that it is worse than the baseline reaches the level of one candidate among all. */
function isWorse({ differences }: Candidate, alpha: number): boolean {
  const turned = differences.map((value) => -value);
  const needed = 1 / alpha;
  return highestEvidence(typicalProcess(), turned) >= needed || highestEvidence(meanProcess(), turned) >= needed;
}

/** Names of the candidates that go on after a rung: the better half by their mean, without those that are worse than the baseline. */
export function survivors(candidates: readonly Candidate[], alpha: number): readonly string[] {
  const level = alpha / Math.max(1, candidates.length);
  return candidates
    .filter((one) => !isWorse(one, level))
    .toSorted((a, b) => mean(b.differences) - mean(a.differences))
    .slice(0, Math.ceil(candidates.length / 2))
    .map(({ name }) => name);
}

/** The candidate with the largest mean gain; null where none gains anything. */
export function winnerOf(candidates: readonly Candidate[]): string | null {
  const [best] = candidates.toSorted((a, b) => mean(b.differences) - mean(a.differences));
  return best !== undefined && mean(best.differences) > 0 ? best.name : null;
}
