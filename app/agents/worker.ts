import { InkgraphError } from '#src/domain/app-error.ts';
import { LeaseLostError } from '#app/agents/lease-lost.ts';
import type { Performed } from '#app/agents/perform-run.ts';
import type { Logger } from '#src/domain/ports/logger.ts';
import type { Consumer, WakeQueue } from '#src/domain/ports/wake-queue.ts';
import { runCompleted, runWaiting } from '#src/domain/events/realtime.ts';
import type { RealtimeEvent } from '#src/domain/events/events.ts';
import type { OpenQuestion } from '#src/domain/runs/run.ts';
import type { RunStatus } from '#src/contracts/resources/execution.ts';
import type { EventLog } from '#src/stores/event-log.ts';
import type { ExecutionStore } from '#src/stores/executions.ts';
import type { Lease, RunEnd } from '#src/stores/run-queue.ts';

export interface WorkerParts {
  readonly executions: ExecutionStore;
  readonly events: EventLog;
  readonly wake: WakeQueue;
  readonly logger: Logger;
  /** Runs the workflow over the run's document until it ends or waits; throws what is not the run's own fault. */
  perform(lease: Lease, signal: AbortSignal): Promise<Performed>;
  /** What is left to do for a run that has ended, durably; failures are its own affair. */
  ended(lease: Lease, status: RunStatus): void;
  /** A run that was canceled, or goes on elsewhere, while it was performed here: the performance is over. */
  lost(lease: Lease): void;
  /** Work that a crash left elsewhere; called with every sweep. */
  sweep(): Promise<void>;
}

export interface WorkerOptions {
  readonly owner: string;
  readonly concurrency: number;
  readonly leaseMs: number;
}

/** How often a worker that has room looks for runs at the latest: those of other processes, and those whose worker died. */
const claimMs = 1_000;

/** How often a worker looks whether its runs were canceled or taken over: it must stop their work within a second. */
const lookMs = 500;

/** Deaths without progress after which a run is done alone. */
const aloneAfter = 2;

class DrainingError extends InkgraphError {}

/**
 * Claims due runs and performs them, a bounded number at once. The database lease is the truth: a run whose worker dies is claimed
 * again when the lease ends, and a worker that lost its lease cannot write. Source: docs/decisions/0011.
 */
export class Worker {
  readonly #parts: WorkerParts;
  readonly #options: WorkerOptions;
  /** By lease: a run whose lease was lost here may be taken again before its first performance has ended. */
  readonly #inFlight = new Map<Lease, { done: Promise<void>; abort: AbortController }>();
  #consumer: Consumer | null = null;
  #sweeper: NodeJS.Timeout | null = null;
  #claimer: NodeJS.Timeout | null = null;
  #sweeping = false;
  /** Turns only while runs are in flight. */
  #looker: NodeJS.Timeout | null = null;
  #pumping: Promise<void> | null = null;
  #again = false;
  /** The last look at the queue found a run: there may be another. */
  #more = false;
  #alone = false;
  /** Nothing is claimed until nothing is in flight. */
  #emptying = false;
  #stopped = false;

  constructor(parts: WorkerParts, options: WorkerOptions) {
    this.#parts = parts;
    this.#options = options;
  }

  start(): void {
    this.#consumer = this.#parts.wake.consume(() => this.#wake());
    const { leaseMs, owner } = this.#options;
    // Rows of runs name their worker so.
    this.#parts.logger.info({ owner }, 'worker takes runs');
    this.#sweeper = setInterval(() => void this.#sweep(), leaseMs / 2);
    this.#claimer = setInterval(() => this.#wake(), Math.min(claimMs, leaseMs / 4));
    this.#wake();
    void this.#sweep();
  }

  /** Settles when nothing is due and nothing is in flight here. */
  async idle(): Promise<void> {
    for (;;) {
      if (this.#pumping !== null) await this.#pumping;
      else if (this.#inFlight.size > 0) await Promise.race([...this.#inFlight.values()].map((entry) => entry.done));
      else return;
    }
  }

  /** Claims no more, lets running runs end within `drainMs`, then gives the rest back to the queue. */
  async stop(drainMs: number): Promise<void> {
    this.#stopped = true;
    await this.#consumer?.close();
    if (this.#sweeper !== null) clearInterval(this.#sweeper);
    if (this.#claimer !== null) clearInterval(this.#claimer);
    if (this.#pumping !== null) await this.#pumping;
    const all = Promise.all([...this.#inFlight.values()].map((entry) => entry.done));
    const { promise: late, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, drainMs);
    await Promise.race([all, late]);
    clearTimeout(timer);
    for (const { abort } of this.#inFlight.values()) abort.abort(new DrainingError('the worker is stopping'));
    await Promise.all([...this.#inFlight.values()].map((entry) => entry.done));
  }

  /** Beside the claims: what is swept may take longer than a run whose worker died should wait. */
  async #sweep(): Promise<void> {
    if (this.#sweeping) return;
    this.#sweeping = true;
    try {
      await this.#parts.sweep();
    } catch (error) {
      this.#parts.logger.warn({ err: error }, 'sweep failed; the next one tries again');
    } finally {
      this.#sweeping = false;
    }
  }

  #wake(): void {
    if (this.#stopped) return;
    this.#again = true;
    this.#pumping ??= this.#pump().finally(() => {
      this.#pumping = null;
      // A wake-up that came while the last look was ending.
      if (this.#again) this.#wake();
    });
  }

  /** Claims until slots or due runs run out. */
  async #pump(): Promise<void> {
    try {
      while (this.#again && !this.#stopped) {
        this.#again = false;
        while (!this.#stopped && this.#mayClaim()) {
          const lease = await this.#parts.executions.claim(this.#options.owner, this.#options.leaseMs, new Date());
          this.#more = lease !== null;
          if (lease === null) break;
          if (lease.run.attempts > aloneAfter && this.#inFlight.size > 0) await this.#putOff(lease);
          else this.#take(lease);
        }
      }
    } catch (error) {
      this.#again = false;
      this.#parts.logger.error({ err: error }, 'queue could not be read; the next sweep tries again');
    }
  }

  #mayClaim(): boolean {
    if (this.#inFlight.size === 0) this.#emptying = false;
    return !this.#alone && !this.#emptying && this.#inFlight.size < this.#options.concurrency;
  }

  /**
   * A run that was there when workers died repeatedly runs alone, so that the next death is its own: it goes back, uncounted, until
   * nothing else is in flight here.
   */
  async #putOff(lease: Lease): Promise<void> {
    this.#emptying = true;
    await this.#parts.executions.release(lease, lease.run.createdAt);
  }

  #take(lease: Lease): void {
    const abort = new AbortController();
    const alone = lease.run.attempts > aloneAfter;
    if (alone) this.#alone = true;
    const done = this.#hold(lease, abort).finally(() => {
      this.#inFlight.delete(lease);
      if (this.#inFlight.size === 0) this.#stopLooking();
      if (alone) this.#alone = false;
      // Nothing was left at the last look, and what came since has woken this worker.
      if (this.#more) this.#wake();
    });
    this.#inFlight.set(lease, { done, abort });
    this.#looker ??= setInterval(() => void this.#look(), lookMs);
  }

  #stopLooking(): void {
    if (this.#looker !== null) clearInterval(this.#looker);
    this.#looker = null;
  }

  /** A canceled run has no lease any more; neither has one that another worker took. */
  async #look(): Promise<void> {
    try {
      const lost = new Set(await this.#parts.executions.lost([...this.#inFlight.keys()]));
      for (const lease of lost) this.#inFlight.get(lease)?.abort.abort(new LeaseLostError());
    } catch (error) {
      this.#parts.logger.warn({ err: error }, 'leases could not be looked at; the next look tries again');
    }
  }

  /** A run under its lease: beats while it works, and writes the end only if the lease still stands. Never rejects. */
  async #hold(lease: Lease, abort: AbortController): Promise<void> {
    const { executions } = this.#parts;
    const { leaseMs } = this.#options;
    const logger = this.#parts.logger.child({ runId: lease.run._id, executionId: lease.run.executionId });
    const beating = setInterval(() => {
      executions.beat(lease, leaseMs, new Date()).then(
        (mine) => {
          if (!mine) abort.abort(new LeaseLostError());
        },
        (error: unknown) => logger.warn({ err: error }, 'sign of life could not be written'),
      );
    }, leaseMs / 3);
    try {
      const performed = await this.#parts.perform(lease, abort.signal);
      if (performed.kind === 'ended') await this.#finish(lease, performed.end);
      else await this.#park(lease, performed.questions);
    } catch (error) {
      await this.#giveBack(lease, abort.signal.aborted ? abort.signal.reason : error, logger);
    } finally {
      clearInterval(beating);
    }
  }

  async #giveBack(lease: Lease, error: unknown, logger: Logger): Promise<void> {
    if (error instanceof LeaseLostError) {
      logger.warn({}, 'lease lost: the run was canceled, or goes on elsewhere');
      this.#parts.lost(lease);
    } else if (error instanceof DrainingError) {
      await this.#parts.executions.release(lease, new Date()).catch((failure: unknown) => {
        logger.error({ err: failure }, 'a run could not be given back: left to its lease');
      });
    } else {
      // Not the run's fault: the lease runs out and somebody tries again.
      logger.error({ err: error }, 'run left to its lease');
    }
  }

  async #park(lease: Lease, questions: readonly OpenQuestion[]): Promise<void> {
    if (!(await this.#parts.executions.wait(lease, questions))) throw new LeaseLostError();
    this.#announce([runWaiting(lease.run, questions, new Date())]);
  }

  async #finish(lease: Lease, end: RunEnd): Promise<void> {
    const now = new Date();
    if (!(await this.#parts.executions.finish(lease, end, now))) throw new LeaseLostError();
    this.#parts.ended(lease, end.status);
    // A run of an upload has its version since it was taken.
    const version = end.receipt?.head.version ?? lease.run.version;
    this.#announce([runCompleted(lease.run, end.status, now, { error: end.error, version })]);
  }

  #announce(events: readonly RealtimeEvent[]): void {
    this.#parts.events
      .append(events, { lingerMs: 2 })
      .catch((failure: unknown) => this.#parts.logger.warn({ err: failure }, 'a change of a run was not announced'));
  }
}
