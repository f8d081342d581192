import type { z } from 'zod';
import { Authenticator } from '#src/auth/authenticate.ts';
import { callTool as call } from '#tools/call.ts';
import type { Tool } from '#tools/define.ts';
import type { TestApp } from '#test/support/test-app.ts';

/** Calls a tool as the MCP service does for the holder of a service key. */
export async function callTool<Input extends z.ZodType, Output extends z.ZodObject>(
  { app, seed }: TestApp,
  tool: Tool<Input, Output>,
  input: z.input<Input>,
): Promise<z.output<Output>> {
  const { deps } = app;
  const principal = await new Authenticator(deps.apiKeys, deps.logger).byKey(seed.serviceKey, 'service-key');
  const { signal } = new AbortController();
  return call(tool, { principal, requestId: 'test', surface: 'mcp', signal, deps, outcome: {} }, input);
}
