import { Paced } from '#src/concurrency/paced.ts';
import { PendingWork } from '#src/concurrency/pending-work.ts';
import { aloneAfter, RunClaims } from '#app/agents/claims/run-claims.ts';
import { LeaseWatch } from '#app/agents/claims/lease-watch.ts';
import { InkgraphError } from '#src/domain/app-error.ts';
import { LeaseLostError } from '#app/agents/lease-lost.ts';
import { RunEnds } from '#app/agents/run-ends.ts';
import type { Performed } from '#app/agents/perform-run.ts';
import { failureCode } from '#src/domain/traces/failure-code.ts';
import { noTracer } from '#src/domain/traces/no-tracer.ts';
import type { Span, Tracer } from '#src/domain/ports/tracer.ts';
import { runAttributes } from '#src/domain/traces/run-attributes.ts';
import type { Logger } from '#src/domain/ports/logger.ts';
import type { Consumer, WakeQueue } from '#src/domain/ports/wake-queue.ts';
import { runCompleted, runWaiting } from '#src/domain/events/realtime.ts';
import type { RealtimeEvent } from '#src/domain/events/events.ts';
import type { OpenQuestion } from '#src/domain/runs/run.ts';
import type { RunStatus } from '#src/contracts/lists/run-status.ts';
import type { EventLog } from '#src/stores/event-log.ts';
import type { ExecutionStore } from '#src/stores/executions.ts';
import type { Lease } from '#src/stores/run-queue.ts';

export interface WorkerParts {
  readonly executions: ExecutionStore;
  readonly events: EventLog;
  readonly wake: WakeQueue;
  readonly logger: Logger;
  /** Default: nothing is traced. */
  readonly tracer?: Tracer;
  /** Runs the workflow over the run's document until it ends or waits. Throws errors that are not the run's own. */
  perform(lease: Lease, signal: AbortSignal): Promise<Performed>;
  /** Durable follow-up work for a run that has ended. Handles its own failures. */
  ended(lease: Lease, status: RunStatus): void;
  /** Called when a run was canceled or taken over by another worker while this one performed it. */
  lost(lease: Lease): void;
  /** Picks up work that crashed processes left. Called with every sweep. */
  sweep(): Promise<void>;
  /** Default: the clocks of the system. */
  readonly clock?: Clock;
}

const systemClock: Clock = { now: () => new Date(), ticks: () => performance.now() };

export interface WorkerOptions {
  readonly owner: string;
  readonly concurrency: number;
  readonly leaseMs: number;
  /** Most running runs of one organization, over all workers. Default: no limit. */
  readonly organizationConcurrency?: number | null;
  /** Time after which the document of a run shows it as running. Default: 100 ms. */
  readonly lingerMs?: number | undefined;
}

const usualLingerMs = 100;

/** Wall clock, which somebody may set, and monotonic milliseconds. */
export interface Clock {
  now(): Date;
  ticks(): number;
}

/** Longest pause between looks at the queue of a worker with room. Finds runs of other processes and of dead workers. */
const claimMs = 1_000;

/** Shortest time between two looks for a guest that wake-ups ask for. */
const guestMs = 200;

/** Interval at which a worker checks whether its runs were canceled or taken over: their work must stop within a second. */
const lookMs = 500;

class DrainingError extends InkgraphError {}

/**
 * Claims due runs and performs them, a bounded number at once. The lease in the database decides: a run whose worker dies is claimed again
 * when the lease ends, and a worker that lost its lease cannot write. Source: docs/decisions/0011.
 */
export class Worker {
  readonly #parts: WorkerParts;
  readonly #options: WorkerOptions;
  /** Keyed by lease: this worker may claim a run again, after a lost lease, before the first performance of it has ended. */
  readonly #inFlight = new Map<Lease, { done: Promise<void>; abort: AbortController }>();
  #consumer: Consumer | null = null;
  #sweeper: NodeJS.Timeout | null = null;
  #claimer: NodeJS.Timeout | null = null;
  readonly #clock: Clock;
  readonly #claims: RunClaims;
  readonly #watch: LeaseWatch;
  readonly #ends: RunEnds;
  #watching: Promise<void> | null = null;
  #sweeping = false;
  /** Timer that is set only while runs are in flight. */
  #looker: NodeJS.Timeout | null = null;
  #pumping: Promise<void> | null = null;
  /** A run beside the slots, of an organization that had none in flight here. */
  #guest: Lease | null = null;
  #guestsDue = false;
  readonly #guestLooks = new Paced<object>(guestMs, () => {
    this.#guestsDue = true;
    this.#goOn();
  });
  #again = false;
  #alone = false;
  /** While set, the worker claims nothing until nothing is in flight. */
  #emptying = false;
  #stopped = false;
  /** No run waits for its events, but a stop does: the database closes after it. */
  readonly #announced = new PendingWork();

  constructor(parts: WorkerParts, options: WorkerOptions) {
    this.#parts = parts;
    this.#options = options;
    this.#clock = parts.clock ?? systemClock;
    this.#claims = new RunClaims(parts.executions, options);
    this.#watch = new LeaseWatch(options.leaseMs);
    const { executions, events } = parts;
    this.#ends = new RunEnds({ executions, events, announce: (told) => this.#announce(told) });
  }

  start(): void {
    const { tracer = noTracer, wake } = this.#parts;
    // The queue is everybody's: its log lines do not belong to the request that woke the worker.
    this.#consumer = wake.consume((runs) => tracer.within(null, () => this.#wake(runs)));
    const { leaseMs, owner } = this.#options;
    // Records of runs name their worker by this id.
    this.#parts.logger.info({ owner }, 'worker takes runs');
    this.#sweeper = setInterval(() => void this.#sweep(), leaseMs / 2);
    const look = (): void => {
      this.#guestsDue = true;
      this.#wake();
      this.#watching ??= this.#endDeadLeases().finally(() => {
        this.#watching = null;
      });
    };
    this.#claimer = setInterval(look, Math.min(claimMs, leaseMs / 4));
    look();
    void this.#sweep();
  }

  /** Settles when no run is due and none is in flight in this worker. */
  async idle(): Promise<void> {
    for (;;) {
      if (this.#pumping !== null) await this.#pumping;
      else if (this.#inFlight.size > 0) await Promise.race([...this.#inFlight.values()].map((entry) => entry.done));
      else return;
    }
  }

  /** Stops claiming, lets running runs end within `drainMs`, then returns the rest to the queue. */
  async stop(drainMs: number): Promise<void> {
    this.#stopped = true;
    this.#guestLooks.end();
    await this.#consumer?.close();
    if (this.#sweeper !== null) clearInterval(this.#sweeper);
    if (this.#claimer !== null) clearInterval(this.#claimer);
    await this.#watching;
    if (this.#pumping !== null) await this.#pumping;
    const all = Promise.all([...this.#inFlight.values()].map((entry) => entry.done));
    const { promise: late, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, drainMs);
    await Promise.race([all, late]);
    clearTimeout(timer);
    for (const { abort } of this.#inFlight.values()) abort.abort(new DrainingError('the worker is stopping'));
    await Promise.all([...this.#inFlight.values()].map((entry) => entry.done));
    await this.#announced.ended();
  }

  /** Runs beside the claims: a sweep may take longer than the run of a dead worker should wait. */
  async #sweep(): Promise<void> {
    if (this.#sweeping) return;
    this.#sweeping = true;
    try {
      await this.#parts.sweep();
    } catch (error) {
      this.#parts.logger.warn({ err: error }, 'sweep failed: the next one retries');
    } finally {
      this.#sweeping = false;
    }
  }

  /** Returns the runs of dead workers to the queue. */
  async #endDeadLeases(): Promise<void> {
    const { executions, logger } = this.#parts;
    try {
      const mine = new Set([...this.#inFlight.keys()].map(({ run }) => `${run._id}/${run.fence}`));
      const others = (await executions.seeLeases()).filter(({ _id, fence }) => !mine.has(`${_id}/${fence}`));
      const dead = this.#watch.dead(others, { ticks: this.#clock.ticks(), now: this.#clock.now() });
      if (dead.length === 0) return;
      logger.warn({ runIds: dead.map(({ _id }) => _id) }, 'workers of these runs died: their runs are queued again');
      await executions.endLeases(dead, this.#clock.now());
      this.#wake();
    } catch (error) {
      logger.warn({ err: error }, 'leases of other workers could not be read: the next look retries');
    }
  }

  /** `runs`: the number of new runs in the queue; default: there may be any number. */
  #wake(runs?: number): void {
    this.#claims.heard(runs);
    // With free slots, a look for a guest would find none and cost a look at the queue.
    if (this.#inSlots().length >= this.#options.concurrency - 1) this.#guestLooks.add({});
    this.#goOn();
  }

  #goOn(): void {
    if (this.#stopped) return;
    this.#again = true;
    this.#pumping ??= this.#pump().finally(() => {
      this.#pumping = null;
      // A wake-up may arrive while the last look ends.
      if (this.#again) this.#goOn();
    });
  }

  /** Claims until there is no free slot or no due run, as far as was heard. Source: docs/decisions/0234. */
  async #pump(): Promise<void> {
    try {
      while (this.#again && !this.#stopped) {
        this.#again = false;
        this.#claims.lookAgain();
        while (!this.#stopped && this.#mayClaim()) {
          const leases = await this.#claims.next(this.#inSlots(), this.#clock.now());
          if (leases.length === 0) break;
          for (const lease of leases) await this.#receive(lease);
        }
        if (this.#guestsDue) await this.#claimGuest();
      }
    } catch (error) {
      this.#again = false;
      this.#parts.logger.error({ err: error }, 'run queue could not be read: the next sweep retries');
    }
  }

  #inSlots(): readonly Lease[] {
    return [...this.#inFlight.keys()].filter((lease) => lease !== this.#guest);
  }

  #mayClaim(): boolean {
    if (this.#inFlight.size === 0) this.#emptying = false;
    return !this.#alone && !this.#emptying && this.#inSlots().length < this.#options.concurrency;
  }

  /** With a regular look, and some wake-ups: a busy worker hears of many runs, and most are of organizations that it works for. */
  async #claimGuest(): Promise<void> {
    this.#guestsDue = false;
    if (this.#stopped || this.#alone || this.#emptying || this.#guest !== null) return;
    const lease = await this.#claims.guest(this.#inSlots(), this.#clock.now());
    if (lease === null) return;
    this.#guest = lease;
    await this.#receive(lease);
  }

  async #receive(lease: Lease): Promise<void> {
    if (lease.run.attempts > aloneAfter && this.#inFlight.size > 0) await this.#putOff(lease);
    else this.#take(lease);
  }

  /**
   * Performs a run alone when its workers died repeatedly, so that the next death is certainly caused by it. Until nothing else is in
   * flight here, the run goes back to the queue and the attempt is not counted.
   */
  async #putOff(lease: Lease): Promise<void> {
    this.#emptying = true;
    if (lease === this.#guest) this.#guest = null;
    await this.#parts.executions.release(lease, lease.run.createdAt);
  }

  #take(lease: Lease): void {
    const abort = new AbortController();
    const alone = lease.run.attempts > aloneAfter;
    if (alone) this.#alone = true;
    const done = this.#hold(lease, abort).finally(() => {
      this.#inFlight.delete(lease);
      if (lease === this.#guest) this.#guest = null;
      if (this.#inFlight.size === 0) this.#stopLooking();
      if (alone) this.#alone = false;
      // Later runs wake this worker.
      if (this.#claims.more) this.#goOn();
    });
    this.#inFlight.set(lease, { done, abort });
    this.#looker ??= setInterval(() => void this.#look(), lookMs);
  }

  #stopLooking(): void {
    if (this.#looker !== null) clearInterval(this.#looker);
    this.#looker = null;
  }

  /** Finds runs that lost their lease: canceled ones, and ones that another worker claimed. */
  async #look(): Promise<void> {
    try {
      const lost = new Set(await this.#parts.executions.lost([...this.#inFlight.keys()]));
      for (const lease of lost) this.#inFlight.get(lease)?.abort.abort(new LeaseLostError());
    } catch (error) {
      this.#parts.logger.warn({ err: error }, 'leases could not be checked: the next check retries');
    }
  }

  /** Performs a run as a part of the trace of what started it. Never rejects. */
  async #hold(lease: Lease, abort: AbortController): Promise<void> {
    const { tracer = noTracer } = this.#parts;
    const { run } = lease;
    const attributes = { ...runAttributes(run), 'inkgraph.run.attempt': run.attempts };
    const span = tracer.start({ name: 'run', kind: 'consumer', parent: run.trace ?? null, attributes });
    await tracer.within(span, () => this.#work(lease, abort, span));
  }

  /** Renews the lease meanwhile, and writes the end only if the lease still holds. Never rejects. */
  async #work(lease: Lease, abort: AbortController, span: Span): Promise<void> {
    const { executions } = this.#parts;
    const { leaseMs, lingerMs = usualLingerMs } = this.#options;
    const logger = this.#parts.logger.child({ runId: lease.run._id, executionId: lease.run.executionId });
    const beating = setInterval(() => {
      executions.beat(lease, this.#clock.now()).then(
        (mine) => {
          if (!mine) abort.abort(new LeaseLostError());
        },
        (error: unknown) => logger.warn({ err: error }, 'lease could not be renewed: the next heartbeat retries'),
      );
    }, leaseMs / 3);
    const noted = executions.noteClaim(lease, this.#clock.now(), lingerMs).catch((error: unknown) => {
      logger.warn({ err: error }, 'the document does not show that the run is running: it shows its end');
    });
    try {
      const performed = await this.#parts.perform(lease, abort.signal);
      if (performed.kind === 'ended') await this.#finish(lease, performed);
      else await this.#park(lease, performed.questions);
      const ended = performed.kind === 'ended' ? performed.end : null;
      span.set({ 'inkgraph.run.status': ended?.status ?? 'waiting' });
      span.end(ended?.error?.code);
    } catch (error) {
      const reason: unknown = abort.signal.aborted ? abort.signal.reason : error;
      await this.#giveBack(lease, reason, logger);
      span.set({ 'inkgraph.run.status': 'interrupted' });
      span.end(failureCode(reason));
    } finally {
      clearInterval(beating);
      await noted;
    }
  }

  async #giveBack(lease: Lease, error: unknown, logger: Logger): Promise<void> {
    if (error instanceof LeaseLostError) {
      logger.warn({}, 'lease lost: the run was canceled, or another worker took it over');
      this.#parts.lost(lease);
    } else if (error instanceof DrainingError) {
      await this.#parts.executions.release(lease, this.#clock.now()).catch((failure: unknown) => {
        logger.error(
          { err: failure },
          'run could not be returned to the queue: a worker claims it when its lease ends',
        );
      });
    } else {
      // The run did not cause this error: when the lease ends, a worker claims the run again.
      logger.error({ err: error }, 'run interrupted: a worker claims it when its lease ends');
    }
  }

  async #park(lease: Lease, questions: readonly OpenQuestion[]): Promise<void> {
    const now = new Date();
    if (!(await this.#parts.executions.wait(lease, questions, now))) throw new LeaseLostError();
    this.#announce([runWaiting(lease.run, questions, now)]);
  }

  async #finish(lease: Lease, { end, events, keepSteps }: Extract<Performed, { kind: 'ended' }>): Promise<void> {
    const now = new Date();
    // The run of an upload gets its version when a worker claims it.
    const version = end.receipt?.head.version ?? lease.run.version;
    const completed = runCompleted(lease.run, end.status, now, { ...end, version });
    const told = lease.run.experiment === undefined ? [...events, completed] : [];
    if (!(await this.#ends.finish({ lease, end, now }, told))) {
      await keepSteps();
      throw new LeaseLostError();
    }
    this.#parts.ended(lease, end.status);
  }

  #announce(events: readonly RealtimeEvent[]): void {
    if (events.length === 0) return;
    this.#announced.add(this.#parts.events.append(events, { lingerMs: 2 }), (failure) =>
      this.#parts.logger.warn({ err: failure }, 'realtime event of a run could not be published'),
    );
  }
}
