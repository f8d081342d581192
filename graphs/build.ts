import { z } from 'zod';
import { StoredGraph, type StoredGraphInput } from '#src/contracts/resources/graph.ts';
import { graphHash } from '#graphs/hash.ts';
import type { NodeDefinition } from '#graphs/define.ts';

type NodeInput = StoredGraphInput['nodes'][string];
type ChannelInput = NonNullable<StoredGraphInput['state']>[string];
type MapInput = Extract<StoredGraphInput['edges'][number], { map: unknown }>['map'];

/** A workflow defined in code. It is read-only in the store; its graph is the same JSON as that of a stored workflow. */
export interface CodeWorkflow {
  readonly id: string;
  readonly graph: StoredGraph;
  readonly graphHash: string;
}

/** `onError` of a stored node, with typed names of its target node and channels. */
type ErrorPolicy<Goto extends string, Set extends string> =
  | 'fail'
  | 'continue'
  | { readonly goto: Goto; readonly set?: { readonly [Name in Set]?: unknown } };
type Unnamed = Omit<NodeInput, 'type' | 'typeVersion' | 'config' | 'onError'>;
type NodeOptions<Goto extends string, Set extends string> = Unnamed & { readonly onError?: ErrorPolicy<Goto, Set> };
type BuiltNode<Goto extends string, Set extends string> = Omit<NodeInput, 'onError'> & NodeOptions<Goto, Set>;
/** Leaves `onError` open, so that TypeScript infers node and channel names from `Naming` only. */
type AnyNode = Omit<NodeInput, 'onError'> & { readonly onError?: unknown };

type Ref = { readonly $expr: string } | { readonly $secret: string };
/** A config in which any part can be an expression or a secret. */
type WithRefs<T> = [T] extends [never] ? never : T | Ref | PartsWithRefs<T>;
type PartsWithRefs<T> = T extends readonly (infer Item)[]
  ? readonly WithRefs<Item>[]
  : T extends object
    ? { readonly [Key in keyof T]: WithRefs<T[Key]> }
    : never;

/** Inserts the value of a CEL expression into a config when the node runs. */
export function expr(source: string): { readonly $expr: string } {
  return { $expr: source };
}

/** Inserts a project secret into a config when the node runs. */
export function secret(name: string): { readonly $secret: string } {
  return { $secret: name };
}

/** Defines a node: its type, typed config and run options. */
export function node<Schema extends z.ZodObject, const Goto extends string = never, const Set extends string = never>(
  definition: NodeDefinition<Schema>,
  config: { readonly [Key in keyof z.input<Schema>]: WithRefs<z.input<Schema>[Key]> },
  options: NodeOptions<Goto, Set> = {},
): BuiltNode<NoInfer<Goto>, NoInfer<Set>> {
  return { type: definition.type, typeVersion: definition.version, config, ...options };
}

/** Defines a channel; its JSON Schema comes from zod. */
export function channel(schema: z.ZodType, more: Omit<ChannelInput, 'schema'> = {}): ChannelInput {
  const { $schema: _dialect, ...jsonSchema } = z.toJSONSchema(schema);
  return { schema: jsonSchema, ...more };
}

interface Router<From extends string, To extends string> {
  readonly from: From;
  readonly when: readonly { readonly if: string; readonly to: To }[];
  readonly else?: To;
}

/** Router: after `from`, follows the first route whose condition holds, otherwise `otherwise`, otherwise none. */
export function route<const From extends string, const To extends string>(
  from: From,
  when: readonly (readonly [condition: string, to: To])[],
  otherwise?: To,
): Router<From, To> {
  return {
    from,
    when: when.map(([condition, to]) => ({ if: condition, to })),
    ...(otherwise !== undefined && { else: otherwise }),
  };
}

interface Mapped<From extends string, To extends string> {
  readonly from: From;
  readonly map: MapInput & { readonly to: To };
}

/** Map: after `from`, runs `to` once for each item of `over`, available to it as the variable `as`. */
export function map<const From extends string, const To extends string>(
  from: From,
  spec: MapInput & { readonly to: To },
): Mapped<From, To> {
  return { from, map: spec };
}

type NameOf<Record> = keyof Record & string;
type OneOrMore<Name extends string> = Name | readonly Name[];
type Plain<Id extends string> = readonly [OneOrMore<Id | 'START'>, OneOrMore<Id | 'END'>];
type BuiltEdge<Id extends string> = Plain<Id> | Router<Id, Id | 'END'> | Mapped<Id, Id>;

type SetNames<Node> = Node extends { onError?: infer Policy } ? SetNamesOf<Policy> : never;
type SetNamesOf<Policy> = Policy extends { set?: infer Set } ? keyof NonNullable<Set> : never;
/** Restricts the names in `onError` of every node to nodes and channels of this workflow. */
type Naming<Nodes, Channels> = {
  readonly [Id in keyof Nodes]: SetNames<Nodes[Id]> extends keyof Channels
    ? { readonly onError?: ErrorPolicy<NameOf<Nodes>, string> }
    : { readonly onError?: ErrorPolicy<NameOf<Nodes>, never> & { readonly set?: 'names an unknown channel' } };
};

/**
 * `edges` reads `[from, to]`, where either side may be a list: every `from` leads to every `to`; and `route`, and `map`. Throws a zod
 * error if the result is not a stored graph. `checkGraph` runs at start-up. Source: docs/decisions/0028.
 */
export function defineWorkflow<
  const Nodes extends Record<string, AnyNode>,
  const Channels extends Record<string, ChannelInput>,
>(workflow: {
  readonly id: `wf_${string}`;
  readonly name: string;
  readonly description: string;
  readonly state: Channels;
  readonly nodes: Nodes & NoInfer<Naming<Nodes, Channels>>;
  readonly edges: readonly BuiltEdge<NameOf<Nodes>>[];
  readonly limits?: StoredGraphInput['limits'];
  readonly outputs: Readonly<Record<string, NameOf<Channels>>>;
  readonly layout?: StoredGraphInput['layout'];
}): CodeWorkflow {
  const { id, edges, ...rest } = workflow;
  const graph = StoredGraph.parse({ schemaVersion: 1, ...rest, edges: edges.flatMap(storedEdges) });
  return { id, graph, graphHash: graphHash(graph) };
}

function storedEdges(edge: BuiltEdge<string>): readonly object[] {
  if ('from' in edge) return [edge];
  const [from, to] = edge;
  return list(from).flatMap((one) => list(to).map((other) => ({ from: one, to: other })));
}

function list<Name extends string>(names: OneOrMore<Name>): readonly Name[] {
  return typeof names === 'string' ? [names] : names;
}
