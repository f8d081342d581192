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
  readonly #executions: Pick<ExecutionStore, 'claim' | 'claimOfOthers' | 'seeLeases'>;
  readonly #options: Options;
  #interactiveInARow = 0;
  /** True when this look found that no interactive run waits. */
  #noInteractive = false;
  /** Queued runs that this worker heard of. Infinity: there may be any number. */
  #due = 0;

  constructor(executions: Pick<ExecutionStore, 'claim' | 'claimOfOthers' | 'seeLeases'>, options: Options) {
    this.#executions = executions;
    this.#options = options;
  }

  /** True when a further run may wait. */
  get more(): boolean {
    return this.#due > 0;
  }

  /** Counts runs that were queued. Default: there may be any number of them. */
  heard(runs = Number.POSITIVE_INFINITY): void {
    this.#due += runs;
  }

  /** Begins a new look at the queue: interactive runs may have arrived. */
  lookAgain(): void {
    this.#noInteractive = false;
  }

  /** Claims a run; null when none waits for a free slot, as far as was heard. `inFlight`: fewer leases than the worker has slots. */
  async next(inFlight: readonly Lease[], now: Date): Promise<Lease | null> {
    const { concurrency } = this.#options;
    const bulk = inFlight.filter(runsInBulk).length < Math.max(1, concurrency - 1);
    if (this.#due === 0 || (!bulk && this.#noInteractive)) return null;
    const due = this.#due;
    // Runs that are heard of meanwhile count on top: this look may miss them.
    this.#due = 0;
    try {
      const { lease, sawAll } = await this.#claim(bulk, now);
      if (lease === null) this.#due += sawAll ? 0 : due;
      // Nobody told of a run that came back.
      else this.#due += lease.run.fence > 1 ? due : due - 1;
      // No bulk run waits for its turn.
      if (this.#due === 0) this.#interactiveInARow = 0;
      return lease;
    } catch (error) {
      this.#due += due;
      throw error;
    }
  }

  /**
   * Claims a run of an organization that has none in flight here, for a place beside the slots; null when none waits, or the slots are free or
   * shared. So an organization that holds several slots delays nobody else's first run. Source: docs/decisions/0247.
   */
  async guest(inFlight: readonly Lease[], now: Date): Promise<Lease | null> {
    const { concurrency, owner } = this.#options;
    if (concurrency === 1 || inFlight.length < concurrency - 1) return null;
    const here = new Set(inFlight.map(({ run }) => run.organizationId));
    // Nobody has more than one slot.
    if (here.size === inFlight.length) return null;
    const except = new Set([...here, ...(await this.#fullOrganizations())]);
    return this.#executions.claimOfOthers(owner, now, [...except]);
  }

  /** Claims a run. `sawAll`: without a lease, no run waits at all. */
  async #claim(bulk: boolean, now: Date): Promise<{ readonly lease: Lease | null; readonly sawAll: boolean }> {
    const { owner } = this.#options;
    const except = await this.#fullOrganizations();
    const claim = (wanted: readonly Lane[]): Promise<Lease | null> =>
      this.#executions.claim(owner, now, { lanes: wanted, except });
    const bulkTurn = bulk && this.#interactiveInARow >= interactiveInARow;
    if (bulkTurn) this.#interactiveInARow = 0;
    const turn = bulkTurn ? await claim(['bulk']) : null;
    const lease = turn ?? (await claim(bulk ? lanes : ['interactive']));
    const interactive = lease !== null && !runsInBulk(lease);
    this.#interactiveInARow = interactive ? this.#interactiveInARow + 1 : 0;
    this.#noInteractive = !interactive && turn === null;
    return { lease, sawAll: bulk && except.length === 0 };
  }

  /** Organizations that run as much as they may. Workers that claim at the same moment may exceed the limit by one run each. */
  async #fullOrganizations(): Promise<readonly string[]> {
    const { organizationConcurrency: most = null } = this.#options;
    if (most === null) return [];
    const running = Map.groupBy(await this.#executions.seeLeases(), (lease) => lease.organizationId);
    return [...running].flatMap(([id, of]) => (of.length >= most ? [id] : []));
  }
}
