import type { JSONRPCMessage } from '@modelcontextprotocol/server';

type Id = string | number;

/** Requests of a client that have no answer yet. Subscriptions are left out: they are answered when they end. */
export class Unanswered {
  readonly #ids = new Set<Id>();
  #none = Promise.withResolvers<void>();

  received(message: JSONRPCMessage): void {
    if (!('method' in message)) return;
    if ('id' in message && message.method !== 'subscriptions/listen') this.#add(message.id);
    // Nobody answers a request that its client took back.
    if (message.method === 'notifications/cancelled') this.#forget(message.params?.['requestId']);
  }

  sent(message: JSONRPCMessage): void {
    if (!('method' in message)) this.#forget(message.id);
  }

  /** Resolves when every request has its answer, or after `ms`. */
  async settled(ms: number): Promise<void> {
    if (this.#ids.size === 0) return;
    const enough = Promise.withResolvers<void>();
    // Each caller has a timer of its own: one that is left behind keeps the process alive.
    const timer = setTimeout(enough.resolve, ms);
    await Promise.race([this.#none.promise, enough.promise]);
    clearTimeout(timer);
  }

  #add(id: Id): void {
    if (this.#ids.size === 0) this.#none = Promise.withResolvers();
    this.#ids.add(id);
  }

  #forget(id: unknown): void {
    if (this.#ids.delete(id as Id) && this.#ids.size === 0) this.#none.resolve();
  }
}
