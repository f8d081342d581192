import type { StepRecord } from '#src/domain/runs/step.ts';

/** Most steps of a bucket, and their size in characters, approximately: a run's first bucket is written again with each of its steps. */
const mostSteps = 50;
const mostCharacters = 64_000;

const sizeOf = ({ inputPreview, outputPreview, error }: StepRecord): number =>
  500 + (inputPreview?.length ?? 0) + (outputPreview?.length ?? 0) + (error?.message.length ?? 0);

/** Steps in the order in which they began. Of two records of a step, that of the newer lease counts. */
export function inOrder(records: readonly StepRecord[]): readonly StepRecord[] {
  const newest = new Map<string, StepRecord>();
  for (const record of records) {
    const known = newest.get(record._id);
    if (known === undefined || known.fence <= record.fence) newest.set(record._id, record);
  }
  return [...newest.values()].toSorted((a, b) => a.startedAt.getTime() - b.startedAt.getTime());
}

interface Bucket {
  readonly steps: Map<string, StepRecord>;
  characters: number;
  changed: boolean;
}

/** The steps of one run, in buckets of bounded size: the first is part of the run's record, each other is a record of its own. */
export class StepBuckets {
  readonly #buckets: Bucket[] = [];
  readonly #placed = new Map<string, Bucket>();

  /** Number of buckets beside the first. */
  get further(): number {
    return Math.max(0, this.#buckets.length - 1);
  }

  /** Adds a step, or replaces its earlier record. */
  set(record: StepRecord): void {
    const bucket = this.#placed.get(record._id) ?? this.#open();
    const before = bucket.steps.get(record._id);
    bucket.characters += sizeOf(record) - (before === undefined ? 0 : sizeOf(before));
    bucket.steps.set(record._id, record);
    bucket.changed = true;
    this.#placed.set(record._id, bucket);
  }

  /** The buckets with steps that changed since the last call, by their number from 0. */
  takeChanged(): ReadonlyMap<number, readonly StepRecord[]> {
    const changed = new Map<number, readonly StepRecord[]>();
    this.#buckets.forEach((bucket, at) => {
      if (bucket.changed) changed.set(at, [...bucket.steps.values()]);
      bucket.changed = false;
    });
    return changed;
  }

  /** Counts these buckets as changed: they could not be stored. */
  changedAgain(numbers: Iterable<number>): void {
    for (const number of numbers) {
      const bucket = this.#buckets[number];
      if (bucket !== undefined) bucket.changed = true;
    }
  }

  #open(): Bucket {
    const last = this.#buckets.at(-1);
    if (last !== undefined && last.steps.size < mostSteps && last.characters < mostCharacters) return last;
    const bucket: Bucket = { steps: new Map(), characters: 0, changed: false };
    this.#buckets.push(bucket);
    return bucket;
  }
}
