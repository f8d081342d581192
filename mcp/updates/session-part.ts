import { ProtocolError, ProtocolErrorCode, type McpServer, type ServerContext } from '@modelcontextprotocol/server';
import type { ToolDeps } from '#tools/deps.ts';
import { callerOf, type McpCaller } from '#mcp/caller.ts';
import type { McpPart } from '#mcp/catalog.ts';
import { noSuchResource, protocolError } from '#mcp/present/protocol-error.ts';
import type { Updates } from '#mcp/updates/updates.ts';

interface About {
  readonly params: { readonly uri: string };
}

/** Subscriptions of one session of an older client. Newer clients open streams instead. */
class SessionSubscriptions {
  readonly #server: McpServer['server'];
  readonly #updates: Updates;
  readonly #deps: ToolDeps;
  #uris: ReadonlyMap<string, string> = new Map();
  #stop: (() => void) | null = null;
  #closed = false;

  constructor(server: McpServer['server'], updates: Updates, deps: ToolDeps) {
    this.#server = server;
    this.#updates = updates;
    this.#deps = deps;
    const { onclose } = server;
    // oxlint-disable-next-line unicorn/prefer-add-event-listener -- servers of the SDK have this form only
    server.onclose = () => {
      onclose?.();
      this.#closed = true;
      this.#stop?.();
      this.#stop = null;
    };
  }

  async add(caller: McpCaller, uri: string, signal: AbortSignal): Promise<void> {
    const admitted = await this.#updates.admit(caller, [uri], signal);
    if (admitted.size === 0) throw noSuchResource(uri);
    const uris = new Map([...this.#uris, ...admitted]);
    this.#updates.requireRoom(uris.size);
    this.#watch(caller, uris);
  }

  delete(caller: McpCaller, uri: string): void {
    if (!this.#uris.has(uri)) return;
    this.#watch(caller, new Map([...this.#uris].filter(([one]) => one !== uri)));
  }

  #watch(caller: McpCaller, uris: ReadonlyMap<string, string>): void {
    if (this.#closed) return;
    const stop = this.#stop;
    this.#uris = uris;
    this.#stop =
      uris.size === 0 ? null : this.#updates.watch({ caller, uris, lists: true, notify: (uri) => this.#notify(uri) });
    // Order matters: the new watch keeps the organization's updates running.
    stop?.();
  }

  #notify(uri: string | null): void {
    const sent = uri === null ? this.#server.sendResourceListChanged() : this.#server.sendResourceUpdated({ uri });
    sent.catch((error: unknown) => {
      this.#deps.logger.debug({ err: error }, 'an update did not reach its session');
    });
  }
}

/** Refuses a request without a session, which has no stream for updates. */
function requireSession({ sessionId, http }: ServerContext): void {
  if (sessionId === undefined && http?.req !== undefined)
    throw new ProtocolError(ProtocolErrorCode.InvalidRequest, 'Subscriptions need a session. Initialize one first.');
}

/** `resources/subscribe` and `unsubscribe` of clients of 2025-11-25 and older. */
export function sessionPart(deps: ToolDeps, updates: Updates): McpPart {
  return ({ server }) => {
    let own: SessionSubscriptions | null = null;
    server.setRequestHandler('resources/subscribe', async ({ params: { uri } }: About, ctx: ServerContext) => {
      const caller = callerOf(ctx.http?.authInfo);
      requireSession(ctx);
      own ??= new SessionSubscriptions(server, updates, deps);
      try {
        await own.add(caller, uri, ctx.mcpReq.signal);
      } catch (error) {
        throw protocolError(error, { requestId: caller.requestId, logger: deps.logger }, uri);
      }
      return {};
    });
    server.setRequestHandler('resources/unsubscribe', ({ params: { uri } }: About, ctx: ServerContext) => {
      own?.delete(callerOf(ctx.http?.authInfo), uri);
      return {};
    });
  };
}
