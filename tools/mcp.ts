import {
  createMcpHandler,
  isLegacyRequest,
  McpServer,
  ProtocolError,
  ProtocolErrorCode,
  WebStandardStreamableHTTPServerTransport,
  type CallToolResult,
  type McpHandlerRequestOptions,
  type McpHttpHandler,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { call } from '#tools/call.ts';
import type { AnyTool } from '#tools/define.ts';
import type { ToolDeps } from '#tools/deps.ts';
import { callerOf, type McpCaller } from '#tools/mcp/caller.ts';
import { toolDefinition, type ToolDefinition } from '#tools/mcp/definition.ts';
import { instructions } from '#tools/mcp/instructions.ts';
import { presentError, presentOutput } from '#tools/mcp/present.ts';
import { allows } from '#tools/surfaces.ts';

export interface McpFaceOptions {
  readonly deps: ToolDeps;
  readonly tools: readonly AnyTool[];
  readonly version: string;
}

export type McpRequestOptions = McpHandlerRequestOptions;

/** One legacy client's session. */
export interface McpSession {
  handle(request: Request, options: McpRequestOptions): Promise<Response>;
  close(): Promise<void>;
}

interface Listed {
  readonly tool: AnyTool;
  readonly definition: ToolDefinition;
}

/**
 * The tools as MCP servers, for any transport. The SDK's tool registry is not used: it would convert and validate every schema
 * again for each request, while the one door validates already.
 */
export class McpFace {
  readonly #options: McpFaceOptions;
  readonly #listed: ReadonlyMap<string, Listed>;

  constructor(options: McpFaceOptions) {
    this.#options = options;
    this.#listed = new Map(options.tools.map((tool) => [tool.name, { tool, definition: toolDefinition(tool) }]));
  }

  /** One server: for one modern request, or for one legacy session. The caller comes with each request. */
  newServer(): McpServer {
    const { version } = this.#options;
    const mcp = new McpServer(
      { name: 'inkgraph', title: 'Inkgraph', version },
      { instructions, capabilities: { tools: {} } },
    );
    mcp.server.setRequestHandler('tools/list', (_, ctx) => ({
      tools: this.#definitions(callerOf(ctx.http?.authInfo)),
    }));
    mcp.server.setRequestHandler('tools/call', ({ params }, ctx) =>
      this.#call(params.name, params.arguments ?? {}, ctx),
    );
    return mcp;
  }

  /** The stateless handler of modern requests, and of legacy ones where `legacy` says so. */
  newHandler(legacy: 'stateless' | 'reject'): McpHttpHandler {
    const { logger } = this.#options.deps;
    return createMcpHandler(() => this.newServer(), {
      legacy,
      onerror: (error) => logger.debug({ err: error }, 'an MCP request was refused'),
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

  /** The scope that a modern `tools/call` lacks; null when it lacks none. */
  missingScope(caller: McpCaller, body: unknown): string | null {
    const { method, params } = (body ?? {}) as { method?: unknown; params?: { name?: unknown } };
    if (method !== 'tools/call' || typeof params?.name !== 'string') return null;
    const tool = this.#listed.get(params.name)?.tool;
    return tool === undefined || allows(caller.principal, tool) ? null : tool.scope;
  }

  #definitions({ principal }: McpCaller): ToolDefinition[] {
    return [...this.#listed.values()].filter(({ tool }) => allows(principal, tool)).map(({ definition }) => definition);
  }

  async #call(name: string, input: Record<string, unknown>, ctx: ServerContext): Promise<CallToolResult> {
    const { principal, requestId } = callerOf(ctx.http?.authInfo);
    const tool = this.#listed.get(name)?.tool;
    if (tool === undefined)
      throw new ProtocolError(
        ProtocolErrorCode.InvalidParams,
        'There is no tool of this name: tools/list has them all.',
      );
    const { deps } = this.#options;
    const logger = deps.logger.child({ requestId, tool: name, keyId: principal.actorId });
    const { signal } = ctx.mcpReq;
    try {
      const context = { principal, requestId, surface: 'mcp', signal, deps, outcome: {} } as const;
      return presentOutput(tool, input, await call(tool, context, input));
    } catch (error) {
      return presentError(tool, error, { requestId, logger });
    }
  }
}
