import { z } from 'zod';

/** Limits of a stored graph. */
export const graphLimits = {
  nodes: 500,
  edges: 2_000,
  bytes: 512 * 1024,
  channels: 200,
  /** Longest expression, in characters. */
  expression: 2_000,
  /** Most items of one map edge. */
  mapItems: 1_000,
  /** Every list of tools repeats them. */
  toolDescription: 500,
  toolInputBytes: 2_048,
} as const;

const identifier = /^[a-z][a-z0-9_]{0,63}$/;
export const NodeId = z.string().regex(identifier, 'use a-z, 0-9 and _, starting with a letter, at most 64 characters');
export const ChannelName = z
  .string()
  .regex(
    /^[a-z][A-Za-z0-9_]{0,63}$/,
    'use letters, digits and _, starting with a lower-case letter, at most 64 characters',
  );

export const reducers = ['replace', 'append', 'merge', 'sum', 'max', 'unionById'] as const;
export type Reducer = (typeof reducers)[number];

/** CEL expression over the channels, and inside a map over the item. Source: https://cel.dev, docs/decisions/0027. */
export const ExpressionText = z.string().min(1).max(graphLimits.expression);

/** One state channel: JSON Schema (for documentation and editors), reducer of parallel writes, and initial value. */
export const Channel = z.strictObject({
  schema: z.record(z.string().max(100), z.unknown()).default({}),
  reducer: z.enum(reducers).default('replace'),
  default: z.unknown().optional(),
});

const Retry = z.strictObject({
  maxAttempts: z.int().min(1).max(10).default(3),
  initialIntervalMs: z.int().min(0).max(60_000).default(500),
  backoff: z.number().min(1).max(10).default(2),
  maxIntervalMs: z.int().min(0).max(600_000).default(30_000),
});

/** Continues the run at `goto` after the last attempt failed, with the values of `set` in place of the node's writes. */
const ErrorRoute = z.strictObject({
  goto: NodeId,
  set: z.record(ChannelName, z.unknown()).default({}),
});

/**
 * In `config`, `{ "$expr": "<expression>" }` is replaced by its value when the node runs, except in fields that must be constant.
 * `{ "$secret": "NAME" }` is replaced by a project secret, in the fields that accept one.
 */
export const GraphNode = z.strictObject({
  type: z.string().min(1).max(64),
  typeVersion: z.int().min(1).max(1_000).default(1),
  config: z.record(z.string().max(100), z.unknown()).default({}),
  retry: Retry.optional(),
  timeoutMs: z.int().min(1).max(3_600_000).optional(),
  /** `fail` ends the run; `continue` records the failed step and goes on without its writes; `goto` continues at another node. */
  onError: z.union([z.enum(['fail', 'continue']), ErrorRoute]).default('fail'),
  /** `false` runs the node again even if the project has a cached result for the same input. For pure node types only. */
  cache: z.boolean().default(true),
  /** Runs the node only when no other node can run. */
  defer: z.boolean().default(false),
  notes: z.string().max(2_000).optional(),
});

const From = z.union([NodeId, z.literal('START')]);
const To = z.union([NodeId, z.literal('END')]);

/** Unconditional edge. `START` and `END` are the reserved names of entry and exit. */
const PlainEdge = z.strictObject({ from: From, to: To });

export const Route = z.strictObject({ if: ExpressionText, to: To });
/** Follows the first route whose condition holds, otherwise `else`, otherwise none. */
const RouterEdge = z.strictObject({ from: NodeId, when: z.array(Route).min(1).max(50), else: To.optional() });

/** Runs `to` once for each item, available as the variable `as`; successors of `to` wait for all items. */
export const MapSpec = z.strictObject({
  over: ExpressionText,
  as: ChannelName,
  to: NodeId,
  concurrency: z.int().min(1).max(64).default(4),
  /** `skip` records the failed step of the item and goes on with the others. */
  onItemError: z.enum(['fail', 'skip']).default('fail'),
});
const MapEdge = z.strictObject({ from: NodeId, map: MapSpec });

export const Edge = z.union([PlainEdge, RouterEdge, MapEdge]);
export const Limits = z.strictObject({
  maxSteps: z.int().min(1).max(10_000).default(100),
  timeoutMs: z.int().min(1_000).max(86_400_000).default(600_000),
  maxConcurrency: z.int().min(1).max(64).default(4),
});

/**
 * The published workflow as an MCP tool of its own. `input` is the JSON Schema of the fields beside `documentId`; each is a channel, which
 * begins with the value. Source: MCP 2026-07-28, tool names; docs/decisions/0194.
 */
export const WorkflowTool = z.strictObject({
  name: z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/, 'use letters, digits, _ and -, at most 64 characters'),
  description: z.string().trim().min(1).max(graphLimits.toolDescription),
  input: z.record(z.string().max(100), z.unknown()).default({ type: 'object', properties: {} }),
});
export type WorkflowTool = z.output<typeof WorkflowTool>;

/**
 * A stored workflow graph, version 1. The schema checks the shape; `graphs/check` checks reachability, channels and types.
 */
export const StoredGraph = z.strictObject({
  schemaVersion: z.literal(1),
  name: z.string().min(1).max(200),
  description: z.string().max(4_000).default(''),
  state: z.record(ChannelName, Channel).default({}),
  nodes: z.record(NodeId, GraphNode),
  edges: z.array(Edge).max(graphLimits.edges),
  limits: Limits.prefault({}),
  outputs: z.record(ChannelName, ChannelName).default({}),
  tool: WorkflowTool.optional(),
  layout: z.record(z.string().max(100), z.unknown()).optional(),
});

export type StoredGraph = z.output<typeof StoredGraph>;
export type StoredGraphInput = z.input<typeof StoredGraph>;
export type GraphNode = z.output<typeof GraphNode>;
export type GraphEdge = z.output<typeof Edge>;
export type RouterEdge = z.output<typeof RouterEdge>;
export type MapEdge = z.output<typeof MapEdge>;
export type MapSpec = z.output<typeof MapSpec>;
