import { AsyncLocalStorage } from 'node:async_hooks';
import type {
  McpHandlerRequestOptions,
  McpHttpHandler,
  ServerEvent,
  ServerEventBus,
} from '@modelcontextprotocol/server';
import type { Logger } from '#src/domain/ports/logger.ts';
import { callerOf, type McpCaller } from '#mcp/caller.ts';
import type { WatchTools } from '#mcp/tool.ts';
import { errorAnswer, protocolError } from '#mcp/present/protocol-error.ts';
import { asListen, type ListenRequest } from '#mcp/updates/listen-request.ts';
import { PipedListening } from '#mcp/updates/piped-listening.ts';
import type { Updates, Wanted } from '#mcp/updates/updates.ts';

interface Admitted {
  readonly caller: McpCaller;
  readonly uris: ReadonlyMap<string, string>;
  readonly lists: boolean;
  readonly tools: boolean;
}

/**
 * The event bus of the SDK's streams of updates. All callers share the bus, so each stream is bound to its caller: it receives only changes of
 * resources that the caller may read. Other resources are left out of the acknowledgement, like unknown ones.
 */
export class Listening {
  readonly #updates: Updates;
  readonly #logger: Logger;
  readonly #watchTools: WatchTools;
  readonly #opening = new AsyncLocalStorage<Admitted>();
  readonly bus: ServerEventBus = {
    // No event goes to all streams.
    publish: () => undefined,
    subscribe: (listener) => this.#subscribe(listener),
  };

  /** `watchTools` is that of the catalog's `callersTools`; absent: the tools do not change. */
  constructor(updates: Updates, logger: Logger, watchTools?: WatchTools) {
    this.#updates = updates;
    this.#watchTools = watchTools ?? (() => () => undefined);
    this.#logger = logger;
  }

  /** Wraps a handler so that streams are bound to their callers. */
  over(fetch: McpHttpHandler['fetch']): McpHttpHandler['fetch'] {
    return async (request, options) => {
      const listen = asListen(options?.parsedBody);
      return listen === null ? fetch(request, options) : this.#open(fetch, request, { ...options, listen });
    };
  }

  /** Creates the streams of one pipe. `notify` receives the changes that any of them requested. */
  piped(notify: Wanted['notify'], toolsChanged: () => void): PipedListening {
    return new PipedListening(this.#updates, { notify, toolsChanged, watchTools: this.#watchTools });
  }

  async #open(
    fetch: McpHttpHandler['fetch'],
    request: Request,
    { listen, ...options }: McpHandlerRequestOptions & { listen: ListenRequest },
  ): Promise<Response> {
    const caller = callerOf(options.authInfo);
    const { notifications, ...params } = listen.params;
    const { resourceSubscriptions = [], resourcesListChanged = false, toolsListChanged = false } = notifications;
    try {
      const uris = await this.#updates.admit(caller, resourceSubscriptions, request.signal);
      const filtered = { ...notifications, resourceSubscriptions: [...uris.keys()] };
      const parsedBody = { ...listen, params: { ...params, notifications: filtered } };
      const admitted = { caller, uris, lists: resourcesListChanged, tools: toolsListChanged };
      return await this.#opening.run(admitted, () => fetch(request, { ...options, parsedBody }));
    } catch (error) {
      return errorAnswer(listen.id, protocolError(error, { requestId: caller.requestId, logger: this.#logger }));
    }
  }

  #subscribe(listener: (event: ServerEvent) => void): () => void {
    const admitted = this.#opening.getStore();
    // Without a caller, the stream receives nothing.
    if (admitted === undefined) return () => undefined;
    const { caller, uris, lists, tools } = admitted;
    const stops = [
      tools ? this.#watchTools(caller, () => listener({ kind: 'tools_list_changed' })) : null,
      uris.size > 0 || lists || !tools
        ? this.#updates.watch({
            ...admitted,
            notify: (uri) =>
              listener(uri === null ? { kind: 'resources_list_changed' } : { kind: 'resource_updated', uri }),
          })
        : null,
    ];
    return () => {
      for (const stop of stops) stop?.();
    };
  }
}
