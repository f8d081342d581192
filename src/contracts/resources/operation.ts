import { z } from 'zod';
import {
  Channel,
  ChannelName,
  Edge,
  graphLimits,
  GraphNode,
  Limits,
  NodeId,
  Route,
  WorkflowTool,
} from '#src/contracts/resources/graph.ts';

const To = z.union([NodeId, z.literal('END')]);
const From = z.union([NodeId, z.literal('START')]);
/** JSON Pointer (RFC 6901) into the graph; `-` appends to an array. */
const JsonPointer = z
  .string()
  .max(1_000)
  .regex(/^(\/([^~/]|~[01])*)+$/, 'use a JSON Pointer such as /nodes/ocr/timeoutMs');
/** `Limits.partial()` would apply the defaults, and so reset limits that the edit does not name. */
const LimitsChange = z.strictObject({
  maxSteps: Limits.shape.maxSteps.unwrap().optional(),
  timeoutMs: Limits.shape.timeoutMs.unwrap().optional(),
  maxConcurrency: Limits.shape.maxConcurrency.unwrap().optional(),
});
/** Without its schema, which every list of tools would repeat: /api/graph.schema.json has it. */
const Tool = z
  .unknown()
  .optional()
  .pipe(WorkflowTool.nullable().optional())
  .meta({ type: 'object', description: 'MCP' });
const Config = z.record(z.string().max(100), z.unknown());

/**
 * One edit of a stored graph, named by `op`. MCP, REST, fixes of the checker and diffs all use these operations. `graphs/edit` applies
 * them and defines their errors. Source: docs/decisions/0028.
 */
export const Operation = z.discriminatedUnion('op', [
  z.strictObject({ op: z.literal('add_node'), nodeId: NodeId, node: GraphNode }),
  z.strictObject({ op: z.literal('remove_node'), nodeId: NodeId }).describe('with its edges'),
  z.strictObject({ op: z.literal('rename_node'), nodeId: NodeId, to: NodeId }).describe('and its edges'),
  z
    .strictObject({
      op: z.literal('set_config'),
      nodeId: NodeId,
      config: Config,
      mode: z.enum(['merge', 'replace']).default('merge'),
    })
    .describe('merge: null removes a field'),
  z
    .strictObject({ op: z.literal('set_field'), path: JsonPointer, value: z.unknown().optional() })
    .describe('no value: removes it'),
  z
    .strictObject({
      op: z.literal('patch_text'),
      path: JsonPointer,
      find: z.string().min(1).max(20_000),
      replace: z.string().max(20_000),
    })
    .describe('find must occur once'),
  z.strictObject({ op: z.literal('add_edge'), edge: Edge, at: z.int().min(0).max(graphLimits.edges).optional() }),
  z.strictObject({ op: z.literal('remove_edge'), from: From, to: To }).describe('and routes and maps'),
  z
    .strictObject({ op: z.literal('insert_between'), from: From, to: To, nodeId: NodeId, node: GraphNode })
    .describe('from -> nodeId -> to'),
  z
    .strictObject({
      op: z.literal('set_router'),
      nodeId: NodeId,
      routes: z.array(Route).max(50),
      else: To.optional(),
    })
    .describe('no routes: removes it'),
  z.strictObject({ op: z.literal('set_state_field'), name: ChannelName, channel: Channel }),
  z.strictObject({ op: z.literal('remove_state_field'), name: ChannelName }),
  z.strictObject({ op: z.literal('set_entry'), nodeId: NodeId }).describe('the only node after START'),
  z.strictObject({ op: z.literal('set_tool'), tool: Tool }),
  z.strictObject({ op: z.literal('set_limits'), limits: LimitsChange }),
  z.strictObject({
    op: z.literal('set_metadata'),
    name: z.string().min(1).max(200).optional(),
    description: z.string().max(4_000).optional(),
    layout: z.record(z.string().max(100), z.unknown()).nullable().optional(),
  }),
]);
export type Operation = z.output<typeof Operation>;

/** Applied in order; an error applies none of them. */
export const Operations = z.array(Operation).min(1).max(100);
