import type { z } from 'zod';
import { callTool } from '#tools/call.ts';
import type { Outcome, Tool } from '#tools/define.ts';
import type { ToolDeps } from '#tools/deps.ts';
import { type McpCaller, contextOf, callerOf } from '#mcp/caller.ts';
import type { ServerContext } from '@modelcontextprotocol/server';
import { protocolError } from '#mcp/present/protocol-error.ts';

/** Calls use cases for one caller. `callTool` checks scope and tenancy. */
export type Ask = <Input extends z.ZodType, Output extends z.ZodObject>(
  tool: Tool<Input, Output>,
  input: z.input<Input>,
  outcome?: Outcome,
) => Promise<z.output<Output>>;

export function askAs(deps: ToolDeps, caller: McpCaller, signal: AbortSignal): Ask {
  return (tool, input, outcome = {}) => callTool(tool, { ...contextOf(deps, caller, signal), outcome }, input);
}

/** The caller of one request, and its use cases. */
export interface Asked {
  readonly caller: McpCaller;
  readonly ask: Ask;
}

/** The SDK validates `params`, which is absent only where `Params` allows it. */
type Handler<Params, Result> = (request: { params?: Params | undefined }, ctx: ServerContext) => Promise<Result>;

/** Creates a handler that acts for the caller and converts errors to JSON-RPC errors. */
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
