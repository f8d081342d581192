import type { AnyTool } from '#tools/define.ts';
import { objectSchema, type ObjectSchema } from '#mcp/present/json-schema.ts';

/** A tool as `tools/list` tells it. */
export interface ToolDefinition {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: ObjectSchema;
  /** Absent: the answer is content alone. */
  readonly outputSchema?: ObjectSchema;
  /** Of extensions, such as the view of its results. */
  readonly _meta?: Readonly<Record<string, unknown>>;
  readonly annotations: {
    readonly readOnlyHint: boolean;
    /** These two mean nothing of a tool that only reads, and are left out there. */
    readonly destructiveHint?: boolean;
    readonly idempotentHint?: boolean;
    readonly openWorldHint: boolean;
  };
}

/** A use case always says what it answers. */
interface UseCaseDefinition extends ToolDefinition {
  readonly outputSchema: ObjectSchema;
}

/** Costs milliseconds: made once for each tool, never for each request. */
export function toolDefinition(tool: AnyTool): UseCaseDefinition {
  const words = tool.name.replaceAll('_', ' ');
  return {
    name: tool.name,
    title: words.charAt(0).toUpperCase() + words.slice(1),
    description: tool.description,
    inputSchema: objectSchema(tool.input, 'input'),
    outputSchema: objectSchema(tool.output, 'output'),
    annotations: {
      readOnlyHint: tool.effect === 'read',
      ...(tool.effect !== 'read' && {
        destructiveHint: tool.effect === 'destroy',
        idempotentHint: tool.idempotent,
      }),
      openWorldHint: false,
    },
  };
}
