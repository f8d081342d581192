import { constants, setPriority } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { startService, type ServiceProcess } from '#scripts/chaos/service-process.ts';

/** A service of the topology. Its ports stay the same when it is started again. */
export interface Place {
  readonly name: string;
  readonly env: Readonly<Record<string, string>>;
}

/** One stop with SIGTERM. */
export interface Stop {
  readonly name: string;
  readonly seconds: number;
  /** Exit code, or the name of the signal that ended it. */
  readonly end: number | string;
}

export interface FleetParts {
  readonly dataDir: string;
  readonly common: Readonly<Record<string, string>>;
  readonly places: readonly Place[];
  readonly requestsFirst: boolean;
  /** Folder of the program that all begin with; default: this repository. */
  readonly root?: string | undefined;
}

/** Time between two starts of a service that does not come up, as a platform would wait. */
const againMs = 500;
const mostStarts = 60;

/** Services on one machine, each a process that is started again when it is killed. */
export class Fleet implements AsyncDisposable {
  readonly #dataDir: string;
  readonly #common: Readonly<Record<string, string>>;
  readonly #running = new Map<string, Promise<ServiceProcess>>();
  readonly #places: readonly Place[];
  /** Folder of the program of each service. */
  readonly #roots: Map<string, string | undefined>;
  #kills = 0;
  #failedStarts = 0;
  /** True: where both want the processor, requests come before runs, as under the supervisor. */
  readonly #requestsFirst: boolean;
  #isOver = false;

  constructor({ dataDir, common, places, requestsFirst, root }: FleetParts) {
    this.#dataDir = dataDir;
    this.#common = common;
    this.#places = places;
    this.#requestsFirst = requestsFirst;
    this.#roots = new Map(places.map(({ name }) => [name, root]));
  }

  get kills(): number {
    return this.#kills;
  }

  /** Starts that ended before the service was up, as without S3. */
  get failedStarts(): number {
    return this.#failedStarts;
  }

  get places(): readonly Place[] {
    return this.#places;
  }

  /** Processes that are up. */
  async services(): Promise<readonly { readonly name: string; readonly pid: number }[]> {
    return Promise.all([...this.#running].map(async ([name, started]) => ({ name, pid: (await started).pid })));
  }

  /** Starts all, one after the other: the first one brings the database up to date. */
  async start(): Promise<void> {
    for (const place of this.#places) await this.#begin(place);
  }

  /** Kills a service with SIGKILL as soon as it is up, and starts it again without waiting. Returns its name. */
  async kill(index: number): Promise<string> {
    const place = this.#places[index % this.#places.length];
    if (place === undefined) throw new RangeError('there is no service');
    await (await this.#running.get(place.name))?.kill();
    this.#kills += 1;
    void this.#begin(place);
    return place.name;
  }

  /** Stops a service with SIGTERM, and starts it again, by the program in `root`. Resolves when it is up. */
  async restart(place: Place, root = this.#roots.get(place.name)): Promise<Stop> {
    const service = await this.#running.get(place.name);
    if (service === undefined) throw new RangeError('there is no such service');
    const begun = performance.now();
    service.signal('SIGTERM');
    const end = await service.ended;
    const seconds = (performance.now() - begun) / 1_000;
    this.#roots.set(place.name, root);
    await this.#begin(place);
    return { name: place.name, seconds, end };
  }

  #begin(place: Place): Promise<ServiceProcess> {
    const started = this.#untilUp(place);
    // Told by the next kill or by the end; it must not go unhandled until then.
    started.catch(() => undefined);
    this.#running.set(place.name, started);
    return started;
  }

  async #untilUp(place: Place): Promise<ServiceProcess> {
    const root = this.#roots.get(place.name);
    for (let tried = 1; ; tried += 1) {
      try {
        const service = await startService({
          dataDir: this.#dataDir,
          env: { ...this.#common, ...place.env },
          ...(root !== undefined && { root }),
        });
        if (this.#requestsFirst && place.env['SERVICES'] === 'agents')
          setPriority(service.pid, constants.priority.PRIORITY_BELOW_NORMAL);
        return service;
      } catch (error) {
        if (tried >= mostStarts || this.#isOver) throw error;
        this.#failedStarts += 1;
        await pause(againMs);
      }
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isOver = true;
    const ended = await Promise.allSettled(this.#running.values());
    await Promise.all(ended.flatMap((one) => (one.status === 'fulfilled' ? [one.value.kill()] : [])));
  }
}
