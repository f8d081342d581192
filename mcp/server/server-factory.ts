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
import { callerOf } from '#mcp/caller.ts';
import type { McpCatalog } from '#mcp/catalog.ts';
import { ToolRegistry } from '#mcp/tool-registry.ts';
import { SessionEventStores } from '#mcp/server/event-store.ts';
import { isInView, outsideOfView } from '#mcp/rights.ts';
import { declaredBy, lacksTasks, withProtocolErrors, requireTask, serveTasks } from '#mcp/tasks/serve.ts';
import { type Tasks, tasksExtension, createdTask, hasTasks } from '#mcp/tasks/tasks.ts';
import { TaskStreams } from '#mcp/tasks/task-streams.ts';
import type { Exchange, McpTool } from '#mcp/tool.ts';

function capabilitiesOf({ capabilities, tasks }: McpCatalog): ServerCapabilities {
  if (tasks === undefined) return { tools: {}, ...capabilities };
  return { tools: {}, ...capabilities, extensions: { ...capabilities.extensions, [tasksExtension]: {} } };
}

const forMinutes = { ttlMs: 5 * 60_000, cacheScope: 'private' } as const;

/** What changes only with a release or with the caller's credential; other results are stale at once. */
const cacheHints: NonNullable<ServerOptions['cacheHints']> = {
  'server/discover': forMinutes,
  'tools/list': forMinutes,
  'prompts/list': forMinutes,
  'resources/templates/list': forMinutes,
};

/** Tells the SDK's check of `Mcp-Param-*` headers the input schemas, which are not in its own registry. */
export class CatalogServer extends McpServer {
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
}

export type McpRequestOptions = McpHandlerRequestOptions;

/** One legacy client's session. */
export interface McpSession {
  handle(request: Request, options: McpRequestOptions): Promise<Response>;
  close(): Promise<void>;
}

/** When clients of sessions come back to a stream that broke off. */
const reconnectMs = 1_000;

/**
 * The catalog as MCP servers, for any transport. The SDK's tool registry is not used: it would convert and validate every schema
 * again for each request, while the one door validates already.
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
   * One server: for one modern request, whose `method` is known, or for one legacy session. The caller comes with each request. What
   * calls of tools have no use for is not registered for them.
   */
  newServer(method: string | null = null): McpServer {
    const { catalog, version } = this.#options;
    const mcp = new CatalogServer(this.registry, catalog, version);
    const tasks = this.#tasks;
    const isAboutTools = method === 'tools/call' || method === 'tools/list';
    if (!isAboutTools) for (const part of catalog.parts) part(mcp);
    if (tasks !== undefined && !isAboutTools)
      serveTasks(mcp, tasks, (caller, asked) => this.registry.admitsTask(caller, asked));
    mcp.server.setRequestHandler('tools/list', (_, ctx) => ({
      tools: this.registry.listedFor(callerOf(ctx.http?.authInfo)),
    }));
    mcp.server.setRequestHandler('tools/call', ({ params }, ctx) =>
      this.#call(params.name, params.arguments ?? {}, {
        sdk: ctx,
        // oxlint-disable-next-line typescript/no-deprecated -- of older clients; over a pipe it knows nothing of newer ones
        declared: declaredBy(ctx) ?? mcp.server.getClientCapabilities(),
      }),
    );
    return mcp;
  }

  /** The stateless handler of modern requests, and of legacy ones where `legacy` says so. */
  newHandler(legacy: 'stateless' | 'reject'): McpHttpHandler {
    const { bus, listening } = this.#options.catalog;
    // The SDK refuses requests whose header does not name their method.
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

  /** A session for a legacy client. `started` hears its id when the handshake was accepted; `ended` when it is over, however. */
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

  /** Whether a request comes from a client of 2025-11-25 or older; `body` is the parsed JSON of a POST. */
  isLegacy(request: Request, body: unknown): Promise<boolean> {
    return isLegacyRequest(request, body);
  }

  async #call(
    name: string,
    input: Record<string, unknown>,
    { sdk, declared }: { sdk: ServerContext; declared: ClientCapabilities | undefined },
  ): Promise<CallToolResult | InputRequiredResult> {
    const caller = callerOf(sdk.http?.authInfo);
    const tool = this.registry.tool(name);
    if (tool === undefined)
      throw new ProtocolError(
        ProtocolErrorCode.InvalidParams,
        'There is no tool of this name: tools/list has them all.',
      );
    if (!isInView(caller, tool)) throw new ProtocolError(ProtocolErrorCode.InvalidParams, outsideOfView(caller, tool));
    return this.#answer(tool, input, { caller, sdk, capabilities: declared ?? {} });
  }

  /** The tool's result, or the task that goes on behind it where the client knows tasks. */
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
    const streams = new TaskStreams(tasks, (caller) => this.registry.admitsTask(caller, 'tasks/get'));
    const close = async (): Promise<void> => {
      streams.close();
      await handler.close();
    };
    return { ...handler, fetch: streams.over(handler.fetch), close };
  }
}
