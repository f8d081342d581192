import { randomInt } from 'node:crypto';
import {
  createMcpHandler,
  isInputRequiredResult,
  isLegacyRequest,
  ProtocolError,
  ProtocolErrorCode,
  WebStandardStreamableHTTPServerTransport,
  type CallToolResult,
  type ClientCapabilities,
  type InputRequiredResult,
  type McpHandlerRequestOptions,
  type McpHttpHandler,
  McpServer,
  type ServerContext,
  type ServerCapabilities,
  type ServerOptions,
} from '@modelcontextprotocol/server';
import type { Logger } from '#src/domain/ports/logger.ts';
import { noTracer } from '#src/domain/traces/no-tracer.ts';
import type { Tracer } from '#src/domain/ports/tracer.ts';
import { tracedCall } from '#mcp/server/traced-call.ts';
import { callerOf, type McpCaller } from '#mcp/caller.ts';
import { protocolError } from '#mcp/present/protocol-error.ts';
import { sessionTools } from '#mcp/updates/session-tools.ts';
import type { McpCatalog } from '#mcp/catalog.ts';
import { ToolRegistry } from '#mcp/tool-registry.ts';
import { SessionEventStores } from '#mcp/server/event-store.ts';
import { moveRequests } from '#mcp/server/moved-requests.ts';
import { isInView, outsideOfView } from '#mcp/rights.ts';
import { declaredBy, lacksTasks, withProtocolErrors, requireTask, serveTasks } from '#mcp/tasks/serve.ts';
import { type Tasks, tasksExtension, createdTask, hasTasks } from '#mcp/tasks/tasks.ts';
import { TaskStreams } from '#mcp/tasks/task-streams.ts';
import type { Exchange, McpTool } from '#mcp/tool.ts';

function capabilitiesOf({ capabilities, tasks, callersTools }: McpCatalog): ServerCapabilities {
  const tools = callersTools === undefined ? {} : { listChanged: true };
  if (tasks === undefined) return { tools, ...capabilities };
  return { tools, ...capabilities, extensions: { ...capabilities.extensions, [tasksExtension]: {} } };
}

const forMinutes = { ttlMs: 5 * 60_000, cacheScope: 'private' } as const;

/** Results that change only with a release or with the caller's credential. Other results are stale at once. */
const cacheHints: NonNullable<ServerOptions['cacheHints']> = {
  'server/discover': forMinutes,
  // A client without a stream learns of new tools of workflows after this time.
  'tools/list': { ttlMs: 60_000, cacheScope: 'private' },
  'prompts/list': forMinutes,
  'resources/templates/list': forMinutes,
};

/** Gives the SDK's check of `Mcp-Param-*` headers the input schemas, which its own registry does not have. */
class CatalogServer extends McpServer {
  readonly #registry: ToolRegistry;

  constructor(registry: ToolRegistry, catalog: McpCatalog, version: string) {
    super(
      { name: 'inkgraph', title: 'Inkgraph', version },
      { instructions: catalog.instructions, capabilities: capabilitiesOf(catalog), cacheHints },
    );
    this.#registry = registry;
  }

  override toolInputSchemaJson(name: string): Record<string, unknown> | undefined {
    return this.#registry.tool(name)?.definition.inputSchema;
  }
}

export interface McpServerFactoryOptions {
  readonly catalog: McpCatalog;
  readonly logger: Logger;
  readonly version: string;
  /** Default: nothing is traced. */
  readonly tracer?: Tracer | undefined;
}

export type McpRequestOptions = McpHandlerRequestOptions;

/** One legacy client's session. */
export interface McpSession {
  handle(request: Request, options: McpRequestOptions): Promise<Response>;
  /** Tells the client that its list of tools and these resources may have changed. Its stream must be open. */
  tellChanges(uris: readonly string[]): void;
  close(): Promise<void>;
}

/** Beginning of a legacy client's session. */
export interface SessionStart {
  readonly id: string;
  /** The session began in another process. */
  readonly isAgain: boolean;
  /** Called when the handshake was accepted. */
  readonly started: () => void;
  readonly ended: () => void;
}

/** Delay after which clients reconnect to a broken stream. Most try twice, and a service that was killed is up again after some seconds. */
const reconnectMs = 4_000;

/** Range of what is added to request ids, so that they differ from those of other processes and fit into 32 bits. */
const movedBy = [2 ** 16, 2 ** 31 - 2 ** 16] as const;

/** Response to a client that waits for the rest of an answer of another process. */
function lostStream(): Response {
  const message = 'The stream of this Last-Event-ID ended with its process. Send the request again.';
  return Response.json({ jsonrpc: '2.0', error: { code: -32_000, message }, id: null }, { status: 400 });
}

/**
 * Creates MCP servers from a catalog, for any transport. The SDK's tool registry is not used: it would convert and validate every schema
 * for each request, and `callTool` validates already.
 */
export class McpServerFactory {
  readonly registry: ToolRegistry;
  readonly #options: McpServerFactoryOptions;
  readonly #tasks: Tasks | undefined;
  readonly #eventStores = new SessionEventStores();

  constructor(options: McpServerFactoryOptions) {
    const { catalog, logger } = options;
    this.#options = options;
    this.#tasks = catalog.tasks && withProtocolErrors(catalog.tasks, logger);
    this.registry = new ToolRegistry(catalog);
  }

  /**
   * Creates a server for one modern request, whose `method` is known, or for one legacy session. The caller comes with each request.
   * Tool calls skip the registration of resources, prompts and tasks.
   */
  newServer(method: string | null = null): McpServer {
    const { catalog, version } = this.#options;
    const mcp = new CatalogServer(this.registry, catalog, version);
    const tasks = this.#tasks;
    const isAboutTools = method === 'tools/call' || method === 'tools/list';
    if (!isAboutTools) for (const part of catalog.parts) part(mcp);
    if (tasks !== undefined && !isAboutTools)
      serveTasks(mcp, tasks, (caller, asked, taskId) => this.registry.admitsTask(caller, asked, taskId));
    const sessions = sessionTools(mcp, this.#options);
    mcp.server.setRequestHandler('tools/list', async (_, ctx) => {
      const caller = callerOf(ctx.http?.authInfo);
      // Order matters: a change after the list must be told.
      sessions(caller, ctx);
      return { tools: await this.#withProtocolErrors(caller, () => this.registry.listedFor(caller)) };
    });
    mcp.server.setRequestHandler('tools/call', ({ params }, ctx) =>
      this.#call(params.name, params.arguments ?? {}, {
        sdk: ctx,
        // oxlint-disable-next-line typescript/no-deprecated -- the only source for older clients
        declared: declaredBy(ctx) ?? mcp.server.getClientCapabilities(),
      }),
    );
    return mcp;
  }

  /** Creates the stateless handler of modern requests, and of legacy ones with `legacy: 'stateless'`. */
  newHandler(legacy: 'stateless' | 'reject'): McpHttpHandler {
    const { bus, listening } = this.#options.catalog;
    // The SDK refuses a request whose header does not match its method.
    const methodOf = (request: Request | undefined): string | null => request?.headers.get('mcp-method') ?? null;
    const handler = createMcpHandler(
      ({ era, requestInfo }) => this.newServer(era === 'modern' ? methodOf(requestInfo) : null),
      {
        legacy,
        ...(bus !== undefined && { bus }),
        onerror: (error) => this.#options.logger.debug({ err: error }, 'an MCP request was refused'),
      },
    );
    const fetch = listening?.over(handler.fetch) ?? handler.fetch;
    return this.#withTaskStreams({ ...handler, fetch });
  }

  /** Creates a session for a legacy client. */
  async newSession({ id, isAgain, started, ended }: SessionStart): Promise<McpSession> {
    const sent = this.#eventStores.forSession(isAgain ? Date.now() : 0);
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => id,
      eventStore: sent,
      retryInterval: reconnectMs,
      onsessioninitialized: started,
    });
    const server = this.newServer();
    await server.connect(transport);
    if (isAgain) moveRequests(transport, randomInt(...movedBy));
    const closed = transport.onclose;
    // oxlint-disable-next-line unicorn/prefer-add-event-listener -- transports of the SDK have this form only
    transport.onclose = () => {
      closed?.();
      sent.forget();
      ended();
    };
    const tell = (told: Promise<void>): void =>
      void told.catch((error: unknown) => {
        this.#options.logger.debug({ err: error }, 'a change did not reach its session');
      });
    return {
      handle: async (request, options) =>
        sent.isLost(request.headers.get('last-event-id')) ? lostStream() : transport.handleRequest(request, options),
      tellChanges: (uris) => {
        if (this.#options.catalog.callersTools !== undefined) tell(server.server.sendToolListChanged());
        for (const uri of uris) tell(server.server.sendResourceUpdated({ uri }));
      },
      close: () => server.close(),
    };
  }

  /** True for a request of a client of 2025-11-25 or older. `body` is the parsed JSON of a POST. */
  isLegacy(request: Request, body: unknown): Promise<boolean> {
    return isLegacyRequest(request, body);
  }

  async #call(
    name: string,
    input: Record<string, unknown>,
    { sdk, declared }: { sdk: ServerContext; declared: ClientCapabilities | undefined },
  ): Promise<CallToolResult | InputRequiredResult> {
    const caller = callerOf(sdk.http?.authInfo);
    const tool = await this.#withProtocolErrors(caller, () => this.registry.find(caller, name));
    if (tool === undefined) throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'Unknown tool. Call tools/list.');
    if (!isInView(caller, tool)) throw new ProtocolError(ProtocolErrorCode.InvalidParams, outsideOfView(caller, tool));
    const exchange = { caller, sdk, capabilities: declared ?? {} };
    // Spans have names of the service only.
    const isOwn = this.registry.tool(name) !== undefined;
    const traced = { name: isOwn ? name : 'workflow_tool', exchange };
    return tracedCall(this.#options.tracer ?? noTracer, traced, (withSpan) => this.#answer(tool, input, withSpan));
  }

  async #withProtocolErrors<T>({ requestId }: McpCaller, ask: () => Promise<T>): Promise<T> {
    try {
      return await ask();
    } catch (error) {
      throw protocolError(error, { requestId, logger: this.#options.logger });
    }
  }

  /** Returns the tool's result, or the task that continues after it if the client supports tasks. */
  async #answer(
    tool: McpTool,
    input: Record<string, unknown>,
    exchange: Exchange,
  ): Promise<CallToolResult | InputRequiredResult> {
    const { caller, sdk } = exchange;
    const tasks = this.#tasks;
    const capabilities = declaredBy(sdk);
    const knowsTasks = hasTasks(capabilities ?? undefined);
    if (tool.needsTask === true && !knowsTasks) throw lacksTasks();
    const result = await tool.call(input, exchange);
    if (capabilities === null || !knowsTasks || tasks === undefined || isInputRequiredResult(result)) return result;
    const taskId = tool.taskOf?.(result) ?? null;
    if (taskId === null) return result;
    return createdTask(await requireTask(tasks, taskId, { caller, capabilities, signal: sdk.mcpReq.signal }));
  }

  #withTaskStreams(handler: McpHttpHandler): McpHttpHandler {
    const tasks = this.#tasks;
    if (tasks === undefined) return handler;
    const streams = new TaskStreams(tasks, (caller, id) => this.registry.admitsTask(caller, 'tasks/get', id));
    const close = async (): Promise<void> => {
      streams.close();
      await handler.close();
    };
    return { ...handler, fetch: streams.over(handler.fetch), close };
  }
}
