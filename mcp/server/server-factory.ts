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
  close(): Promise<void>;
}

/** Delay after which clients reconnect to a broken stream. */
const reconnectMs = 1_000;

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

  /** Creates a session for a legacy client. `started` receives its id after the handshake; `ended` is called when it is over. */
  async newSession(newId: () => string, events: { started(id: string): void; ended(): void }): Promise<McpSession> {
    const sent = this.#eventStores.forSession();
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: newId,
      eventStore: sent,
      retryInterval: reconnectMs,
      onsessioninitialized: (id) => events.started(id),
    });
    const server = this.newServer();
    await server.connect(transport);
    const closed = transport.onclose;
    // oxlint-disable-next-line unicorn/prefer-add-event-listener -- transports of the SDK have this form only
    transport.onclose = () => {
      closed?.();
      sent.forget();
      events.ended();
    };
    return { handle: (request, options) => transport.handleRequest(request, options), close: () => server.close() };
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
