/** Owners that are shown by name. Each is a series. */
const mostShown = 20;
/** Owners that are counted, so that the largest are known. */
const mostCounted = 1_000;

/** Label of all owners that are not among the largest. */
const others = 'other';

/** Sum of values by the 20 owners that have the most; all others are one. */
export class Largest {
  readonly #totals = new Map<string, number>();
  readonly #shown = new Set<string>();
  readonly #hide: (owner: string) => void;

  /** `hide`: called with an owner that is no longer among the largest. */
  constructor(hide: (owner: string) => void) {
    this.#hide = hide;
  }

  /** Counts a value, and returns the label that it goes to. */
  add(owner: string, value: number): string {
    if (owner === '') return others;
    if (!this.#totals.has(owner) && this.#totals.size >= mostCounted) this.#forgetSmallest();
    const total = (this.#totals.get(owner) ?? 0) + value;
    this.#totals.set(owner, total);
    if (this.#shown.has(owner)) return owner;
    if (this.#shown.size < mostShown) {
      this.#shown.add(owner);
      return owner;
    }
    const smallest = this.#smallestOf(this.#shown);
    if (total <= (this.#totals.get(smallest) ?? 0)) return others;
    this.#shown.delete(smallest);
    this.#hide(smallest);
    this.#shown.add(owner);
    return owner;
  }

  #forgetSmallest(): void {
    this.#totals.delete(this.#smallestOf([...this.#totals.keys()].filter((owner) => !this.#shown.has(owner))));
  }

  #smallestOf(owners: Iterable<string>): string {
    const of = (owner: string): number => this.#totals.get(owner) ?? 0;
    return [...owners].reduce((least, owner) => (of(owner) < of(least) ? owner : least));
  }
}

interface Sample {
  readonly labels: Readonly<Record<string, unknown>>;
  readonly metricName?: string;
  readonly value: number;
}

interface Metric {
  readonly name: string;
  readonly values: readonly Sample[];
}

/** Metrics of several processes, where the histogram `name` shows by name only the organizations with the largest sums of all of them. */
export function withLargest(processes: readonly (readonly object[])[], name: string): object[][] {
  const metrics = processes as readonly (readonly Metric[])[];
  const totals = new Map<unknown, number>();
  for (const { labels, metricName, value } of metrics.flat().flatMap((one) => (one.name === name ? one.values : [])))
    if (metricName === `${name}_sum` && labels['organization'] !== others)
      totals.set(labels['organization'], (totals.get(labels['organization']) ?? 0) + value);
  const byTotal = [...totals].toSorted(([, one], [, other]) => other - one);
  const shown = new Set(byTotal.slice(0, mostShown).map(([organization]) => organization));
  const shownAs = (sample: Sample): Sample =>
    shown.has(sample.labels['organization'])
      ? sample
      : { ...sample, labels: { ...sample.labels, organization: others } };
  return metrics.map((all) =>
    all.map((one) => (one.name === name ? { ...one, values: one.values.map(shownAs) } : one)),
  );
}
