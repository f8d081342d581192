import type { CallToolResult, InputRequiredResult } from '@modelcontextprotocol/server';
import type { Exchange } from '#mcp/tool.ts';
import type { Tracer } from '#src/domain/ports/tracer.ts';
import { readTraceContext } from '#src/domain/traces/trace-context.ts';

type Result = CallToolResult | InputRequiredResult;

/**
 * Calls a tool in a span. A trace that the message names in `_meta` counts more than that of the HTTP request, which may have been made by a
 * proxy for several messages. Source: MCP, SEP-414; OpenTelemetry semantic conventions for MCP.
 */
export function tracedCall(
  tracer: Tracer,
  { name, exchange }: { readonly name: string; readonly exchange: Exchange },
  call: (exchange: Exchange) => Promise<Result>,
): Promise<Result> {
  const meta = exchange.sdk.mcpReq._meta;
  const sent = readTraceContext(meta?.['traceparent'], meta?.['tracestate']);
  const start = {
    name: `tools/call ${name}`,
    kind: 'server',
    attributes: { 'mcp.method.name': 'tools/call', 'gen_ai.tool.name': name, 'gen_ai.operation.name': 'execute_tool' },
    ...(sent !== null && { parent: sent, link: tracer.current() }),
  } as const;
  return tracer.inSpan(start, async (span) => {
    const result = await call({ ...exchange, caller: { ...exchange.caller, trace: span.context } });
    if ('isError' in result && result.isError === true) span.end('tool_error');
    return result;
  });
}
