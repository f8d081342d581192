import { highestEvidence, meanProcess, typicalProcess } from './processes.ts';
import { completed, maxLostShare, mean, type Difference } from './summary.ts';

export interface Racer {
  readonly name: string;
  /** Variant minus baseline for each item so far, in [-1, 1], in the order of the items, which is the same for all; lost pairs at their places. */
  readonly differences: readonly Difference[];
}

export interface RaceState {
  /** Candidates that are still in the race, and the number that entered it. */
  readonly racers: readonly Racer[];
  readonly entrants: number;
  /** Items that there are: the last rung. */
  readonly items: number;
  /** Probability that any candidate that is no worse than the baseline is dropped as worse. */
  readonly alpha?: number;
  /** Fewest items before the lower half is dropped. */
  readonly first?: number;
}

export interface RaceRound {
  /** Candidates to drop now, with the reason, in the order of the state. `lost`: more of its pairs than a verdict allows. */
  readonly drop: readonly { readonly name: string; readonly reason: 'lost' | 'lower half' | 'worse' }[];
  /** Candidates that go on, best first; equals keep the order of the state. */
  readonly keep: readonly string[];
  /** Items up to which those are measured next; null when the race is over. */
  readonly next: number | null;
  /** The candidate to confirm on other items, when the race is over and it gained anything. */
  readonly best: string | null;
}

/**
 * Numbers of items after which the lower half of the candidates is dropped: n, 2 n, 4 n, ... and at last all. Source: successive halving,
 * Karnin, Koren and Somekh, "Almost optimal exploration in multi-armed bandits", ICML 2013; Jamieson and Talwalkar, "Non-stochastic best
 * arm identification and hyperparameter optimization", AISTATS 2016.
 */
export function rungs(items: number, entrants: number, first = 16): readonly number[] {
  const halvings = Math.max(0, Math.ceil(Math.log2(Math.max(1, entrants))) - 1);
  const found: number[] = [];
  for (let rung = Math.max(first, Math.ceil(items / 2 ** halvings)); rung < items; rung *= 2) found.push(rung);
  return [...found, items];
}

/**
 * True when a candidate is worse than the baseline, in the mean or on most items. May be asked after every item; the factor 2 pays for the
 * two claims.
 */
function isWorse(differences: readonly Difference[], alpha: number): boolean {
  const turned = completed(differences).highest.map((value) => -value);
  return [meanProcess(), typicalProcess()].some((process) => highestEvidence(process, turned) >= 2 / alpha);
}

/**
 * Decides which candidates of a bounded search leave it now: those that are worse than the baseline, each at alpha / entrants, and at a
 * rung the lower half by the mean, where lost pairs count against a candidate. One that lost more pairs than a verdict allows leaves as
 * well: nobody wins by failing. Asking twice for the same state changes nothing. The best of a race gained by being chosen: confirm it
 * once on items that the race did not use.
 */
export function raceRound({ racers, entrants, items, alpha = 0.05, first }: RaceState): RaceRound {
  const measured = racers.length === 0 ? items : Math.min(items, ...racers.map((one) => one.differences.length));
  const ladder = rungs(items, entrants, first);
  const passed = ladder.filter((rung) => rung <= measured).length;
  // The last rung leaves the best one.
  const places = passed === ladder.length ? 1 : passed === 0 ? entrants : Math.ceil(entrants / 2 ** passed);
  const worse = new Set(racers.filter((one) => isWorse(one.differences, alpha / Math.max(1, entrants))));
  const lost = new Set(racers.filter((one) => completed(one.differences).lost > items * maxLostShare));
  const ranked = racers
    .filter((one) => !worse.has(one) && !lost.has(one))
    .map((one) => ({ one, gain: measured === 0 ? 0 : mean(completed(one.differences).lowest.slice(0, measured)) }))
    .toSorted((a, b) => b.gain - a.gain);
  const kept = ranked.slice(0, places).map(({ one }) => one);
  const isOver = kept.length === 0 || passed === ladder.length;
  const [leader] = ranked;
  return {
    drop: racers
      .filter((one) => !kept.includes(one))
      .map((one) => ({ name: one.name, reason: lost.has(one) ? 'lost' : worse.has(one) ? 'worse' : 'lower half' })),
    keep: kept.map(({ name }) => name),
    next: isOver ? null : (ladder[passed] ?? items),
    best: isOver && leader !== undefined && leader.gain > 0 ? leader.one.name : null,
  };
}
