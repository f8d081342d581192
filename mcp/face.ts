import {
  createMcpHandler,
  isInputRequiredResult,
  isLegacyRequest,
  McpServer,
  ProtocolError,
  ProtocolErrorCode,
  WebStandardStreamableHTTPServerTransport,
  type CallToolResult,
  type ClientCapabilities,
  type InputRequiredResult,
  type McpHandlerRequestOptions,
  type McpHttpHandler,
  type ServerCapabilities,
  type ServerContext,
  type ServerOptions,
} from '@modelcontextprotocol/server';
import type { Scope } from '#src/contracts/scopes.ts';
import type { Logger } from '#src/domain/ports/logger.ts';
import { callerOf, type McpCaller } from '#mcp/caller.ts';
import type { McpCatalog } from '#mcp/catalog.ts';
import { EventMemory } from '#mcp/event-memory.ts';
import type { ToolDefinition } from '#mcp/present/definition.ts';
import { allows, helpsToAsk, isInView, isListed, outsideOfView } from '#mcp/surface.ts';
import { declaredBy, lacksTasks, requireTask, serveTasks } from '#mcp/tasks/serve.ts';
import { taskMethods, tasksExtension, type TaskMethod } from '#mcp/tasks/tasks.ts';
import { TaskStreams } from '#mcp/tasks/task-streams.ts';
import { createdTask, hasTasks } from '#mcp/tasks/wire.ts';
import type { Exchange, McpTool } from '#mcp/tool.ts';

export interface McpFaceOptions {
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

function capabilitiesOf({ capabilities, tasks }: McpCatalog): ServerCapabilities {
  if (tasks === undefined) return { tools: {}, ...capabilities };
  return { tools: {}, ...capabilities, extensions: { ...capabilities.extensions, [tasksExtension]: {} } };
}

/** When clients of sessions come back to a stream that broke off. */
const reconnectMs = 1_000;

const forMinutes = { ttlMs: 5 * 60_000, cacheScope: 'private' } as const;

/** What changes only with a release or with the caller's credential; other results are stale at once. */
const cacheHints: NonNullable<ServerOptions['cacheHints']> = {
  'server/discover': forMinutes,
  'tools/list': forMinutes,
  'prompts/list': forMinutes,
  'resources/templates/list': forMinutes,
};

/** Tells the SDK's check of `Mcp-Param-*` headers the input schemas, which are not in its own registry. */
class FaceServer extends McpServer {
  readonly #tools: ReadonlyMap<string, McpTool>;

  constructor(tools: ReadonlyMap<string, McpTool>, { catalog, version }: McpFaceOptions) {
    super(
      { name: 'inkgraph', title: 'Inkgraph', version },
      { instructions: catalog.instructions, capabilities: capabilitiesOf(catalog), cacheHints },
    );
    this.#tools = tools;
  }

  override toolInputSchemaJson(name: string): Record<string, unknown> | undefined {
    return this.#tools.get(name)?.definition.inputSchema;
  }
}

/**
 * The catalog as MCP servers, for any transport. The SDK's tool registry is not used: it would convert and validate every schema
 * again for each request, while the one door validates already.
 */
export class McpFace {
  readonly #options: McpFaceOptions;
  readonly #tools: ReadonlyMap<string, McpTool>;
  readonly #memory = new EventMemory();

  constructor(options: McpFaceOptions) {
    this.#options = options;
    this.#tools = new Map(options.catalog.tools.map((tool) => [tool.definition.name, tool]));
  }

  /** One server: for one modern request, or for one legacy session. The caller comes with each request. */
  newServer(): McpServer {
    const mcp = new FaceServer(this.#tools, this.#options);
    for (const part of this.#options.catalog.parts) part(mcp);
    const { tasks } = this.#options.catalog;
    if (tasks !== undefined) serveTasks(mcp, tasks, (caller, method) => this.#admitsTask(caller, method));
    mcp.server.setRequestHandler('tools/list', (_, ctx) => ({
      tools: this.#definitions(callerOf(ctx.http?.authInfo)),
    }));
    mcp.server.setRequestHandler('tools/call', ({ params }, ctx) =>
      // oxlint-disable-next-line typescript/no-deprecated -- the one place that knows the capabilities in both generations
      this.#call(params.name, params.arguments ?? {}, { sdk: ctx, declared: mcp.server.getClientCapabilities() }),
    );
    return mcp;
  }

  /** The stateless handler of modern requests, and of legacy ones where `legacy` says so. */
  newHandler(legacy: 'stateless' | 'reject'): McpHttpHandler {
    const { bus, listening } = this.#options.catalog;
    const handler = createMcpHandler(() => this.newServer(), {
      legacy,
      ...(bus !== undefined && { bus }),
      onerror: (error) => this.#options.logger.debug({ err: error }, 'an MCP request was refused'),
    });
    const fetch = listening?.over(handler.fetch) ?? handler.fetch;
    return this.#withTaskStreams({ ...handler, fetch });
  }

  /** A session for a legacy client. `started` hears its id when the handshake was accepted; `ended` when it is over, however. */
  async newSession(newId: () => string, events: { started(id: string): void; ended(): void }): Promise<McpSession> {
    const sent = this.#memory.forSession();
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

  /** The tool that a `tools/call` names, or a method of tasks stands for; null for other messages and unknown names. */
  calledTool(body: unknown): McpTool | null {
    const { method, params } = (body ?? {}) as { method?: unknown; params?: { name?: unknown } | null };
    const taskMethod = taskMethods.find((name) => name === method);
    if (taskMethod !== undefined) return this.#taskTool(taskMethod);
    if (method !== 'tools/call' || typeof params?.name !== 'string') return null;
    return this.#tools.get(params.name) ?? null;
  }

  /** The scope that a modern request lacks, and could get; null when it lacks none. */
  missingScope(caller: McpCaller, body: unknown): Scope | null {
    const scope = this.#scopeOf(caller, body);
    return scope === null || allows(caller, { scope }) || !helpsToAsk(caller, scope) ? null : scope;
  }

  #scopeOf(caller: McpCaller, body: unknown): Scope | null {
    const tool = this.calledTool(body);
    // What the connection does not offer is no reason to ask for more rights.
    if (tool !== null) return isInView(caller, tool) ? tool.scope : null;
    const { method, params } = (body ?? {}) as { method?: unknown; params?: Record<string, unknown> | null };
    return this.#options.catalog.scopeOf?.(method, params ?? {}) ?? null;
  }

  #definitions(caller: McpCaller): ToolDefinition[] {
    const listed = [...this.#tools.values()].filter((tool) => isListed(caller, tool));
    return listed.map(({ definition }) => definition);
  }

  async #call(
    name: string,
    input: Record<string, unknown>,
    { sdk, declared }: { sdk: ServerContext; declared: ClientCapabilities | undefined },
  ): Promise<CallToolResult | InputRequiredResult> {
    const caller = callerOf(sdk.http?.authInfo);
    const tool = this.#tools.get(name);
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
    const { tasks } = this.#options.catalog;
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
    const { tasks } = this.#options.catalog;
    if (tasks === undefined) return handler;
    const streams = new TaskStreams(tasks, (caller) => this.#admitsTask(caller, 'tasks/get'));
    const close = async (): Promise<void> => {
      streams.close();
      await handler.close();
    };
    return { ...handler, fetch: streams.over(handler.fetch), close };
  }

  /** null: the method is free for all, or the catalog does not show the tool. */
  #taskTool(method: TaskMethod): McpTool | null {
    const name = this.#options.catalog.tasks?.standsFor?.[method];
    return name === undefined ? null : (this.#tools.get(name) ?? null);
  }

  #admitsTask(caller: McpCaller, method: TaskMethod): boolean {
    const tool = this.#taskTool(method);
    return tool === null || isInView(caller, tool);
  }
}
