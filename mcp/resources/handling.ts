import type { ServerContext } from '@modelcontextprotocol/server';
import type { ToolDeps } from '#tools/deps.ts';
import { callerOf, type McpCaller } from '#mcp/caller.ts';
import { askAs, type Ask } from '#mcp/resources/ask.ts';
import { protocolError } from '#mcp/present/protocol-error.ts';

/** One request about resources or prompts. */
export interface Asked {
  readonly caller: McpCaller;
  readonly ask: Ask;
}

/** The SDK has checked `params`: absent only where `Params` says so. */
type Handler<Params, Result> = (request: { params?: Params | undefined }, ctx: ServerContext) => Promise<Result>;

/** A handler that acts for the caller, and tells failures as JSON-RPC does. */
export function handling<Params, Result>(
  deps: ToolDeps,
  handle: (params: Params, asked: Asked) => Promise<Result>,
  uriOf?: (params: Params) => string,
): Handler<Params, Result> {
  return async (request, ctx) => {
    const params = request.params as Params;
    const caller = callerOf(ctx.http?.authInfo);
    try {
      return await handle(params, { caller, ask: askAs(deps, caller, ctx.mcpReq.signal) });
    } catch (error) {
      throw protocolError(error, { requestId: caller.requestId, logger: deps.logger }, uriOf?.(params));
    }
  };
}
