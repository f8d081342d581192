import type { z } from 'zod';
import type { NodeDeps, RunFacts } from '#graphs/node-deps.ts';
import type { ModelUsage } from '#src/domain/ports/models.ts';

export type ChannelValues = Readonly<Record<string, unknown>>;

/** Channels by name. */
export interface NodeIo {
  /** Channels the node needs: the checker refuses a graph in which nothing writes them before. */
  readonly reads: readonly string[];
  /** Channels the node uses when the graph has them and something wrote them. */
  readonly readsIfPresent: readonly string[];
  readonly writes: readonly string[];
}

/** What one attempt of a node is given. `signal` aborts on timeout, cancel and lost lease: pass it on to everything slow. */
export interface NodeCall<Params> {
  readonly deps: NodeDeps;
  readonly run: RunFacts;
  /**
   * Where this is in the run: the node's id, after those of the `workflow` nodes it is inside of and with the number of the item
   * inside a map (`pages[3]/ocr`). Result rows are unique by run and path.
   */
  readonly path: string;
  readonly nodeId: string;
  /** Only the channels that the node's io names, those that its expressions name, and the item of a map under its name. */
  readonly state: ChannelValues;
  /** The config, with `$expr` and `$secret` in their values' place. */
  readonly params: Params;
  readonly signal: AbortSignal;
  /** Runs another workflow of the project inside this run, with its own state. For the node type `workflow`. */
  runWorkflow(request: NestedWorkflow): Promise<NestedOutcome>;
  /** The answer that was given to this node's question (`wait`), if it asked one. */
  readonly answer?: unknown;
}

export interface NestedWorkflow {
  readonly workflowId: string;
  readonly version: number;
  readonly initialState: Readonly<Record<string, unknown>>;
}

/** `waiting`: a node in there asked a question. */
export type NestedOutcome =
  | { readonly status: 'succeeded'; readonly outputs: Readonly<Record<string, unknown>> }
  | { readonly status: 'waiting' };

/** A question to a person or an agent; the run waits for the answer, however long. */
export interface Question {
  readonly prompt: string;
  /** What the answer is about; at most 16 KiB of JSON. */
  readonly data?: unknown;
  /** JSON Schema of the answer. */
  readonly answerSchema?: Record<string, unknown>;
}

/** `update` holds channels named in `writes` only: ids and small facts; text, vectors and images belong in the store. */
export interface NodeResult {
  readonly update: Record<string, unknown>;
  readonly usage?: ModelUsage;
  /** Label of what made the result, for receipts: `tesseract.js/7.0.0 ...`, `openai/<model>`, `local/...`. */
  readonly modelLabel?: string;
  /** Ends the attempt: the run waits, and the node is called again with `answer`. `inside`: the question was asked by a workflow inside. */
  readonly wait?: Question | 'inside';
}

/** A node type: one file, one row of the catalogue. Source: graphs.md "Node catalogue". */
export interface NodeDefinition<Schema extends z.ZodObject = z.ZodObject> {
  readonly type: string;
  readonly version: number;
  readonly summary: string;
  /** A strict zod object; every field described, every field with a default where the node can work without it. */
  readonly params: Schema;
  /** As `NodeIo`, for every config. */
  readonly reads: readonly string[];
  readonly readsIfPresent?: readonly string[];
  readonly writes: readonly string[];
  /** More channels, by the config as it is written, valid or not. Expressions and templates are not its affair. */
  channels?(config: Readonly<Record<string, unknown>>): Partial<NodeIo>;
  /** Fields of the config that are templates: text with `{{ <expression> }}`. The node fills them with `fillTemplate`. */
  readonly templates?: readonly string[];
  /** Fields of the config that are one expression, or an object of them, with no `$expr` around: evaluated by the node. */
  readonly expressions?: readonly string[];
  /** Fields of the config that must stand as they are, without `$expr` or `$secret` in them: the model takes them for instructions. */
  readonly literals?: readonly string[];
  /** Fields of the config that `$secret` may stand in: they are sent outside, and the node keeps and tells nothing of them. Default: none. */
  readonly secrets?: readonly string[];
  /** Same inputs, same outputs, no effect but its own result row: its outcome is kept and taken again by later runs. */
  readonly pure: boolean;
  /** A pure node that costs less than looking its outcome up: never kept. */
  readonly cheap?: true;
  /** What else than config, input and document decides the outcome: labels of the engine or model behind. */
  dependsOn?(deps: NodeDeps, params: z.output<Schema>): readonly string[];
  readonly defaultTimeoutMs: number;
  /** A config that works, shown in the docs and checked by a test. */
  readonly example: z.input<Schema>;
  run(call: NodeCall<z.output<Schema>>): Promise<NodeResult>;
}

/** Keeps the type of `params`, so that workflows in code get a typed config (`graphs/build.ts`). */
export function defineNode<Schema extends z.ZodObject>(definition: NodeDefinition<Schema>): NodeDefinition<Schema> {
  return definition;
}

/** A definition's channels under a config; expressions and templates may read more. */
export function ioOf(definition: NodeDefinition, config: Readonly<Record<string, unknown>>): NodeIo {
  const more = definition.channels?.(config);
  const union = (name: keyof NodeIo): string[] => [...new Set([...(definition[name] ?? []), ...(more?.[name] ?? [])])];
  return { reads: union('reads'), readsIfPresent: union('readsIfPresent'), writes: union('writes') };
}

/** Fields of the config that hold no `$expr` and no `$secret`. */
function writtenOut({ literals = [], templates = [], expressions = [] }: NodeDefinition): ReadonlySet<string> {
  return new Set([...literals, ...templates, ...expressions]);
}

/** Whether a reference may stand in this field of the config. */
export function takesReference(definition: NodeDefinition, kind: '$expr' | '$secret', field: string): boolean {
  if (writtenOut(definition).has(field)) return false;
  return kind === '$expr' || definition.secrets?.includes(field) === true;
}
