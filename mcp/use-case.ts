import type { CallToolResult } from '@modelcontextprotocol/server';
import { call } from '#tools/call.ts';
import type { AnyTool } from '#tools/define.ts';
import type { ToolDeps } from '#tools/deps.ts';
import { toolDefinition } from '#mcp/present/definition.ts';
import { presentError, presentOutput } from '#mcp/present/present.ts';
import type { Exchange, McpTool } from '#mcp/tool.ts';
import type { Toolset } from '#mcp/view.ts';

const expensive: ReadonlySet<string> = new Set(['run_workflow']);

/** A use case as an MCP tool. Its schemas are converted here, once, and never for a request. */
export function useCase(tool: AnyTool, toolset: Toolset, deps: ToolDeps): McpTool {
  return {
    definition: toolDefinition(tool),
    toolset,
    scope: tool.scope,
    expensive: expensive.has(tool.name),
    call: (input, exchange) => callUseCase(tool, input, exchange, deps),
  };
}

async function callUseCase(
  tool: AnyTool,
  input: Readonly<Record<string, unknown>>,
  { caller, sdk }: Exchange,
  deps: ToolDeps,
): Promise<CallToolResult> {
  const { principal, requestId } = caller;
  const logger = deps.logger.child({ requestId, tool: tool.name, keyId: principal.actorId });
  const { signal } = sdk.mcpReq;
  try {
    const context = { principal, requestId, surface: 'mcp', signal, deps, outcome: {} } as const;
    return presentOutput(tool, input, await call(tool, context, input));
  } catch (error) {
    return presentError(tool, error, { requestId, logger });
  }
}
