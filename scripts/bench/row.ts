import type { Figure } from '#scripts/bench/figures.ts';

/** Goal of a line: a ratio to the peer, or an absolute value. */
export interface Goal {
  readonly of: 'ratio' | 'value';
  readonly atMost?: number;
  readonly atLeast?: number;
}

export interface Peer {
  readonly name: string;
  readonly figure: Figure;
  /** CPU of the peer's process by operation, in milliseconds. */
  readonly cpuMs?: number;
}

/** One line of the table. */
export interface Line {
  readonly id: string;
  readonly what: string;
  readonly unit: string;
  /** null: not measured, and `note` says why. */
  readonly ours: Figure | null;
  /** CPU of the process doing the work, all its threads, by operation, in milliseconds. */
  readonly cpuMs?: number;
  readonly peer?: Peer;
  readonly goal?: Goal;
  readonly note?: string;
  /** For the JSON only. */
  readonly detail?: unknown;
}

export interface BenchContext {
  /** Interleaved runs of each side. */
  readonly runs: number;
  /** Multiplies the operations of a run: 1, or less for `--quick`. */
  readonly scale: number;
  /** Folders with images and their text, beside the fixtures. */
  readonly images: readonly string[];
  /** Table of what stands on the images of the only folder. Default: the one in the folder. */
  readonly truth?: string | null;
  /** A folder for CPU profiles of the processes under test. */
  readonly profiles: string | null;
  /** False: measure without peers, as a comparison of two trees does. Default: true. */
  readonly peers?: boolean;
  /** An empty folder, removed at the end. */
  readonly scratch: string;
  /** Tells the person what is being done. */
  progress(text: string): void;
}

/** A benchmark: one goal, one or more lines. */
export interface Row {
  readonly id: string;
  measure(context: BenchContext): Promise<readonly Line[]>;
}

/** At least five operations, whatever the scale. */
export function scaled(context: BenchContext, operations: number): number {
  return Math.max(5, Math.round(operations * context.scale));
}

function sidesOf({ peers = true }: BenchContext, run: number): readonly ('ours' | 'peer')[] {
  if (!peers) return ['ours'];
  return run % 2 === 0 ? ['ours', 'peer'] : ['peer', 'ours'];
}

/**
 * Lets each side run once for warmth, then `runs` times in turn; the side that begins changes from run to run. Without peers, ours stands in
 * for the peer.
 */
export async function interleave<Result>(
  context: BenchContext,
  sides: Readonly<Record<'ours' | 'peer', (run: number) => Promise<Result>>>,
): Promise<Record<'ours' | 'peer', Result[]>> {
  const results: Record<'ours' | 'peer', Result[]> = { ours: [], peer: [] };
  for (let run = 0; run <= context.runs; run += 1) {
    context.progress(run === 0 ? 'warming up' : `run ${run} of ${context.runs}`);
    for (const side of sidesOf(context, run)) {
      const result = await sides[side](run);
      if (run > 0) results[side].push(result);
    }
  }
  return (context.peers ?? true) ? results : { ours: results.ours, peer: results.ours };
}
