import type { JSONRPCMessage } from '@modelcontextprotocol/server';
import type { McpCaller } from '#mcp/caller.ts';
import { asListen } from '#mcp/updates/listen-request.ts';
import type { Updates, Wanted } from '#mcp/updates/updates.ts';

/**
 * Streams of updates over one pipe. The SDK filters the connection's updates for each stream, so the connection receives the updates of all
 * its streams that the caller may read. Other resources are left out of the acknowledgement, as over HTTP.
 */
export class PipedListening {
  readonly #updates: Updates;
  readonly #notify: Wanted['notify'];
  /** Open streams by the id of their request. */
  readonly #open = new Map<unknown, Pick<Wanted, 'uris' | 'lists'>>();
  readonly #closing = new AbortController();
  #caller: McpCaller | null = null;
  #stop: (() => void) | null = null;

  constructor(updates: Updates, notify: Wanted['notify']) {
    this.#updates = updates;
    this.#notify = notify;
  }

  /** Rewrites a message from the client for the SDK. Protocol error: too many URIs. */
  async incoming(caller: McpCaller, message: JSONRPCMessage): Promise<JSONRPCMessage> {
    if ('method' in message && message.method === 'notifications/cancelled') this.#end(message.params?.['requestId']);
    const listen = asListen(message);
    if (listen === null) return message;
    const { notifications, ...params } = listen.params;
    const { resourceSubscriptions = [], resourcesListChanged = false } = notifications;
    const uris = await this.#updates.admit(caller, resourceSubscriptions, this.#closing.signal);
    // Order matters: changes after the acknowledgement must be sent.
    this.#open.set(listen.id, { uris, lists: resourcesListChanged });
    this.#watch(caller);
    const filtered = { ...notifications, resourceSubscriptions: [...uris.keys()] };
    return { ...message, params: { ...params, notifications: filtered } };
  }

  /** Ends a stream with the response to its request. */
  outgoing(message: JSONRPCMessage): void {
    if ('id' in message && !('method' in message)) this.#end(message.id);
  }

  close(): void {
    this.#closing.abort();
    this.#open.clear();
    this.#stop?.();
    this.#stop = null;
  }

  #end(id: unknown): void {
    if (this.#open.delete(id) && this.#caller !== null) this.#watch(this.#caller);
  }

  #watch(caller: McpCaller): void {
    if (this.#closing.signal.aborted) return;
    const stop = this.#stop;
    this.#caller = caller;
    const open = [...this.#open.values()];
    const uris = new Map(open.flatMap((stream) => [...stream.uris]));
    const lists = open.some((stream) => stream.lists);
    const isNeeded = uris.size > 0 || lists;
    this.#stop = isNeeded ? this.#updates.watch({ caller, uris, lists, notify: this.#notify }) : null;
    // Order matters: the new watch keeps the organization's updates running.
    stop?.();
  }
}
