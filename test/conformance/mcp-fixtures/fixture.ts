import type { CallToolResult, InputRequiredResult } from '@modelcontextprotocol/server';
import type { ObjectSchema } from '#mcp/present/schema.ts';
import type { Exchange, McpTool } from '#mcp/tool.ts';

export type Answer = CallToolResult | InputRequiredResult;
type Input = Readonly<Record<string, unknown>>;

interface FixtureOptions {
  readonly description: string;
  readonly input?: ObjectSchema;
}

const nothing: ObjectSchema = { type: 'object', properties: {}, additionalProperties: false };

/** A tool that the referee knows by name, registered as those of the product are. */
export function fixture(
  name: string,
  { description, input = nothing }: FixtureOptions,
  call: (exchange: Exchange, input: Input) => Answer | Promise<Answer>,
): McpTool {
  return {
    definition: {
      name,
      title: name,
      description,
      inputSchema: input,
      annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    },
    toolset: 'core',
    scope: null,
    expensive: false,
    call: async (given, exchange) => call(exchange, given),
  };
}

export function text(value: string): CallToolResult {
  return { content: [{ type: 'text', text: value }] };
}

/** One grey pixel. */
export const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNoAAAAggCBd81ytgAAAABJRU5ErkJggg==';
/** A header and two samples of silence. */
export const wav = 'UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQIAAACAgA==';
