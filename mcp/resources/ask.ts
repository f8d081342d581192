import type { z } from 'zod';
import { callTool } from '#tools/call.ts';
import type { Outcome, Tool } from '#tools/define.ts';
import type { ToolDeps } from '#tools/deps.ts';
import type { McpCaller } from '#mcp/caller.ts';
import { contextOf } from '#mcp/tool-context.ts';

/** Use cases on behalf of one caller: scope, tenancy and faults are those of the one door. */
export type Ask = <Input extends z.ZodType, Output extends z.ZodObject>(
  tool: Tool<Input, Output>,
  input: z.input<Input>,
  outcome?: Outcome,
) => Promise<z.output<Output>>;

export function askAs(deps: ToolDeps, caller: McpCaller, signal: AbortSignal): Ask {
  return (tool, input, outcome = {}) => callTool(tool, { ...contextOf(deps, caller, signal), outcome }, input);
}
