import { z } from 'zod';
import { Channel, ChannelName, Edge, GraphNode, Limits, NodeId, Route } from '#src/contracts/resources/graph.ts';

const To = z.union([NodeId, z.literal('END')]);
const From = z.union([NodeId, z.literal('START')]);
/** A JSON Pointer (RFC 6901) into the graph; `-` appends to an array. */
const JsonPointer = z
  .string()
  .max(1_000)
  .regex(/^(\/([^~/]|~[01])*)+$/, 'use a JSON Pointer such as /nodes/ocr/timeoutMs');
/** Not `Limits.partial()`: that would fill the defaults in, and so reset what an edit does not name. */
const LimitsChange = z.strictObject({
  maxSteps: Limits.shape.maxSteps.unwrap().optional(),
  timeoutMs: Limits.shape.timeoutMs.unwrap().optional(),
  maxConcurrency: Limits.shape.maxConcurrency.unwrap().optional(),
});
const Config = z.record(z.string().max(100), z.unknown());

/**
 * One edit of a stored graph. `op` says which; everything that edits graphs speaks it: MCP, REST, fixes of the checker, diffs and
 * overrides of experiments. What it refuses, and why, is `graphs/edit`. Source: graphs.md "Edit operations".
 */
export const Operation = z.discriminatedUnion('op', [
  z.strictObject({ op: z.literal('add_node'), nodeId: NodeId, node: GraphNode }),
  z.strictObject({ op: z.literal('remove_node'), nodeId: NodeId }).describe('With its edges'),
  z.strictObject({ op: z.literal('rename_node'), nodeId: NodeId, to: NodeId }).describe('With its edges'),
  z
    .strictObject({
      op: z.literal('set_config'),
      nodeId: NodeId,
      config: Config,
      mode: z.enum(['merge', 'replace']).default('merge'),
    })
    .describe('merge sets the fields given, and removes those given as null'),
  z
    .strictObject({ op: z.literal('set_field'), path: JsonPointer, value: z.unknown().optional() })
    .describe('Without value: removes it'),
  z
    .strictObject({
      op: z.literal('patch_text'),
      path: JsonPointer,
      find: z.string().min(1).max(20_000),
      replace: z.string().max(20_000),
    })
    .describe('Replaces text inside a long string; find must occur exactly once'),
  z.strictObject({ op: z.literal('add_edge'), edge: Edge, at: z.int().min(0).optional() }),
  z
    .strictObject({ op: z.literal('remove_edge'), from: From, to: To })
    .describe('Every edge, route and map from one to the other'),
  z
    .strictObject({ op: z.literal('insert_between'), from: From, to: To, nodeId: NodeId, node: GraphNode })
    .describe('from -> nodeId -> to instead of from -> to'),
  z
    .strictObject({
      op: z.literal('set_router'),
      nodeId: NodeId,
      routes: z.array(Route).max(50),
      else: To.optional(),
    })
    .describe('The one router of a node; without routes: removes it'),
  z.strictObject({ op: z.literal('set_state_field'), name: ChannelName, channel: Channel }),
  z.strictObject({ op: z.literal('remove_state_field'), name: ChannelName }),
  z.strictObject({ op: z.literal('set_entry'), nodeId: NodeId }).describe('START leads to this node only'),
  z.strictObject({ op: z.literal('set_limits'), limits: LimitsChange }),
  z.strictObject({
    op: z.literal('set_metadata'),
    name: z.string().min(1).max(200).optional(),
    description: z.string().max(4_000).optional(),
    layout: z.record(z.string().max(100), z.unknown()).nullable().optional(),
  }),
]);
export type Operation = z.output<typeof Operation>;

/** Applied in order, all or none. */
export const Operations = z.array(Operation).min(1).max(100);
