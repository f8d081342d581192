import { interactiveInARow, lanes, type Lane } from '#src/domain/runs/queue.ts';
import type { ExecutionStore } from '#src/stores/executions.ts';
import type { Lease } from '#src/stores/run-queue.ts';
import type { RunRecord } from '#src/domain/runs/run.ts';

interface Options {
  readonly owner: string;
  readonly concurrency: number;
  readonly organizationConcurrency?: number | null;
}

type Claiming = Pick<ExecutionStore, 'claim' | 'claimOfOthers' | 'nextOf' | 'seeLeases' | 'take'>;

/** Worker deaths without progress after which a run is performed alone. */
export const aloneAfter = 2;

const runsInBulk = (lease: Lease): boolean => lease.run.lane !== 'interactive';

/**
 * Chooses the next run of one worker. Interactive runs go first, and one slot takes nothing else, so that long bulk runs never hold all
 * slots. After a number of interactive runs in a row, a bulk run has its turn. Source: docs/decisions/0074.
 */
export class RunClaims {
  readonly #executions: Claiming;
  readonly #options: Options;
  #interactiveInARow = 0;
  /** True when this look found that no interactive run waits. */
  #noInteractive = false;
  /** Queued runs that this worker heard of. Infinity: there may be any number. */
  #due = 0;
  /** True when the last look found a run. */
  #found = false;

  constructor(executions: Claiming, options: Options) {
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

  /**
   * Claims runs for free slots, one or, where several slots are free and several runs are known to wait, several at once. None when no run
   * waits for a free slot, as far as was heard. `inFlight`: fewer leases than the worker has slots. Source: docs/decisions/0244.
   */
  async next(inFlight: readonly Lease[], now: Date): Promise<readonly Lease[]> {
    const free = this.#options.concurrency - inFlight.length;
    const isKnown = this.#due >= 2 && (this.#due !== Number.POSITIVE_INFINITY || this.#found);
    const hasLimit = (this.#options.organizationConcurrency ?? null) !== null;
    const several = isKnown && free >= 2 && !hasLimit ? await this.#several(inFlight, now) : null;
    if (several !== null) return several;
    const lease = await this.#one(inFlight, now);
    this.#found = lease !== null;
    return lease === null ? [] : [lease];
  }

  /**
   * Reads the next runs of both lanes at once, and claims in the order in which they would be claimed one by one. null: the next run has to be
   * claimed alone.
   */
  async #several(inFlight: readonly Lease[], now: Date): Promise<readonly Lease[] | null> {
    const { concurrency, owner } = this.#options;
    const free = Math.min(concurrency - inFlight.length, this.#due);
    const bulkSlots = Math.max(1, concurrency - 1) - inFlight.filter(runsInBulk).length;
    const bulkMost = Math.max(0, Math.min(free, bulkSlots));
    const due = this.#due;
    this.#due = 0;
    try {
      const [interactive, bulk] = await Promise.all([
        this.#executions.nextOf('interactive', free),
        bulkMost > 0 ? this.#executions.nextOf('bulk', bulkMost) : [],
      ]);
      const chosen = this.#inTurns(interactive, bulk, free);
      const leases = await this.#executions.take(owner, chosen, now);
      const sawAll =
        interactive.length < free && bulk.length < bulkMost && chosen.length === interactive.length + bulk.length;
      if (!sawAll) this.#due += due - leases.length;
      if (this.#due === 0) this.#interactiveInARow = 0;
      this.#found = leases.length > 0;
      return leases.length > 0 || sawAll ? leases : null;
    } catch (error) {
      this.#due += due;
      throw error;
    }
  }

  /**
   * Runs of both lanes in turns, up to the first one that came back: its earlier worker may still store steps between the look and the claim,
   * which reads the run no more.
   */
  #inTurns(interactive: readonly RunRecord[], bulk: readonly RunRecord[], most: number): RunRecord[] {
    const waiting = { interactive: [...interactive], bulk: [...bulk] };
    const chosen: RunRecord[] = [];
    while (chosen.length < most) {
      const isBulkTurn = this.#interactiveInARow >= interactiveInARow && waiting.bulk.length > 0;
      const lane: Lane = isBulkTurn || waiting.interactive.length === 0 ? 'bulk' : 'interactive';
      const run = waiting[lane].shift();
      if (run === undefined || run.fence > 0) break;
      chosen.push(run);
      this.#interactiveInARow = lane === 'interactive' ? this.#interactiveInARow + 1 : 0;
    }
    return chosen;
  }

  /** Claims a run; null when none waits for a free slot, as far as was heard. */
  async #one(inFlight: readonly Lease[], now: Date): Promise<Lease | null> {
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
