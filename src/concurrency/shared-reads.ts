interface Flight<Value> {
  current: Promise<Value>;
  next: Promise<Value> | null;
}

/**
 * One read at a time of the same thing: whoever asks while it is in flight shares the next one. Each begins after it was asked for, so
 * that nothing is older than a read of one's own would be. What is shared must not be changed.
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
