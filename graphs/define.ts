import type { z } from 'zod';
import type { NodeDeps, RunFacts } from '#graphs/node-deps.ts';
import type { ModelUsage } from '#src/domain/ports/models.ts';

export type ChannelValues = Readonly<Record<string, unknown>>;

/** What one attempt of a node is given. `signal` aborts on timeout, cancel and lost lease: pass it on to everything slow. */
export interface NodeCall<Params> {
  readonly deps: NodeDeps;
  readonly run: RunFacts;
  readonly nodeId: string;
  /** Only the channels named in `reads` and `readsIfPresent`. */
  readonly state: ChannelValues;
  readonly params: Params;
  readonly signal: AbortSignal;
}

/** `update` holds channels named in `writes` only: ids and small facts; text, vectors and images belong in the store. */
export interface NodeResult {
  readonly update: Record<string, unknown>;
  readonly usage?: ModelUsage;
}

/** A node type: one file, one row of the catalogue. Source: graphs.md "Node catalogue". */
export interface NodeDefinition<Schema extends z.ZodObject = z.ZodObject> {
  readonly type: string;
  readonly version: number;
  readonly summary: string;
  /** A strict zod object; every field described, every field with a default where the node can work without it. */
  readonly params: Schema;
  /** Channels the node needs: the checker refuses a graph in which nothing writes them before. */
  readonly reads: readonly string[];
  /** Channels the node uses when the graph has them and something wrote them. */
  readonly readsIfPresent?: readonly string[];
  readonly writes: readonly string[];
  /** Same inputs, same outputs, no effect but its own result row. */
  readonly pure: boolean;
  readonly defaultTimeoutMs: number;
  /** A config that works, shown in the docs and checked by a test. */
  readonly example: z.input<Schema>;
  run(call: NodeCall<z.output<Schema>>): Promise<NodeResult>;
}

/** Keeps the type of `params`, so that workflows in code get a typed config (`graphs/build.ts`). */
export function defineNode<Schema extends z.ZodObject>(definition: NodeDefinition<Schema>): NodeDefinition<Schema> {
  return definition;
}
