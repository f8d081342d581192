import type { AnyTool } from '#tools/define.ts';
import { inputSchema, outputSchema } from '#mcp/present/json-schema.ts';
import { asListed } from '#mcp/present/listed.ts';
import type { ObjectSchema } from '#mcp/present/schema.ts';

/** A tool as `tools/list` returns it. */
export interface ToolDefinition {
  readonly name: string;
  /** Absent: clients show the name, which says the same. */
  readonly title?: string;
  readonly description: string;
  readonly inputSchema: ObjectSchema;
  /** Absent: results have content only. */
  readonly outputSchema?: ObjectSchema;
  /** Metadata of extensions, such as the view of results. */
  readonly _meta?: Readonly<Record<string, unknown>>;
  readonly annotations: {
    readonly readOnlyHint?: boolean;
    /** Omitted for read-only tools, where this and the next hint mean nothing. */
    readonly destructiveHint?: boolean;
    readonly idempotentHint?: boolean;
    readonly openWorldHint?: boolean;
  };
}

/** A popular client shows structured content alone where a schema declares it, and so drops the picture. */
const showsPictures: ReadonlySet<string> = new Set(['view_document_image']);

/** Tools that execute nodes, which may call models and hosts; clients assume it where the hint is absent. */
const reachesOutside: ReadonlySet<string> = new Set([
  'test_node',
  'run_workflow',
  'resume_run',
  'replay_execution',
  'run_experiment',
  'improve_workflow',
]);

/** Creates the definition of a tool. It takes milliseconds: once for each tool, never for each request. */
export function toolDefinition(tool: AnyTool): ToolDefinition {
  return {
    name: tool.name,
    description: tool.description,
    inputSchema: asListed(inputSchema(tool.input), tool.name, 'input'),
    ...(!showsPictures.has(tool.name) && {
      outputSchema: asListed(outputSchema(tool.output, tool.effect === 'read'), tool.name, 'output'),
    }),
    annotations: {
      // False is what clients assume.
      ...(tool.effect === 'read' && { readOnlyHint: true }),
      ...(tool.effect !== 'read' && {
        destructiveHint: tool.effect === 'destroy',
        ...(tool.idempotent && { idempotentHint: true }),
      }),
      // Clients decide about reading tools by the first hint alone.
      ...(tool.effect !== 'read' && !reachesOutside.has(tool.name) && { openWorldHint: false }),
    },
  };
}
