import type { AnyTool } from '#tools/define.ts';
import { objectSchema, type ObjectSchema } from '#mcp/present/json-schema.ts';

/** A tool as `tools/list` returns it. */
export interface ToolDefinition {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: ObjectSchema;
  /** Absent: results have content only. */
  readonly outputSchema?: ObjectSchema;
  /** Metadata of extensions, such as the view of results. */
  readonly _meta?: Readonly<Record<string, unknown>>;
  readonly annotations: {
    readonly readOnlyHint: boolean;
    /** Omitted for read-only tools, where this and the next hint mean nothing. */
    readonly destructiveHint?: boolean;
    readonly idempotentHint?: boolean;
    readonly openWorldHint: boolean;
  };
}

/** A use case always has an output schema. */
interface UseCaseDefinition extends ToolDefinition {
  readonly outputSchema: ObjectSchema;
}

/** Creates the definition of a tool. It takes milliseconds: once for each tool, never for each request. */
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
