interface Flight<Value> {
  current: Promise<Value>;
  next: Promise<Value> | null;
}

/**
 * Shares reads of the same key. One read is in flight; callers that arrive meanwhile share the next one. A read begins after it was
 * requested, so a result is never older than that of a read of one's own. Callers must not change the shared result.
 */
export class SharedReads<Value> {
  readonly #load: (key: string) => Promise<Value>;
  readonly #flights = new Map<string, Flight<Value>>();

  constructor(load: (key: string) => Promise<Value>) {
    this.#load = load;
  }

  get(key: string): Promise<Value> {
    const flight = this.#flights.get(key);
    if (flight === undefined) return this.#fly(key);
    flight.next ??= flight.current.then(
      () => this.#fly(key),
      () => this.#fly(key),
    );
    return flight.next;
  }

  #fly(key: string): Promise<Value> {
    const flight: Flight<Value> = { current: this.#load(key), next: null };
    this.#flights.set(key, flight);
    const land = (): void => {
      if (flight.next === null) this.#flights.delete(key);
    };
    flight.current.then(land, land);
    return flight.current;
  }
}
