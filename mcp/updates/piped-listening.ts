import type { JSONRPCMessage } from '@modelcontextprotocol/server';
import type { McpCaller } from '#mcp/caller.ts';
import type { WatchTools } from '#mcp/tool.ts';
import { asListen } from '#mcp/updates/listen-request.ts';
import type { Updates, Wanted } from '#mcp/updates/updates.ts';

interface Stream extends Pick<Wanted, 'uris' | 'lists'> {
  readonly tools: boolean;
}

/** Receivers of changes, and the watch of the tools. */
interface Told {
  readonly notify: Wanted['notify'];
  readonly toolsChanged: () => void;
  readonly watchTools: WatchTools;
}

/**
 * Streams of updates over one pipe. The SDK filters the connection's updates for each stream, so the connection receives the updates of all
 * its streams that the caller may read. Other resources are left out of the acknowledgement, as over HTTP.
 */
export class PipedListening {
  readonly #updates: Updates;
  readonly #told: Told;
  /** Open streams by the id of their request. */
  readonly #open = new Map<unknown, Stream>();
  readonly #closing = new AbortController();
  #caller: McpCaller | null = null;
  #stops: readonly (() => void)[] = [];

  constructor(updates: Updates, told: Told) {
    this.#updates = updates;
    this.#told = told;
  }

  /** Rewrites a message from the client for the SDK. Protocol error: too many URIs. */
  async incoming(caller: McpCaller, message: JSONRPCMessage): Promise<JSONRPCMessage> {
    if ('method' in message && message.method === 'notifications/cancelled') this.#end(message.params?.['requestId']);
    const listen = asListen(message);
    if (listen === null) return message;
    const { notifications, ...params } = listen.params;
    const { resourceSubscriptions = [], resourcesListChanged = false, toolsListChanged = false } = notifications;
    const uris = await this.#updates.admit(caller, resourceSubscriptions, this.#closing.signal);
    // Order matters: changes after the acknowledgement must be sent.
    this.#open.set(listen.id, { uris, lists: resourcesListChanged, tools: toolsListChanged });
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
    for (const stop of this.#stops) stop();
    this.#stops = [];
  }

  #end(id: unknown): void {
    if (this.#open.delete(id) && this.#caller !== null) this.#watch(this.#caller);
  }

  #watch(caller: McpCaller): void {
    if (this.#closing.signal.aborted) return;
    const before = this.#stops;
    this.#caller = caller;
    const open = [...this.#open.values()];
    const uris = new Map(open.flatMap((stream) => [...stream.uris]));
    const lists = open.some((stream) => stream.lists);
    const { notify, toolsChanged, watchTools } = this.#told;
    this.#stops = [
      ...(uris.size > 0 || lists ? [this.#updates.watch({ caller, uris, lists, notify })] : []),
      ...(open.some(({ tools }) => tools) ? [watchTools(caller, toolsChanged)] : []),
    ];
    // Order matters: the new watch keeps the organization's updates running.
    for (const stop of before) stop();
  }
}
