import { z } from 'zod';
import { StoredGraph, type StoredGraphInput } from '#src/contracts/resources/graph.ts';
import { declarationsOf } from '#graphs/check/channels.ts';
import { typedOutlineOf } from '#graphs/typing/graph-types.ts';
import { applyOperations } from '#graphs/edit/apply.ts';
import { graphHash } from '#graphs/hash.ts';
import type { Checked, ExpressionError, TemplateError } from '#graphs/build/expression-types.ts';
import type { Written } from '#graphs/build/written-types.ts';
import type { Literals, NodeDefinition, Outputs } from '#graphs/define.ts';

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
type BuiltNode<Goto extends string, Set extends string, Config, Texts, Values> = Omit<NodeInput, 'onError' | 'config'> &
  NodeOptions<Goto, Set> & { readonly config: Config } & Carried<Texts, Values>;
/** Types that a node carries to `defineWorkflow`: its fields with expressions and templates, and what it writes. No such members exist. */
interface Carried<Texts, Values> {
  readonly __texts?: Texts;
  readonly __writes?: Values;
}
/** Names that are written out; never if a definition names none. */
type Known<Name extends string> = string extends Name ? never : Name;
/** Config fields of a node type that hold expressions and templates. */
interface TextFields<Expressions extends string, Templates extends string> {
  readonly expressions: Expressions;
  readonly templates: Templates;
}
/** Leaves `onError` open, so that TypeScript infers node and channel names from `Naming` only. */
type AnyNode = Omit<NodeInput, 'onError' | 'config'> & { readonly onError?: unknown; readonly config?: unknown };

type Ref = { readonly $expr: string } | { readonly $secret: string };
/** A config in which any part can be an expression or a secret. */
type WithRefs<T> = [T] extends [never] ? never : T | Ref | PartsWithRefs<T>;
type PartsWithRefs<T> = T extends readonly (infer Item)[]
  ? readonly WithRefs<Item>[]
  : T extends object
    ? { readonly [Key in keyof T]: WithRefs<T[Key]> }
    : never;

type ConfigOf<Schema extends z.ZodObject> = { readonly [Key in keyof z.input<Schema>]: WithRefs<z.input<Schema>[Key]> };
type KeysOf<Shape> = Shape extends unknown ? keyof Shape : never;
type MemberOf<Shape, Key extends PropertyKey> = Shape extends unknown
  ? Key extends keyof Shape
    ? Shape[Key]
    : never
  : never;
/** A config without fields that its schema does not have: an inferred type is not checked for them by itself. */
type Exact<Config, Shape> = unknown extends Shape
  ? Config
  : Config extends Ref
    ? Config
    : Config extends readonly (infer Item)[]
      ? readonly Exact<Item, Shape extends readonly (infer Wanted)[] ? Wanted : never>[]
      : Config extends object
        ? {
            readonly [Key in keyof Config]: Key extends KeysOf<Shape>
              ? Exact<Config[Key], MemberOf<Shape, Key>>
              : never;
          }
        : Config;

/** Definition of a node that `node` built. */
const definitionOf = Symbol('definition');

/** Inserts the value of a CEL expression into a config when the node runs. */
export function expr<const Source extends string>(source: Source): { readonly $expr: Source } {
  return { $expr: source };
}

/** Inserts a project secret into a config when the node runs. */
export function secret(name: string): { readonly $secret: string } {
  return { $secret: name };
}

/** Defines a node: its type, typed config and run options. */
export function node<
  Schema extends z.ZodObject,
  Fixed extends Outputs,
  Type extends string,
  const Config extends ConfigOf<Schema>,
  Expressions extends string = string,
  Templates extends string = string,
  const Goto extends string = never,
  const Set extends string = never,
>(
  definition: NodeDefinition<Schema, Fixed> & Literals<Type, Expressions, Templates>,
  config: Config & NoInfer<Exact<Config, z.input<Schema>>>,
  options: NodeOptions<Goto, Set> = {},
): BuiltNode<
  NoInfer<Goto>,
  NoInfer<Set>,
  Config,
  TextFields<Known<Expressions>, Known<Templates>>,
  Written<Type, Fixed, Config>
> {
  const built = { type: definition.type, typeVersion: definition.version, config, ...options };
  // Not part of the stored node.
  return Object.defineProperty(built, definitionOf, { value: definition, enumerable: false });
}

/** A channel with the type of its value. No such member exists. */
type TypedChannel<Value> = ChannelInput & { readonly __value?: Value };

/** Defines a channel; its JSON Schema comes from zod. */
export function channel<Schema extends z.ZodType>(
  schema: Schema,
  more: Omit<ChannelInput, 'schema'> = {},
): TypedChannel<z.output<Schema>> {
  const { $schema: _dialect, ...jsonSchema } = z.toJSONSchema(schema);
  return { schema: jsonSchema, ...more };
}

interface Router<From extends string, To extends string, If extends string = string> {
  readonly from: From;
  readonly when: readonly { readonly if: If; readonly to: To }[];
  readonly else?: To;
}

/** Router: after `from`, follows the first route whose condition holds, otherwise `otherwise`, otherwise none. */
export function route<const From extends string, const To extends string, const If extends string>(
  from: From,
  when: readonly (readonly [condition: If, to: To])[],
  otherwise?: To,
): Router<From, To, If> {
  return {
    from,
    when: when.map(([condition, to]) => ({ if: condition, to })),
    ...(otherwise !== undefined && { else: otherwise }),
  };
}

interface Mapped<From extends string, To extends string, As extends string = string, Over extends string = string> {
  readonly from: From;
  readonly map: MapInput & { readonly to: To; readonly as: As; readonly over: Over };
}

/** Map: after `from`, runs `to` once for each item of `over`, available to it as the variable `as`. */
export function map<
  const From extends string,
  const To extends string,
  const As extends string,
  const Over extends string,
>(from: From, spec: MapInput & { readonly to: To; readonly as: As; readonly over: Over }): Mapped<From, To, As, Over> {
  return { from, map: spec };
}

type NameOf<Record> = keyof Record & string;
type OneOrMore<Name extends string> = Name | readonly Name[];
type Plain<Id extends string> = readonly [OneOrMore<Id | 'START'>, OneOrMore<Id | 'END'>];
type BuiltEdge<Id extends string> = Plain<Id> | Router<Id, Id | 'END'> | Mapped<Id, Id>;

type SetNames<Node> = Node extends { onError?: infer Policy } ? SetNamesOf<Policy> : never;
type SetNamesOf<Policy> = Policy extends { set?: infer Set } ? keyof NonNullable<Set> : never;
/** Restricts the names in `onError` of every node to nodes and channels of this workflow, and checks its expressions. */
type Naming<Nodes, Channels, Scope> = {
  readonly [Id in keyof Nodes]: OnError<Nodes, Nodes[Id], Channels> & CheckedNode<Nodes[Id], Scope>;
};
type OnError<Nodes, Node, Channels> =
  SetNames<Node> extends keyof Channels
    ? { readonly onError?: ErrorPolicy<NameOf<Nodes>, string> }
    : { readonly onError?: ErrorPolicy<NameOf<Nodes>, never> & { readonly set?: 'names an unknown channel' } };

/** A node whose expressions read channels and fields that exist; otherwise its config is the first error, as a text. */
type CheckedNode<Node, Scope> = Node extends { readonly config: infer Config; readonly __texts?: infer Texts }
  ? { readonly config: CheckedConfig<Config, Texts, Scope> }
  : unknown;
type CheckedConfig<Config, Texts, Scope> = {
  readonly [Key in keyof Config]: Texts extends TextFields<infer Sources, infer Templates>
    ? Key extends Sources
      ? { readonly [Name in keyof Config[Key]]: Checked<Config[Key][Name], ExpressionError<Config[Key][Name], Scope>> }
      : Key extends Templates
        ? Checked<Config[Key], TemplateError<Config[Key], Scope>>
        : CheckedRefs<Config[Key], Scope>
    : CheckedRefs<Config[Key], Scope>;
};
/** A part of a config with its `$expr` checked. */
type CheckedRefs<Part, Scope> = Part extends { readonly $expr: infer Source }
  ? { readonly $expr: Checked<Source, ExpressionError<Source, Scope>> }
  : Part extends object
    ? { readonly [Key in keyof Part]: CheckedRefs<Part[Key], Scope> }
    : Part;

type WritesOf<Node> = Node extends { readonly __writes?: infer Values } ? NonNullable<Values> : unknown;
type WrittenNames<Nodes> = { [Id in keyof Nodes]: keyof WritesOf<Nodes[Id]> }[keyof Nodes] & string;
/** Value of a channel by all nodes that write it. */
type WrittenValue<Nodes, Name> = {
  [Id in keyof Nodes]: Name extends keyof WritesOf<Nodes[Id]> ? WritesOf<Nodes[Id]>[Name] : never;
}[keyof Nodes];
type StatedValue<Channel> = Channel extends { readonly reducer: 'append' | 'merge' | 'sum' | 'max' | 'unionById' }
  ? unknown
  : Channel extends { readonly __value?: infer Value }
    ? Value
    : unknown;
type IsOpen<Value> = 0 extends 1 & Value ? true : unknown extends Value ? true : [Value] extends [never] ? true : false;

/** Types of channels in expressions: what nodes write, else what `state` says. Names of map items can be anything. */
type ScopeOf<Nodes, Channels, Edges> = {
  readonly [Name in NameOf<Channels> | WrittenNames<Nodes>]: Name extends keyof Channels
    ? IsOpen<WrittenValue<Nodes, Name>> extends true
      ? StatedValue<Channels[Name]>
      : Channels[Name] extends { readonly reducer?: 'replace' }
        ? WrittenValue<Nodes, Name>
        : unknown
    : WrittenValue<Nodes, Name>;
} & { readonly [Name in ItemNames<Edges>]: unknown };
type ItemNames<Edges> = Edges extends readonly (infer Edge)[]
  ? Edge extends { readonly map: { readonly as: infer As extends string } }
    ? As
    : never
  : never;

type CheckedEdges<Edges, Scope> = {
  readonly [At in keyof Edges]: Edges[At] extends Router<infer From, infer To, infer If>
    ? Router<From, To, Checked<If, ExpressionError<If, Scope>>>
    : Edges[At] extends Mapped<infer From, infer To, infer As, infer Over>
      ? Mapped<From, To, As, Checked<Over, ExpressionError<Over, Scope>>>
      : Edges[At];
};

/**
 * `edges` reads `[from, to]`, where either side may be a list: every `from` leads to every `to`; and `route`, and `map`. Throws a zod
 * error if the result is not a stored graph. `checkGraph` runs at start-up. Source: docs/decisions/0028.
 */
export function defineWorkflow<
  const Nodes extends Record<string, AnyNode>,
  const Edges extends readonly BuiltEdge<NameOf<Nodes>>[],
  // Without `state`, there is nothing to infer from.
  const Channels extends Record<string, ChannelInput> = {},
>(workflow: {
  readonly id: `wf_${string}`;
  readonly name: string;
  readonly description: string;
  /** Left out: the channels that nodes write, with the schemas that their types declare. */
  readonly state?: Channels;
  readonly nodes: Nodes & NoInfer<Naming<Nodes, Channels, ScopeOf<Nodes, Channels, Edges>>>;
  readonly edges: Edges & NoInfer<CheckedEdges<Edges, ScopeOf<Nodes, Channels, Edges>>>;
  readonly limits?: StoredGraphInput['limits'];
  readonly outputs: Readonly<Record<string, NoInfer<NameOf<Channels> | WrittenNames<Nodes>>>>;
  readonly tool?: StoredGraphInput['tool'];
  readonly layout?: StoredGraphInput['layout'];
}): CodeWorkflow {
  const { id, edges, ...rest } = workflow;
  const stated = StoredGraph.parse({ schemaVersion: 1, ...rest, edges: edges.flatMap(storedEdges) });
  const graph = workflow.state === undefined ? declared(stated, Object.values(workflow.nodes)) : stated;
  return { id, graph, graphHash: graphHash(graph) };
}

/** The graph with the channels that its nodes write. */
function declared(graph: StoredGraph, nodes: readonly AnyNode[]): StoredGraph {
  const definitions = nodes.flatMap((one) => (definitionOf in one ? [one[definitionOf] as NodeDefinition] : []));
  const find = (type: string): NodeDefinition | undefined => definitions.find((one) => one.type === type);
  const missing = declarationsOf(typedOutlineOf({ ...graph }, { definitions, find }, {}));
  return missing.length === 0 ? graph : applyOperations(graph, missing).graph;
}

function storedEdges(edge: BuiltEdge<string>): readonly object[] {
  if ('from' in edge) return [edge];
  const [from, to] = edge;
  return list(from).flatMap((one) => list(to).map((other) => ({ from: one, to: other })));
}

function list<Name extends string>(names: OneOrMore<Name>): readonly Name[] {
  return typeof names === 'string' ? [names] : names;
}
