import { ProtocolError, type CallToolResult, type InputRequiredResult } from '@modelcontextprotocol/server';
import { callTool } from '#tools/call.ts';
import type { AnyTool } from '#tools/define.ts';
import type { ToolDeps } from '#tools/deps.ts';
import type { Confirmations } from '#mcp/confirm/confirmations.ts';
import { toolDefinition } from '#mcp/present/definition.ts';
import { presentError, presentOutput } from '#mcp/present/present.ts';
import { progressReport } from '#mcp/progress.ts';
import { unfinishedExecution } from '#mcp/tasks/execution-tasks.ts';
import { unfinishedExperiment } from '#mcp/tasks/experiment-tasks.ts';
import { lenientInput } from '#mcp/lenient-input.ts';
import type { Exchange, McpTool } from '#mcp/tool.ts';
import { contextOf } from '#mcp/caller.ts';
import type { Toolset } from '#mcp/view.ts';

/** Tasks that continue after results, by tool. */
const continued: ReadonlyMap<string, McpTool['taskOf']> = new Map([
  ['run_workflow', unfinishedExecution],
  ['replay_execution', unfinishedExecution],
  ['run_experiment', unfinishedExperiment],
  ['improve_workflow', unfinishedExperiment],
]);

/**
 * Creates an MCP tool from a use case. Schemas are converted here, once. `confirmations` asks the user before irreversible calls; absent: no
 * questions.
 */
export function useCase(tool: AnyTool, toolset: Toolset, deps: ToolDeps, confirmations?: Confirmations): McpTool {
  const taskOf = continued.get(tool.name);
  const definition = toolDefinition(tool);
  return {
    definition,
    toolset,
    scope: tool.scope,
    expensive: tool.expensive === true,
    call: (given, exchange) =>
      callUseCase(tool, { input: lenientInput(definition.inputSchema, given), exchange, deps, confirmations }),
    ...(taskOf !== undefined && { taskOf }),
  };
}

interface Call {
  readonly input: Readonly<Record<string, unknown>>;
  readonly exchange: Exchange;
  readonly deps: ToolDeps;
  readonly confirmations: Confirmations | undefined;
}

async function callUseCase(
  tool: AnyTool,
  { input, exchange, deps, confirmations }: Call,
): Promise<CallToolResult | InputRequiredResult> {
  const { caller, sdk } = exchange;
  const report = progressReport(sdk);
  try {
    const context = contextOf(deps, caller, sdk.mcpReq.signal);
    const question = (await confirmations?.ask(tool, context, input, exchange)) ?? null;
    if (question !== null) return question;
    const progress = report === null ? {} : { progress: report.report };
    const output = await callTool(tool, { ...context, ...progress }, input);
    return presentOutput(tool, input, output, context.outcome);
  } catch (error) {
    if (error instanceof ProtocolError) throw error;
    const { requestId, principal } = caller;
    return presentError(tool, error, { requestId, logger: deps.logger.child({ keyId: principal.actorId }) });
  } finally {
    report?.end();
  }
}
