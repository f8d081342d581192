import { z } from 'zod';
import type { NodeComputing } from '#graphs/compute/computing.ts';
import type { NodeDeps, RunDocument, RunFacts } from '#graphs/node-deps.ts';
import type { JsonSchema } from '#graphs/typing/json-schema.ts';
import type { RunCheckpointer } from '#graphs/run/compiled-workflow.ts';
import type { SecretBinding } from '#src/domain/access/secret-hosts.ts';
import type { ModelUsage } from '#src/domain/ports/models.ts';
import type { RecordTypeVersion } from '#src/domain/records/record-type.ts';

export type ChannelValues = Readonly<Record<string, unknown>>;

/** Channels that a node uses, by name. */
export interface NodeIo {
  /** Channels that the node needs. The checker reports an error if no earlier node writes them. */
  readonly reads: readonly string[];
  /** Channels that the node uses if they exist and have a value. */
  readonly readsIfPresent: readonly string[];
  readonly writes: readonly string[];
}

/** A secret with its places in the config. */
export interface PlacedSecret extends SecretBinding {
  readonly paths?: readonly (readonly PropertyKey[])[];
}

/** Input of one attempt of a node. `signal` aborts on timeout, cancel and lost lease: pass it to every slow call. */
export interface NodeCall<Params> {
  readonly deps: NodeDeps;
  readonly run: RunFacts;
  /**
   * Path of the node in the run: the ids of the surrounding `workflow` nodes and its own id, with the item index of a map
   * (`pages[3]/ocr`). Result rows are unique by run and path.
   */
  readonly path: string;
  readonly nodeId: string;
  /** The channels that the node's io and expressions name, and the item of a map under its name. */
  readonly state: ChannelValues;
  /** The config, with `$expr` and `$secret` replaced by their values. */
  readonly params: Params;
  /** Secrets in `params`. Their hosts are checked by `deps.outbound`; the response of such a call is reduced to what its author named. */
  readonly secrets: readonly PlacedSecret[];
  readonly signal: AbortSignal;
  /** The author wants nothing of earlier runs. Absent: the node may take what they have found. */
  readonly cache?: false;
  /** Evaluates what the author of the workflow wrote, within the budget of this visit. */
  readonly computing: NodeComputing;
  /** Runs another workflow of the project inside this run, with separate state. For the node type `workflow`. */
  runWorkflow(request: NestedWorkflow): Promise<NestedOutcome>;
  /** Opens the thread of a graph of LangGraph inside this visit. All attempts have the same. For `langGraphNode`. */
  openThread(): InnerThread;
  /** Answer to the question that this node asked with `wait`. */
  readonly answer?: unknown;
}

export interface NestedWorkflow {
  readonly workflowId: string;
  readonly version: number;
  readonly initialState: Readonly<Record<string, unknown>>;
}

/** `waiting`: a node of the nested workflow asked a question. */
export type NestedOutcome =
  | { readonly status: 'succeeded'; readonly outputs: Readonly<Record<string, unknown>> }
  | { readonly status: 'waiting' };

/** Checkpoints and questions of a graph inside a node. They are kept until the run ends, and a resumed run continues with them. */
export interface InnerThread {
  readonly id: string;
  readonly checkpointer: RunCheckpointer;
  /** Asks a question under this name; the node then returns `wait: 'inside'`. */
  ask(name: string, question: Question): void;
  /** True if the question of this name was answered. */
  isAnswered(name: string): boolean;
  /** Answer to the question of this name. */
  answerOf(name: string): unknown;
}

/** A question to a person or an agent; the run waits for the answer without a time limit. */
export interface Question {
  readonly prompt: string;
  /** Words of the author: the prompt with {1}, {2}, ... in place of inserted values. Absent: the prompt as a whole may quote the document. */
  readonly words?: string;
  readonly inserted?: readonly string[];
  /** Context of the question, at most 16 KiB of JSON. */
  readonly data?: unknown;
  /** JSON Schema of the answer. */
  readonly answerSchema?: Record<string, unknown>;
}

/** `update` can set the channels in `writes` only. Write ids and small facts; text, vectors and images belong in the store. */
export interface NodeResult {
  readonly update: Record<string, unknown>;
  readonly usage?: ModelUsage;
  /** Label of the engine or model, for receipts: `tesseract.js/7.0.0 ...`, `openai/<model>`, `local/...`. */
  readonly modelLabel?: string;
  /** Names of tools of other services that a model called, in order. */
  readonly toolCalls?: readonly string[];
  /** Ends the attempt: the run waits, then calls the node again with `answer`. `inside`: a nested workflow or graph asked the question. */
  readonly wait?: Question | 'inside';
}

/** Schemas by channel. */
export type Outputs = Readonly<Record<string, z.ZodType>>;

/** Facts about the graph around a node, for schemas of what it writes. */
export interface OutputFacts {
  /** JSON Schema of the value of an expression at this node; empty if nothing is known. */
  expression(source: string): JsonSchema;
  /** JSON Schemas of the outputs of a published workflow of the project; null if it is not known. */
  workflow(workflowId: string, version: number): Readonly<Record<string, JsonSchema>> | null;
  /** Fields of a record type of the project; null if it is not known. */
  recordType(name: string): RecordTypeVersion['fields'] | null;
}

type OutputsOf = (
  config: Readonly<Record<string, unknown>>,
  facts: OutputFacts,
) => Readonly<Record<string, z.ZodType | JsonSchema>>;

/** A method, since the catalog holds definitions of all configs. */
interface PureBy<Params> {
  decide(params: Params): boolean;
}

/** A node type: one file, one row of the catalog. `Written` are the schemas of `outputs` where they do not depend on the config. */
export interface NodeDefinition<Schema extends z.ZodObject = z.ZodObject, Written extends Outputs = Outputs> {
  readonly type: string;
  readonly version: number;
  readonly summary: string;
  /** A strict zod object. Every field has a description, and a default if the node works without it. */
  readonly params: Schema;
  /** Channels that the node uses with any config. */
  readonly reads: readonly string[];
  readonly readsIfPresent?: readonly string[];
  readonly writes: readonly string[];
  /** Further channels that depend on the config, which can be invalid. Leaves out expressions and templates. */
  channels?(config: Readonly<Record<string, unknown>>): Partial<NodeIo>;
  /**
   * Schema of the value that the node writes, by channel; a function of the config, which can be invalid, where it depends on it. A channel
   * that is left out can hold anything. A test runs the example of each type against its schemas. Source: docs/decisions/0168.
   */
  readonly outputs?: Written | OutputsOf;
  /** Config fields that are templates: text with `{{ <expression> }}`, filled by the node. */
  readonly templates?: readonly string[];
  /** Config fields that are an expression or an object of expressions, without `$expr`, evaluated by the node. */
  readonly expressions?: readonly string[];
  /** Config fields that must be constant, without `$expr`: the model follows them as instructions, or they decide where requests go. */
  readonly literals?: readonly string[];
  /** Config fields that accept `$secret`. The node sends them to an external service and neither stores nor shows them. Default: none. */
  readonly secrets?: readonly string[];
  /** Config field with the URL that secrets are sent to. */
  readonly address?: string;
  /** URL that the secret at this path of a config is sent to, where there are several. */
  addressAt?(config: Readonly<Record<string, unknown>>, path: readonly PropertyKey[]): unknown;
  /** Same input, same output, no side effect but its own result row: later runs reuse its cached outcome. It can depend on the config. */
  pure: boolean | PureBy<z.output<Schema>>['decide'];
  /** A pure node that is faster than the cache lookup, and so is not cached. */
  readonly cheap?: true;
  /** Labels of the engine or model, which become part of the cache key besides config, input and document. */
  dependsOn?(deps: NodeDeps, params: z.output<Schema>): readonly string[];
  /** Facts of the document that can change and decide the outcome: they become part of the cache key, too. */
  dependsOnDocument?(document: RunDocument): readonly string[];
  readonly defaultTimeoutMs: number;
  /**
   * Errors of the code are shown with name and message, and with `stack` also where they were thrown. Absent: errors that the code does not
   * know are hidden. Set by the loader of the operator's code. Source: docs/decisions/0285.
   */
  readonly ownErrors?: 'words' | 'stack';
  /** A valid config, shown in the documentation and checked by a test. */
  readonly example: z.input<Schema>;
  run(call: NodeCall<z.output<Schema>>): Promise<NodeResult>;
}

/** Literal types of a definition, by which workflows in code are checked while they compile (`graphs/build.ts`). */
export interface Literals<Type extends string, Expressions extends string, Templates extends string> {
  readonly type: Type;
  readonly expressions?: readonly Expressions[];
  readonly templates?: readonly Templates[];
}

/** Keeps the types of config, outputs and names. */
export function defineNode<
  Schema extends z.ZodObject,
  const Written extends Outputs = Outputs,
  const Type extends string = string,
  const Expressions extends string = string,
  const Templates extends string = string,
>(
  definition: NodeDefinition<Schema, Written> & Literals<Type, Expressions, Templates>,
): NodeDefinition<Schema, Written> & Literals<Type, Expressions, Templates> {
  return definition;
}

/** Facts of a node outside of a graph. */
export const noFacts: OutputFacts = { expression: () => ({}), workflow: () => null, recordType: () => null };

/** JSON Schemas of what a node writes, by channel. */
export function outputsOf(
  { outputs = {} }: NodeDefinition,
  config: Readonly<Record<string, unknown>>,
  facts: OutputFacts = noFacts,
): Readonly<Record<string, JsonSchema>> {
  const given = typeof outputs === 'function' ? outputs(config, facts) : outputs;
  return Object.fromEntries(
    Object.entries(given).map(([channel, schema]) => [
      channel,
      schema instanceof z.ZodType ? jsonSchemaOf(schema) : schema,
    ]),
  );
}

function jsonSchemaOf(schema: z.ZodType): JsonSchema {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, { unrepresentable: 'any' });
  return rest;
}

/** Channels that a node type uses with a config, without those of expressions and templates. */
export function ioOf(definition: NodeDefinition, config: Readonly<Record<string, unknown>>): NodeIo {
  const more = definition.channels?.(config);
  const union = (name: keyof NodeIo): string[] => [...new Set([...(definition[name] ?? []), ...(more?.[name] ?? [])])];
  return { reads: union('reads'), readsIfPresent: union('readsIfPresent'), writes: union('writes') };
}

/** Config fields that accept no `$expr`. */
function writtenOut({ literals = [], templates = [], expressions = [] }: NodeDefinition): ReadonlySet<string> {
  return new Set([...literals, ...templates, ...expressions]);
}

/** True if this config field accepts a reference. */
export function takesReference(definition: NodeDefinition, kind: '$expr' | '$secret', field: string): boolean {
  return kind === '$secret' ? definition.secrets?.includes(field) === true : !writtenOut(definition).has(field);
}
