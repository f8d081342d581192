import { terminalStatuses, type RunReading, type RunRecord } from '#src/domain/runs/run.ts';

type PagesRead = Pick<RunReading, 'nodeId' | 'pagesRead' | 'pages'>;

/**
 * Progress of an execution: finished steps of all its documents. A finished run counts all steps of its graph, including branches that
 * were not taken; a repeated node counts once. Progress never decreases.
 */
export class StepProgress {
  readonly #nodes: ReadonlySet<string>;
  readonly #finished = new Map<string, Set<string>>();
  readonly #ended = new Set<string>();
  /** Part of its pages that a run has read at the step that it is at. */
  readonly #read = new Map<string, PagesRead>();
  readonly runs: number;

  /** `nodes`: ids of the graph's nodes. `runs`: number of documents. */
  constructor(nodes: readonly string[], runs: number) {
    this.#nodes = new Set(nodes);
    this.runs = runs;
  }

  get total(): number {
    return this.#steps * this.runs;
  }

  get done(): number {
    const underWay = new Set([...this.#finished.keys(), ...this.#read.keys()].filter((id) => !this.#ended.has(id)));
    const steps = [...underWay].map((runId) => {
      const reading = this.#read.get(runId);
      // Below one: the step itself counts when it has ended.
      const part = reading === undefined ? 0 : reading.pagesRead / (reading.pages + 1);
      // The last step of a run counts only when the run has ended.
      return Math.min(this.#finished.get(runId)?.size ?? 0, this.#steps - 1) + part;
    });
    const done = this.#ended.size * this.#steps + steps.reduce((sum, count) => sum + count, 0);
    return Math.floor(done * 1_000) / 1_000;
  }

  /** Pages that all runs have read at their steps; null: none reads. */
  get pages(): Omit<PagesRead, 'nodeId'> | null {
    const all = [...this.#read.values()];
    if (all.length === 0) return null;
    const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);
    return { pagesRead: sum(all.map(({ pagesRead }) => pagesRead)), pages: sum(all.map(({ pages }) => pages)) };
  }

  get finishedSteps(): number {
    return Math.floor(this.done);
  }

  get endedRuns(): number {
    return this.#ended.size;
  }

  /** Ignores steps of nested workflows, by their `path`. */
  stepFinished(runId: string, path: string): void {
    const nodeId = this.#nodeOf(path);
    if (nodeId === undefined) return;
    const nodes = this.#finished.get(runId) ?? new Set();
    this.#finished.set(runId, nodes.add(nodeId));
    const reading = this.#read.get(runId);
    // The last step counts by its pages until the run has ended.
    const isLast = nodes.size >= this.#steps;
    if (reading !== undefined && this.#nodeOf(reading.nodeId) === nodeId && !isLast) this.#read.delete(runId);
  }

  /** A step has read so many pages. Ignores late news of a node that has finished. */
  pagesRead(runId: string, reading: PagesRead): void {
    const nodeId = this.#nodeOf(reading.nodeId);
    if (nodeId === undefined || this.#ended.has(runId) || this.#finished.get(runId)?.has(nodeId) === true) return;
    this.#read.set(runId, reading);
  }

  runIs(runId: string, status: RunRecord['status']): void {
    if (!terminalStatuses.has(status)) return;
    this.#ended.add(runId);
    this.#finished.delete(runId);
    this.#read.delete(runId);
  }

  #nodeOf(path: string): string | undefined {
    const nodeId = /^([^#[/]+)(?:#\d+)?(?:\[\d+\])?$/.exec(path)?.[1];
    return nodeId !== undefined && this.#nodes.has(nodeId) ? nodeId : undefined;
  }

  get #steps(): number {
    return Math.max(1, this.#nodes.size);
  }
}
