import { createHash } from 'node:crypto';
import { z } from 'zod';
import { AppError } from '#src/domain/app-error.ts';
import { answerSchemaProblem } from '#src/domain/runs/answer.ts';
import type { InnerThread, NodeCall, NodeDefinition, Outputs, Question } from '#graphs/define.ts';

/** An interrupt of LangGraph. */
interface Interrupt {
  readonly id?: string;
  readonly value?: unknown;
  readonly response_schema?: unknown;
}

interface Snapshot {
  readonly values: unknown;
  readonly config: { readonly configurable?: Readonly<Record<string, unknown>> };
  readonly tasks: readonly { readonly id: string; readonly interrupts: readonly Interrupt[] }[];
}

/** The part of a compiled graph of LangGraph that is used: of `StateGraph.compile()`, `createAgent` or `createReactAgent`. */
export interface CompiledLangGraph {
  invoke(input: never, options: never): Promise<unknown>;
  getState(config: never): Promise<Snapshot>;
}

interface UsableGraph {
  invoke(input: unknown, options: Readonly<Record<string, unknown>>): Promise<Readonly<Record<string, unknown>>>;
  getState(config: Readonly<Record<string, unknown>>): Promise<Snapshot>;
}

export interface LangGraphNodeOptions<Type extends string, Params extends z.ZodObject, Written extends Outputs> {
  /** Name of the node type: a-z, 0-9 and _. */
  readonly type: Type;
  readonly version?: number;
  readonly summary?: string;
  /** Config of the node. Default: none. */
  readonly params?: Params;
  readonly example?: z.input<Params>;
  /** Channels that the graph is given. */
  readonly reads: readonly string[];
  readonly readsIfPresent?: readonly string[];
  /** Channels that it writes. */
  readonly writes: readonly string[];
  /** Schemas of the written channels. */
  readonly outputs?: Written;
  /** Input of the graph. Default: the channels that it reads. */
  input?(call: NodeCall<z.output<Params>>): unknown;
  /** Values of the written channels. Default: the values of the graph with the same names. */
  output?(values: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>>;
  /** Supersteps of the graph. Default: 50. */
  readonly recursionLimit?: number;
  /** Time limit of one attempt. Default: 5 minutes. */
  readonly timeoutMs?: number;
}

/**
 * A node type that runs a compiled graph of LangGraph. The graph's checkpoints are kept with the run: a run that is interrupted, or a node that
 * is tried again, continues with the graph's last checkpoint. `interrupt(...)` asks the question of a `review` node: its value is the prompt, or
 * an object with `prompt` and, as you like, `answer` (options or a JSON Schema) and `data`. A graph that was compiled with `checkpointer: false`
 * cannot ask. Source: docs/decisions/0199.
 */
export function langGraphNode<
  const Type extends string,
  Params extends z.ZodObject = z.ZodObject<{}, z.core.$strict>,
  const Written extends Outputs = Outputs,
>(
  graph: CompiledLangGraph | (() => CompiledLangGraph | Promise<CompiledLangGraph>),
  options: LangGraphNodeOptions<Type, Params, Written>,
): NodeDefinition<Params, Written> & { readonly type: Type } {
  const { type, version = 1, reads, readsIfPresent = [], writes, outputs } = options;
  return {
    type,
    version,
    summary: options.summary ?? 'Run a graph of LangGraph',
    params: (options.params ?? z.strictObject({})) as Params,
    reads,
    readsIfPresent,
    writes,
    ...(outputs !== undefined && { outputs }),
    // Models answer differently each time, and tools have effects.
    pure: false,
    defaultTimeoutMs: options.timeoutMs ?? 300_000,
    example: (options.example ?? {}) as z.input<Params>,
    async run(call) {
      const compiled = (typeof graph === 'function' ? await graph() : graph) as UsableGraph;
      const values = await valuesOf(compiled, call, options);
      if (values === 'waiting') return { update: {}, wait: 'inside' };
      const written = options.output?.(values) ?? values;
      return {
        update: Object.fromEntries(writes.filter((name) => name in written).map((name) => [name, written[name]])),
      };
    },
  };
}

type Options<Params extends z.ZodObject> = Pick<
  LangGraphNodeOptions<string, Params, Outputs>,
  'input' | 'reads' | 'readsIfPresent' | 'recursionLimit'
>;

/** Values of the graph at its end. `waiting`: it asked questions. Throws `run.step_limit`, and what the graph throws. */
async function valuesOf<Params extends z.ZodObject>(
  graph: UsableGraph,
  call: NodeCall<z.output<Params>>,
  options: Options<Params>,
): Promise<Readonly<Record<string, unknown>> | 'waiting'> {
  const { InnerCheckpointer } = await import('#graphs/run/inner-checkpointer.ts');
  const thread = call.openThread();
  const checkpointer = new InnerCheckpointer(thread.checkpointer);
  // The member by which a graph of LangGraph lends its checkpointer to a subgraph.
  const configurable = { thread_id: thread.id, __pregel_checkpointer: checkpointer };
  const before = await graph.getState({ configurable });
  const isNew = before.config.configurable?.['checkpoint_id'] === undefined;
  // Not `next`: it leaves out a task that had an answer and asks again.
  if (!isNew && before.tasks.length === 0) return before.values as Readonly<Record<string, unknown>>;
  const pending = isNew ? [] : await questionsOf(before, checkpointer);
  const answered = pending.filter(({ name }) => thread.isAnswered(name));
  if (pending.length > 0 && answered.length === 0) return ask(thread, pending);
  const input = isNew ? await inputOf(call, options) : await resumption(answered, thread);
  const { recursionLimit = 50 } = options;
  const values = await graph
    .invoke(input, { configurable, signal: call.signal, recursionLimit })
    .catch((error: unknown) => {
      throw isRecursionLimit(error) ? stepLimit(call.nodeId, recursionLimit, error) : error;
    });
  if (values['__interrupt__'] === undefined) return values;
  await thread.checkpointer.flush?.(thread.id);
  return ask(thread, await questionsOf(await graph.getState({ configurable }), checkpointer));
}

const isRecursionLimit = (error: unknown): boolean =>
  error instanceof Error && 'lc_error_code' in error && error.lc_error_code === 'GRAPH_RECURSION_LIMIT';

const stepLimit = (nodeId: string, limit: number, cause: unknown): AppError =>
  new AppError(
    'run.step_limit',
    `The graph of node "${nodeId}" exceeded its limit of ${limit} steps (recursionLimit).`,
    {
      cause,
    },
  );

/** An open interrupt, and the name of its question. */
interface Open {
  readonly name: string;
  readonly interrupt: Interrupt;
}

/**
 * Open interrupts of a graph. All interrupts of one task have the same id: the number of answers that the task has had tells them apart, so that
 * no answer is taken for the next question.
 */
async function questionsOf(
  { config, tasks }: Snapshot,
  checkpointer: { getTuple(config: object): Promise<{ pendingWrites?: readonly (readonly unknown[])[] } | undefined> },
): Promise<readonly Open[]> {
  const { pendingWrites = [] } = (await checkpointer.getTuple(config)) ?? {};
  const answers = new Map<unknown, number>();
  for (const [task, channel, value] of pendingWrites)
    if (channel === '__resume__' && Array.isArray(value)) answers.set(task, value.length);
  return tasks.flatMap(({ id, interrupts }) =>
    interrupts.map((interrupt) => ({ name: nameOf(interrupt, answers.get(id) ?? 0), interrupt })),
  );
}

function nameOf({ id = '' }: Interrupt, answers: number): string {
  return `ask_${createHash('sha256').update(`${id} ${answers}`).digest('hex').slice(0, 12)}`;
}

function inputOf<Params extends z.ZodObject>(
  call: NodeCall<z.output<Params>>,
  { input, reads, readsIfPresent = [] }: Options<Params>,
): unknown {
  if (input !== undefined) return input(call);
  const { state } = call;
  return Object.fromEntries(
    [...reads, ...readsIfPresent].filter((name) => name in state).map((name) => [name, state[name]]),
  );
}

/** Answers by the ids of their interrupts; null continues after a crash. */
async function resumption(answered: readonly Open[], thread: InnerThread): Promise<unknown> {
  if (answered.length === 0) return null;
  const { Command } = await import('@langchain/langgraph');
  const answers = answered.map(({ name, interrupt }) => [interrupt.id, thread.answerOf(name)] as const);
  return new Command({ resume: Object.fromEntries(answers) as Record<string, unknown> });
}

function ask(thread: InnerThread, questions: readonly Open[]): 'waiting' {
  for (const { name, interrupt } of questions) thread.ask(name, questionOf(interrupt));
  return 'waiting';
}

const Asked = z.looseObject({
  prompt: z.string().min(1).max(8_000),
  answer: z.union([z.array(z.string().min(1).max(200)).min(1).max(50), z.record(z.string(), z.unknown())]).optional(),
  data: z.unknown().optional(),
});

function questionOf({ value, response_schema: schema }: Interrupt): Question {
  if (typeof value === 'string' && value !== '') return { prompt: value.slice(0, 8_000), ...schemaOf(schema) };
  const asked = Asked.safeParse(value);
  if (!asked.success) return { prompt: 'The graph waits for an answer.', data: bounded(value), ...schemaOf(schema) };
  const { prompt, answer, data } = asked.data;
  return { prompt, ...(data !== undefined && { data: bounded(data) }), ...schemaOf(answer ?? schema) };
}

function schemaOf(answer: unknown): Pick<Question, 'answerSchema'> {
  if (answer === undefined || answer === null) return {};
  const answerSchema = Array.isArray(answer) ? { enum: answer } : (answer as Record<string, unknown>);
  const problem = answerSchemaProblem(answerSchema);
  if (problem === null) return { answerSchema };
  throw new AppError('workflow.invalid', `The schema of the graph's question cannot be used: ${problem}.`);
}

const maxData = 16 * 1024;

function bounded(data: unknown): unknown {
  const text = JSON.stringify(data) ?? 'null';
  if (Buffer.byteLength(text) > maxData)
    throw new AppError(
      'workflow.invalid',
      `The question of the graph shows more than ${maxData / 1_024} KiB of data. Show less.`,
    );
  return JSON.parse(text);
}
