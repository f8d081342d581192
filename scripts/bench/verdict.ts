import { median } from '#scripts/bench/figures.ts';
import type { Goal, Line } from '#scripts/bench/row.ts';

/** Tolerance of a ratio under `--strict`, since figures of shared machines vary. */
export const slack = 1.3;

export type Verdict = 'pass' | 'FAIL' | 'not measured' | '-';

/** Ours by the peer's, as the median over the runs of each run's own ratio; null without a peer. Two zeros are equal. */
export function ratioOf({ ours, peer }: Line): number | null {
  if (ours === null || peer === undefined) return null;
  const ratios = ours.runs.flatMap((value, run) => {
    const other = peer.figure.runs[run];
    if (other === undefined) return [];
    return [value === other ? 1 : value / other];
  });
  return median(ratios);
}

function meets(goal: Goal, value: number, factor: number): boolean {
  const { atMost = Number.POSITIVE_INFINITY, atLeast = Number.NEGATIVE_INFINITY } = goal;
  return value <= atMost * factor && value >= atLeast / factor;
}

function verdictWith(line: Line, factor: number): Verdict {
  const { goal, ours } = line;
  if (ours === null) return 'not measured';
  if (goal === undefined) return '-';
  const value = goal.of === 'ratio' ? ratioOf(line) : ours.median;
  if (value === null) return 'not measured';
  return meets(goal, value, factor) ? 'pass' : 'FAIL';
}

export function verdictOf(line: Line): Verdict {
  return verdictWith(line, 1);
}

/** True if `--strict` fails on this line: its ratio misses the goal by more than the tolerance. */
export function isBroken(line: Line): boolean {
  return line.goal?.of === 'ratio' && verdictWith(line, slack) === 'FAIL';
}
