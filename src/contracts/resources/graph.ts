import { z } from 'zod';

/** Limits of a stored graph. Source: graphs.md "The stored form". */
export const graphLimits = { nodes: 500, edges: 2_000, bytes: 512 * 1024, channels: 200 } as const;

const identifier = /^[a-z][a-z0-9_]{0,63}$/;
export const NodeId = z.string().regex(identifier, 'use a-z, 0-9 and _, starting with a letter, at most 64 characters');
const ChannelName = z
  .string()
  .regex(
    /^[a-z][A-Za-z0-9_]{0,63}$/,
    'use letters, digits and _, starting with a lower-case letter, at most 64 characters',
  );

export const reducers = ['replace', 'append', 'merge', 'sum', 'max', 'unionById'] as const;
export type Reducer = (typeof reducers)[number];

/** One state channel: its JSON Schema (documentation and editor help), how parallel writes meet, and its first value. */
const Channel = z.strictObject({
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

export const GraphNode = z.strictObject({
  type: z.string().min(1).max(64),
  typeVersion: z.int().min(1).max(1_000).default(1),
  config: z.record(z.string().max(100), z.unknown()).default({}),
  retry: Retry.optional(),
  timeoutMs: z.int().min(1).max(3_600_000).optional(),
  /** `fail` ends the run; `continue` records the failed step and goes on without its writes. */
  onError: z.enum(['fail', 'continue']).default('fail'),
  /** Waits until every other branch that can still reach it has finished. */
  defer: z.boolean().default(false),
  notes: z.string().max(2_000).optional(),
});

/** `START` and `END` are reserved names of the entry and the exit. */
const Edge = z.strictObject({
  from: z.union([NodeId, z.literal('START')]),
  to: z.union([NodeId, z.literal('END')]),
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
  limits: z
    .strictObject({
      maxSteps: z.int().min(1).max(10_000).default(100),
      timeoutMs: z.int().min(1_000).max(86_400_000).default(600_000),
      maxConcurrency: z.int().min(1).max(64).default(4),
    })
    .prefault({}),
  outputs: z.record(ChannelName, ChannelName).default({}),
  layout: z.record(z.string().max(100), z.unknown()).optional(),
});

export type StoredGraph = z.output<typeof StoredGraph>;
export type StoredGraphInput = z.input<typeof StoredGraph>;
export type GraphNode = z.output<typeof GraphNode>;
