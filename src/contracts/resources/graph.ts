import { z } from 'zod';

/** Limits of a stored graph. Source: graphs.md "The stored form". */
export const graphLimits = {
  nodes: 500,
  edges: 2_000,
  bytes: 512 * 1024,
  channels: 200,
  /** Characters of one expression. */
  expression: 2_000,
  /** Items of one map. */
  mapItems: 1_000,
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

/** CEL over the channels, and inside a map over the item. Source: https://cel.dev; graphs.md "The stored form". */
export const ExpressionText = z.string().min(1).max(graphLimits.expression);

/** One state channel: its JSON Schema (documentation and editor help), how parallel writes meet, and its first value. */
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

/** Where a run goes when a node failed for good, and what it writes there instead. */
const ErrorRoute = z.strictObject({
  goto: NodeId,
  set: z.record(ChannelName, z.unknown()).default({}),
});

/**
 * Anywhere in `config`, `{ "$expr": "<expression>" }` stands for the value it has when the node runs, but for fields that are written
 * out; `{ "$secret": "NAME" }` for a secret of the project, in the fields that take one.
 */
export const GraphNode = z.strictObject({
  type: z.string().min(1).max(64),
  typeVersion: z.int().min(1).max(1_000).default(1),
  config: z.record(z.string().max(100), z.unknown()).default({}),
  retry: Retry.optional(),
  timeoutMs: z.int().min(1).max(3_600_000).optional(),
  /** `fail` ends the run; `continue` records the failed step and goes on without its writes; `goto` takes another way. */
  onError: z.union([z.enum(['fail', 'continue']), ErrorRoute]).default('fail'),
  /** False: runs again even when the same node with the same input ran before in this project. Pure node types only. */
  cache: z.boolean().default(true),
  /** Waits until nothing else can run any more. */
  defer: z.boolean().default(false),
  notes: z.string().max(2_000).optional(),
});

const From = z.union([NodeId, z.literal('START')]);
const To = z.union([NodeId, z.literal('END')]);

/** Always taken. `START` and `END` are reserved names of the entry and the exit. */
const PlainEdge = z.strictObject({ from: From, to: To });

export const Route = z.strictObject({ if: ExpressionText, to: To });
/** The first route whose condition holds, else `else`; without `else`, none. */
const RouterEdge = z.strictObject({ from: NodeId, when: z.array(Route).min(1).max(50), else: To.optional() });

/** Runs `to` once for each item, which it knows under the name `as`; what comes after `to` waits for all of them. */
export const MapSpec = z.strictObject({
  over: ExpressionText,
  as: ChannelName,
  to: NodeId,
  concurrency: z.int().min(1).max(64).default(4),
  /** `skip` records the item's failed step and goes on with the others. */
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
 * A stored workflow graph, version 1. Shape only: what it means together (reachability, channels, types) is the checker's.
 * Source: graphs.md "The stored form".
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
  layout: z.record(z.string().max(100), z.unknown()).optional(),
});

export type StoredGraph = z.output<typeof StoredGraph>;
export type StoredGraphInput = z.input<typeof StoredGraph>;
export type GraphNode = z.output<typeof GraphNode>;
export type GraphEdge = z.output<typeof Edge>;
export type RouterEdge = z.output<typeof RouterEdge>;
export type MapEdge = z.output<typeof MapEdge>;
export type MapSpec = z.output<typeof MapSpec>;
