import { interactiveInARow, lanes, type Lane } from '#src/domain/runs/queue.ts';
import type { ExecutionStore } from '#src/stores/executions.ts';
import type { Lease } from '#src/stores/run-queue.ts';

interface Options {
  readonly owner: string;
  readonly concurrency: number;
  readonly organizationConcurrency?: number | null;
}

const runsInBulk = (lease: Lease): boolean => lease.run.lane !== 'interactive';

/**
 * Chooses the next run of one worker. Interactive runs go first, and one slot takes nothing else, so that long bulk runs never hold all
 * slots. After a number of interactive runs in a row, a bulk run has its turn. Source: docs/decisions/0074.
 */
export class RunClaims {
  readonly #executions: Pick<ExecutionStore, 'claim' | 'seeLeases'>;
  readonly #options: Options;
  #interactiveInARow = 0;
  /** True when this look found that no interactive run waits. */
  #noInteractive = false;
  #more = false;

  constructor(executions: Pick<ExecutionStore, 'claim' | 'seeLeases'>, options: Options) {
    this.#executions = executions;
    this.#options = options;
  }

  /** True when a further run may wait: the last look found one, or did not look for all. */
  get more(): boolean {
    return this.#more;
  }

  /** Begins a new look at the queue: interactive runs may have arrived. */
  lookAgain(): void {
    this.#noInteractive = false;
  }

  /** Claims a run; null when none waits for a free slot. `inFlight`: fewer leases than the worker has slots. */
  async next(inFlight: readonly Lease[], now: Date): Promise<Lease | null> {
    const { owner, concurrency } = this.#options;
    const bulkSlots = Math.max(1, concurrency - 1);
    const bulk = inFlight.filter(runsInBulk).length < bulkSlots;
    if (!bulk && this.#noInteractive) {
      this.#more = true;
      return null;
    }
    const except = await this.#fullOrganizations();
    const claim = (wanted: readonly Lane[]): Promise<Lease | null> =>
      this.#executions.claim(owner, now, { lanes: wanted, except });
    const bulkTurn = bulk && this.#interactiveInARow >= interactiveInARow;
    if (bulkTurn) this.#interactiveInARow = 0;
    const turn = bulkTurn ? await claim(['bulk']) : null;
    const lease = turn ?? (await claim(bulk ? lanes : ['interactive']));
    this.#more = lease !== null || !bulk || except.length > 0;
    const interactive = lease !== null && !runsInBulk(lease);
    this.#interactiveInARow = interactive ? this.#interactiveInARow + 1 : 0;
    this.#noInteractive = !interactive && turn === null;
    return lease;
  }

  /** Organizations that run as much as they may. Workers that claim at the same moment may exceed the limit by one run each. */
  async #fullOrganizations(): Promise<readonly string[]> {
    const { organizationConcurrency: most = null } = this.#options;
    if (most === null) return [];
    const running = Map.groupBy(await this.#executions.seeLeases(), (lease) => lease.organizationId);
    return [...running].flatMap(([id, of]) => (of.length >= most ? [id] : []));
  }
}
