import { z } from 'zod';
import { StoredGraph, type StoredGraphInput } from '#src/contracts/resources/graph.ts';
import { graphHash } from '#graphs/hash.ts';
import type { NodeDefinition } from '#graphs/define.ts';

type NodeInput = StoredGraphInput['nodes'][string];
type NodeOptions = Omit<NodeInput, 'type' | 'typeVersion' | 'config'>;
type ChannelInput = NonNullable<StoredGraphInput['state']>[string];

/** A workflow kept in code: read-only in the store, its graph is the same JSON as a stored one. */
export interface CodeWorkflow {
  readonly id: string;
  readonly graph: StoredGraph;
  readonly graphHash: string;
}

/** One node: its type, a config that the type checker knows, and how it is run. */
export function node<Schema extends z.ZodObject>(
  definition: NodeDefinition<Schema>,
  config: z.input<Schema>,
  options: NodeOptions = {},
): NodeInput {
  return { type: definition.type, typeVersion: definition.version, config, ...options };
}

/** One channel, its JSON Schema taken from zod. */
export function channel(schema: z.ZodType, more: Omit<ChannelInput, 'schema'> = {}): ChannelInput {
  const { $schema: _dialect, ...jsonSchema } = z.toJSONSchema(schema);
  return { schema: jsonSchema, ...more };
}

/**
 * `edges` reads `[from, to]`, where either side may be a list: every `from` leads to every `to`. Throws a zod error when the result
 * is not a stored graph; what it means together is `checkGraph`'s. Source: graphs.md "Workflows in code".
 */
export function defineWorkflow<
  const Nodes extends Record<string, NodeInput>,
  const Channels extends Record<string, ChannelInput>,
>(workflow: {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly state: Channels;
  readonly nodes: Nodes;
  readonly edges: readonly (readonly [OneOrMore<NameOf<Nodes> | 'START'>, OneOrMore<NameOf<Nodes> | 'END'>])[];
  readonly limits?: StoredGraphInput['limits'];
  readonly outputs: Readonly<Record<string, NameOf<Channels>>>;
}): CodeWorkflow {
  const { id, edges, limits, ...rest } = workflow;
  const graph = StoredGraph.parse({
    schemaVersion: 1,
    ...rest,
    ...(limits && { limits }),
    edges: edges.flatMap(([from, to]) =>
      list(from).flatMap((one) => list(to).map((other) => ({ from: one, to: other }))),
    ),
  });
  return { id, graph, graphHash: graphHash(graph) };
}

type NameOf<Record> = keyof Record & string;
type OneOrMore<Name extends string> = Name | readonly Name[];

function list<Name extends string>(names: OneOrMore<Name>): readonly Name[] {
  return typeof names === 'string' ? [names] : names;
}
