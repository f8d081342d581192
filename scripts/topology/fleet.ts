import { startService, type ServiceProcess } from '#scripts/chaos/service-process.ts';

/** A service of the topology. Its ports stay the same when it is started again. */
export interface Place {
  readonly name: string;
  readonly env: Readonly<Record<string, string>>;
}

/** Services on one machine, each a process that is started again when it is killed. */
export class Fleet implements AsyncDisposable {
  readonly #dataDir: string;
  readonly #common: Readonly<Record<string, string>>;
  readonly #running = new Map<string, Promise<ServiceProcess>>();
  readonly #places: readonly Place[];
  #kills = 0;

  constructor(dataDir: string, common: Readonly<Record<string, string>>, places: readonly Place[]) {
    this.#dataDir = dataDir;
    this.#common = common;
    this.#places = places;
  }

  get kills(): number {
    return this.#kills;
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

  #begin(place: Place): Promise<ServiceProcess> {
    const started = startService({ dataDir: this.#dataDir, env: { ...this.#common, ...place.env } });
    // Told by the next kill or by the end; it must not go unhandled until then.
    started.catch(() => undefined);
    this.#running.set(place.name, started);
    return started;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const ended = await Promise.allSettled(this.#running.values());
    await Promise.all(ended.flatMap((one) => (one.status === 'fulfilled' ? [one.value.kill()] : [])));
  }
}
