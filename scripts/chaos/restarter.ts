import { pauseService, type PauseOutcome } from '#scripts/chaos/pause.ts';
import { startService, type ServiceOptions, type ServiceProcess } from '#scripts/chaos/service-process.ts';
import type { Whereabouts } from '#scripts/chaos/stubborn-client.ts';

/** Services that a storm kills, and where clients find them. */
export interface Victim {
  /** Milliseconds from each kill until everything was up again. */
  readonly restarts: readonly number[];
  readonly whereabouts: Whereabouts;
  kill(): Promise<void>;
  /** Pauses the process that runs the database. */
  pause(seconds: number): Promise<PauseOutcome>;
}

/** One service that is killed and started again, and clients that find it wherever it listens. */
export class Restarter implements Victim, AsyncDisposable {
  readonly #options: ServiceOptions;
  #current: Promise<ServiceProcess>;
  #restarts: number[] = [];

  constructor(options: ServiceOptions) {
    this.#options = options;
    this.#current = startService(options);
  }

  /** Milliseconds from each kill until the service was up again. */
  get restarts(): readonly number[] {
    return this.#restarts;
  }

  readonly whereabouts: Whereabouts = async () => (await this.#current).addresses.api;

  service(): Promise<ServiceProcess> {
    return this.#current;
  }

  /** kill -9 now, then a new process on the same folder; settles when it is up. */
  async kill(): Promise<void> {
    const dying = await this.#current;
    const started = performance.now();
    this.#current = dying.kill().then(() => startService(this.#options));
    await this.#current;
    this.#restarts.push(Math.round(performance.now() - started));
  }

  async pause(seconds: number): Promise<PauseOutcome> {
    return pauseService(await this.#current, seconds);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await (await this.#current).kill();
  }
}
