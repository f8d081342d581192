import { terminalStatuses, type RunRecord } from '#src/domain/runs/run.ts';

/**
 * Progress of an execution: finished steps of all its documents. A finished run counts all steps of its graph, including branches that
 * were not taken; a repeated node counts once. Progress never decreases.
 */
export class StepProgress {
  readonly #nodes: ReadonlySet<string>;
  readonly #finished = new Map<string, Set<string>>();
  readonly #ended = new Set<string>();
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
    const underWay = [...this.#finished].filter(([runId]) => !this.#ended.has(runId));
    // The last step of a run counts only when the run has ended.
    const steps = underWay.map(([, nodes]) => Math.min(nodes.size, this.#steps - 1));
    return this.#ended.size * this.#steps + steps.reduce((sum, count) => sum + count, 0);
  }

  get endedRuns(): number {
    return this.#ended.size;
  }

  /** Ignores steps of nested workflows, by their `path`. */
  stepFinished(runId: string, path: string): void {
    const nodeId = /^([^#[/]+)(?:#\d+)?(?:\[\d+\])?$/.exec(path)?.[1];
    if (nodeId === undefined || !this.#nodes.has(nodeId)) return;
    const nodes = this.#finished.get(runId) ?? new Set();
    this.#finished.set(runId, nodes.add(nodeId));
  }

  runIs(runId: string, status: RunRecord['status']): void {
    if (!terminalStatuses.has(status)) return;
    this.#ended.add(runId);
    this.#finished.delete(runId);
  }

  get #steps(): number {
    return Math.max(1, this.#nodes.size);
  }
}
