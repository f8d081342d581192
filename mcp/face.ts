import {
  createMcpHandler,
  isLegacyRequest,
  McpServer,
  ProtocolError,
  ProtocolErrorCode,
  WebStandardStreamableHTTPServerTransport,
  type AuthInfo,
  type CallToolResult,
  type ClientCapabilities,
  type InputRequiredResult,
  type McpHandlerRequestOptions,
  type McpHttpHandler,
  type ServerContext,
} from '@modelcontextprotocol/server';
import type { Logger } from '#src/domain/ports/logger.ts';
import { callerOf, type McpCaller } from '#mcp/caller.ts';
import type { McpCatalog } from '#mcp/catalog.ts';
import type { ToolDefinition } from '#mcp/present/definition.ts';
import { allows, isInView, isListed } from '#mcp/surface.ts';
import type { McpTool } from '#mcp/tool.ts';

export interface McpFaceOptions {
  readonly catalog: McpCatalog;
  readonly logger: Logger;
  readonly version: string;
  /** Who calls, where no facade in front says so with each request: the one user of a stdio connection. */
  readonly caller?: () => McpCaller;
}

export type McpRequestOptions = McpHandlerRequestOptions;

/** One legacy client's session. */
export interface McpSession {
  handle(request: Request, options: McpRequestOptions): Promise<Response>;
  close(): Promise<void>;
}

/** Tells the SDK's check of `Mcp-Param-*` headers the input schemas, which are not in its own registry. */
class FaceServer extends McpServer {
  readonly #tools: ReadonlyMap<string, McpTool>;

  constructor(tools: ReadonlyMap<string, McpTool>, { catalog, version }: McpFaceOptions) {
    super(
      { name: 'inkgraph', title: 'Inkgraph', version },
      { instructions: catalog.instructions, capabilities: { ...catalog.capabilities, tools: {} } },
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

  constructor(options: McpFaceOptions) {
    this.#options = options;
    this.#tools = new Map(options.catalog.tools.map((tool) => [tool.definition.name, tool]));
  }

  /** One server: for one modern request, or for one legacy session. The caller comes with each request. */
  newServer(): McpServer {
    const mcp = new FaceServer(this.#tools, this.#options);
    for (const part of this.#options.catalog.parts) part(mcp);
    mcp.server.setRequestHandler('tools/list', (_, ctx) => ({
      tools: this.#definitions(this.#callerOf(ctx.http?.authInfo)),
    }));
    mcp.server.setRequestHandler('tools/call', ({ params }, ctx) =>
      // oxlint-disable-next-line typescript/no-deprecated -- the one place that knows the capabilities in both generations
      this.#call(params.name, params.arguments ?? {}, { sdk: ctx, declared: mcp.server.getClientCapabilities() }),
    );
    return mcp;
  }

  /** The stateless handler of modern requests, and of legacy ones where `legacy` says so. */
  newHandler(legacy: 'stateless' | 'reject'): McpHttpHandler {
    return createMcpHandler(() => this.newServer(), {
      legacy,
      onerror: (error) => this.#options.logger.debug({ err: error }, 'an MCP request was refused'),
    });
  }

  /** A session for a legacy client. `started` hears its id when the handshake was accepted; `ended` when it is over, however. */
  async newSession(newId: () => string, events: { started(id: string): void; ended(): void }): Promise<McpSession> {
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: newId,
      onsessioninitialized: (id) => events.started(id),
    });
    const server = this.newServer();
    await server.connect(transport);
    const closed = transport.onclose;
    // oxlint-disable-next-line unicorn/prefer-add-event-listener -- transports of the SDK have this form only
    transport.onclose = () => {
      closed?.();
      events.ended();
    };
    return { handle: (request, options) => transport.handleRequest(request, options), close: () => server.close() };
  }

  /** Whether a request comes from a client of 2025-11-25 or older; `body` is the parsed JSON of a POST. */
  isLegacy(request: Request, body: unknown): Promise<boolean> {
    return isLegacyRequest(request, body);
  }

  /** The tool that a `tools/call` names; null for other messages and unknown names. */
  calledTool(body: unknown): McpTool | null {
    const { method, params } = (body ?? {}) as { method?: unknown; params?: { name?: unknown } | null };
    if (method !== 'tools/call' || typeof params?.name !== 'string') return null;
    return this.#tools.get(params.name) ?? null;
  }

  /** The scope that a modern `tools/call` lacks; null when it lacks none. */
  missingScope(caller: McpCaller, body: unknown): string | null {
    const tool = this.calledTool(body);
    return tool === null || allows(caller, tool) ? null : tool.scope;
  }

  #callerOf(authInfo: AuthInfo | undefined): McpCaller {
    return this.#options.caller?.() ?? callerOf(authInfo);
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
    const caller = this.#callerOf(sdk.http?.authInfo);
    const tool = this.#tools.get(name);
    if (tool === undefined || !isInView(caller, tool))
      throw new ProtocolError(
        ProtocolErrorCode.InvalidParams,
        'There is no tool of this name: tools/list has them all.',
      );
    return tool.call(input, { caller, sdk, extensions: declared?.extensions ?? {} });
  }
}
