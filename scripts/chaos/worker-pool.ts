import { z } from 'zod';
import { startService, type ServiceOptions, type ServiceProcess } from '#scripts/chaos/service-process.ts';

const Owner = z.object({ owner: z.string() });

/** Workers on one database, each killed and started again on its own. */
export class WorkerPool implements AsyncDisposable {
  readonly #options: ServiceOptions;
  readonly #workers: Promise<ServiceProcess>[];

  constructor(options: ServiceOptions, count: number) {
    this.#options = options;
    this.#workers = Array.from({ length: count }, () => this.#start());
  }

  /** Settles when all are up. */
  async up(): Promise<void> {
    await Promise.all(this.#workers);
  }

  /** Kills a worker with SIGKILL as soon as it is up, and starts a new one without waiting. Calls `now` with the killed worker. */
  async kill(index: number, now: (owner: string) => Promise<void>): Promise<void> {
    const dying = await this.#workers[index];
    if (dying === undefined) throw new RangeError(`there is no worker ${index}`);
    const { owner } = Owner.parse(JSON.parse(await dying.said('"worker takes runs"')));
    await now(owner);
    await dying.kill();
    this.#workers[index] = this.#start();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const ended = await Promise.allSettled(this.#workers);
    await Promise.all(ended.flatMap((one) => (one.status === 'fulfilled' ? [one.value.kill()] : [])));
  }

  #start(): Promise<ServiceProcess> {
    const started = startService(this.#options);
    // Told by whoever waits for it next; it must not go unhandled until then.
    started.catch(() => undefined);
    return started;
  }
}
