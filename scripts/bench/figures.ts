/** Measured values in the unit of their line, with their median and 95th percentile. */
export interface Figure {
  readonly median: number;
  readonly p95: number;
  /** One value a run, in the order of the runs. */
  readonly runs: readonly number[];
}

/** The value below which `share` (0..1) of `values` lie, by nearest rank. Throws without values. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const found = sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)];
  if (found === undefined) throw new Error('nothing was measured');
  return found;
}

/** The mean of the middle two where there are two. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const upper = sorted[Math.floor(sorted.length / 2)];
  const lower = sorted[Math.ceil(sorted.length / 2) - 1];
  if (upper === undefined || lower === undefined) throw new Error('nothing was measured');
  return (lower + upper) / 2;
}

/** `single`: what single operations took, where the row times them; else the 95th percentile is of the runs. */
export function figureOf(runs: readonly number[], single: readonly number[] = runs): Figure {
  return { median: median(runs), p95: quantile(single, 0.95), runs };
}
