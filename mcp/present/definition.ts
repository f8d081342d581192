import type { AnyTool } from '#tools/define.ts';
import { objectSchema, type ObjectSchema } from '#mcp/present/json-schema.ts';

/** A tool as `tools/list` tells it. */
export interface ToolDefinition {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: ObjectSchema;
  readonly outputSchema: ObjectSchema;
  readonly annotations: {
    readonly readOnlyHint: boolean;
    readonly destructiveHint: boolean;
    readonly idempotentHint: boolean;
    readonly openWorldHint: boolean;
  };
}

/** Costs milliseconds: made once for each tool, never for each request. */
export function toolDefinition(tool: AnyTool): ToolDefinition {
  const words = tool.name.replaceAll('_', ' ');
  return {
    name: tool.name,
    title: words.charAt(0).toUpperCase() + words.slice(1),
    description: tool.description,
    inputSchema: objectSchema(tool.input, 'input'),
    outputSchema: objectSchema(tool.output, 'output'),
    annotations: {
      readOnlyHint: tool.effect === 'read',
      destructiveHint: tool.effect === 'destroy',
      idempotentHint: tool.idempotent,
      openWorldHint: false,
    },
  };
}
