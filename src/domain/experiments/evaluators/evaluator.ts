import type { ErrorCode } from '#src/contracts/error-codes.ts';
import type { Reference } from '#src/contracts/experiments/dataset.ts';
import type { Failure } from '#src/domain/experiments/failures.ts';

/** One ended run as evaluators see it. Outputs that name stored results have their `text` or `regions`. */
export interface Observation {
  readonly status: 'succeeded' | 'failed' | 'timed_out' | 'canceled';
  readonly outputs: Readonly<Record<string, unknown>>;
  /** 0 to 100; null where no text was read. */
  readonly ocrConfidence: number | null;
  readonly ms: number | null;
  readonly costUsd: number | null;
}

/**
 * `value` is in the unit of the metric; null: it cannot be judged, for example without a reference, and takes no part. `quality` is 0 to 1,
 * 1 is best: the number that statistics compare; null for metrics without a bound.
 */
export interface Score {
  readonly value: number | null;
  readonly quality: number | null;
  readonly note?: string;
  /** Reason for which there is no value although there should be one. */
  readonly lost?: Failure;
  /** Cost of the judging, if a provider reported one. */
  readonly costUsd?: number;
}

export interface Metric {
  readonly unit: string;
  readonly better: 'higher' | 'lower';
  /** Least and largest value; null: no bound. */
  readonly range: readonly [number, number | null];
  /** Member of the reference that it needs; null: none. */
  readonly needs: 'text' | 'fields' | 'label' | 'regions' | null;
}

/** A metric that judges at once, without a model or a thread. Source: docs/decisions/0093. */
export interface PureEvaluator extends Metric {
  /** Number of steps for each character of the output, where it is not about one; for a pattern its compiled size. */
  readonly stepsPerCharacter?: number;
  score(observation: Observation, reference: Reference | null): Score;
}

export const unjudged = (note: string): Score => ({ value: null, quality: null, note });

/** A score that should be there: statistics count with the worst that it could have been. */
export const lostScore = (note: string, code: ErrorCode): Score => ({ ...unjudged(note), lost: { code } });

const ends = { failed: 'failed', timed_out: 'timed out', canceled: 'was canceled' } as const;

/** Reason for the worst score; null for a run that succeeded. */
export const failure = ({ status }: Observation): string | null =>
  status === 'succeeded' ? null : `The run ${ends[status]}.`;

const longestNote = 500;
export const noted = (score: Score, notes: readonly (string | null | undefined)[]): Score => {
  const said = notes.filter((note) => typeof note === 'string' && note !== '').join(' ');
  return said === '' ? score : { ...score, note: said.slice(0, longestNote).toWellFormed() };
};

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Value of an output, or of a member of it; undefined if there is none. `member` is taken from an object that has it. */
export function outputOf(
  { outputs }: Observation,
  { output, path }: { readonly output: string; readonly path?: string | undefined },
  member: string | null,
): unknown {
  let value: unknown = Object.hasOwn(outputs, output) ? outputs[output] : undefined;
  for (const name of path === undefined ? [] : path.split('.'))
    value = isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
  return member !== null && isObject(value) && Object.hasOwn(value, member) ? value[member] : value;
}

/** Text of an output: a text, a number or a truth value as text, lists line by line; null for everything else. */
export function textOf(value: unknown): string | null {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (!Array.isArray(value)) return null;
  const lines = value.map((line: unknown) => textOf(isObject(line) ? line['text'] : line));
  return lines.includes(null) ? null : lines.join('\n');
}
