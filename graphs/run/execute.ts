import { AppError, type FieldError } from '#src/domain/app-error.ts';
import { Computing, type RunComputing } from '#graphs/compute/computing.ts';
import { deadline } from '#graphs/engine/deadline.ts';
import { Semaphore } from '#graphs/engine/semaphore.ts';
import type { CompiledWorkflow } from '#graphs/run/compiled-workflow.ts';
import type { InnerThread, NestedOutcome, NestedWorkflow, Question } from '#graphs/define.ts';
import type { RunContext, RunParts } from '#graphs/run/run-context.ts';
import type { StoredGraph } from '#src/contracts/resources/graph.ts';

export interface RunRequest {
  readonly compiled: CompiledWorkflow;
  readonly context: RunParts;
  /** Initial values of declared channels; ignored if the run continues from a checkpoint. */
  readonly initialState: Readonly<Record<string, unknown>>;
  /** Aborts on cancel, lost lease and shutdown. The run aborts its nodes, then rejects with the reason. */
  readonly signal: AbortSignal;
  /** Channels whose final values are wanted beside the outputs, where the graph declares them. Default: none. */
  readonly channels?: readonly string[];
  /** false: does not wait for the last checkpoints, which a finished run does not need. Default: true. */
  readonly keepCheckpoints?: boolean;
  /** true: an earlier process may have started this run, so it continues after the last finished node. */
  readonly resume: boolean;
}

/** A question and the path of the node that asked it. */
export interface AskedQuestion extends Question {
  readonly path: string;
}

/** `outputs` by the names of the graph's `outputs`; null for channels without a value. */
export type RunOutcome =
  | {
      readonly status: 'succeeded';
      readonly outputs: Record<string, unknown>;
      /** Values of the channels that were asked for; absent if none were. */
      readonly channels?: Readonly<Record<string, unknown>>;
    }
  | { readonly status: 'waiting'; readonly questions: readonly AskedQuestion[] };

type ReadyRequest = RunRequest & { readonly context: { readonly computing: RunComputing } };
/** The parts of a request that its nested workflows share. */
type SharedRequest = Omit<ReadyRequest, 'compiled' | 'initialState'>;

/** One graph of the run: the workflow itself or a nested one. */
interface Frame {
  readonly threadId: string;
  readonly prefix: string;
  readonly depth: number;
  readonly questions: AskedQuestion[];
}

/** Deepest nesting of workflows; also stops a workflow that runs itself. */
const maxDepth = 8;

/**
 * Runs a compiled graph until it ends or waits for answers, with the run id as thread id. Its checkpoints are stored when this returns.
 * Throws the failed node's `AppError`, `run.step_limit`, `run.timed_out`, `request.invalid` (initial state), or the signal's reason.
 * Source: docs/decisions/0021.
 */
export function executeRun(request: RunRequest): Promise<RunOutcome> {
  const { run, computing = new Computing().forRun(run.organizationId) } = request.context;
  return execute(
    { ...request, context: { ...request.context, computing } },
    { threadId: run.runId, prefix: '', depth: 0, questions: [] },
  );
}

async function execute(request: ReadyRequest, frame: Frame): Promise<RunOutcome> {
  const { compiled, signal } = request;
  const { graph, checkpointer } = compiled;
  const { threadId } = frame;
  const wanted = (frame.depth === 0 ? (request.channels ?? []) : []).filter((name) => Object.hasOwn(graph.state, name));
  refuseUndeclared(graph, request.initialState);
  signal.throwIfAborted();
  using limit = deadline([signal], { ms: graph.limits.timeoutMs, reason: () => timedOut(graph) });
  try {
    const resuming = request.resume && (await hasCheckpoint(compiled, threadId));
    const values = await compiled.invoke(resuming ? null : firstInput(graph, request.initialState), {
      configurable: { thread_id: threadId, freshThread: !resuming },
      context: contextOf(request, frame, limit.signal),
      // A second guard: the node runner counts supersteps itself, also across a resume. Each loop adds at most a turn and an exit after
      // the last node.
      recursionLimit: graph.limits.maxSteps + 2 + 2 * Object.keys(graph.nodes).length,
      durability: 'async',
      outputKeys: [...new Set([...Object.values(graph.outputs), ...wanted])],
    });
    limit.signal.throwIfAborted();
    const waiting = frame.questions.length > 0;
    if (waiting || request.keepCheckpoints !== false) await checkpointer.flush?.(threadId);
    if (waiting) return { status: 'waiting', questions: frame.questions };
    const outputs = outputsOf(graph, values ?? {});
    if (wanted.length === 0) return { status: 'succeeded', outputs };
    const channels = Object.fromEntries(wanted.map((name) => [name, values?.[name] ?? null]));
    return { status: 'succeeded', outputs, channels };
  } catch (error) {
    // The error of the run matters more than one of its last checkpoints, without which it only repeats more steps.
    await Promise.allSettled([checkpointer.flush?.(threadId)]);
    throw limit.signal.aborted ? limit.signal.reason : asAppError(error);
  }
}

function contextOf(request: ReadyRequest, frame: Frame, signal: AbortSignal): RunContext {
  return {
    ...request.context,
    signal,
    prefix: frame.prefix,
    semaphore: new Semaphore(request.compiled.graph.limits.maxConcurrency),
    mapSemaphores: new Map(),
    ask: (path, question) => void frame.questions.push({ ...question, path }),
    runInside: (path, superstep, nested) => runInside({ request, frame, signal }, `${path}@${superstep}`, nested),
    openThread: (path, superstep) => openThread({ request, frame }, path, superstep),
  };
}

/** Thread of a graph inside a node. Its questions have the path of the node as a prefix. */
function openThread(
  { request: { compiled, context }, frame }: { request: ReadyRequest; frame: Frame },
  path: string,
  superstep: number,
): InnerThread {
  const id = `${frame.threadId}|${path}@${superstep}`;
  context.innerThreads?.add(id);
  const placeOf = (name: string): string => `${path}/${name}`;
  return {
    id,
    checkpointer: compiled.checkpointer,
    ask: (name, question) => void frame.questions.push({ ...question, path: placeOf(name) }),
    isAnswered: (name) => context.answers?.has(placeOf(name)) === true,
    answerOf: (name) => context.answers?.get(placeOf(name)),
  };
}

/** Runs a nested workflow on a separate thread. Its steps, questions and results have the path of the `workflow` node as a prefix. */
export async function runInside(
  { request, frame, signal }: { request: SharedRequest; frame: Frame; signal: AbortSignal },
  place: string,
  { workflowId, version, initialState }: NestedWorkflow,
): Promise<NestedOutcome> {
  if (frame.depth >= maxDepth) {
    throw new AppError('workflow.invalid', `Workflows are nested more than ${maxDepth} deep. Use fewer levels.`);
  }
  const compiled = await request.context.loadWorkflow?.(workflowId, version);
  if (compiled === undefined) throw new Error('this run cannot load other workflows');
  const questions: AskedQuestion[] = [];
  const inner: Frame = {
    threadId: `${frame.threadId}|${place}`,
    prefix: `${place.slice(0, place.lastIndexOf('@'))}/`,
    depth: frame.depth + 1,
    questions,
  };
  request.context.innerThreads?.add(inner.threadId);
  // Nodes of the nested workflow may have finished before a crash, so it resumes like the run.
  const outcome = await execute({ ...request, compiled, initialState, signal }, inner);
  if (outcome.status === 'succeeded') return outcome;
  frame.questions.push(...questions);
  return { status: 'waiting' };
}

/** Errors of an initial state: undeclared channels and reserved members. */
function initialStateErrors(graph: StoredGraph, initialState: Readonly<Record<string, unknown>>): FieldError[] {
  const declared = Object.keys(graph.state);
  const errors: FieldError[] = [];
  for (const [name, value] of Object.entries(initialState)) {
    const pointer = `/initialState/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    if (!declared.includes(name)) {
      const message = `This workflow declares ${declared.length > 0 ? `the channels ${declared.join(', ')}` : 'no channels'}.`;
      errors.push({ pointer, code: 'channel_unknown', message });
    } else if (typeof value === 'object' && value !== null && '__overwrite__' in value) {
      errors.push({ pointer, code: 'value_reserved', message: 'The member "__overwrite__" is reserved. Rename it.' });
    }
  }
  return errors;
}

function refuseUndeclared(graph: StoredGraph, initialState: Readonly<Record<string, unknown>>): void {
  const errors = initialStateErrors(graph, initialState);
  if (errors.length > 0) {
    throw new AppError(
      'request.invalid',
      'The initial state sets channels that the workflow does not declare. Remove them.',
      { errors },
    );
  }
}

/** Defaults of `replace` channels, overridden by the initial state. LangGraph applies the defaults of other channels. */
function firstInput(graph: StoredGraph, initialState: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const defaults = Object.entries(graph.state).filter(
    ([, one]) => one.reducer === 'replace' && one.default !== undefined,
  );
  return { ...Object.fromEntries(defaults.map(([name, one]) => [name, one.default])), ...initialState };
}

async function hasCheckpoint({ checkpointer }: CompiledWorkflow, threadId: string): Promise<boolean> {
  return (await checkpointer.getTuple({ configurable: { thread_id: threadId } })) !== undefined;
}

function outputsOf(graph: StoredGraph, channels: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(graph.outputs).map(([name, channel]) => [
      name,
      channels[channel] ?? graph.state[channel]?.default ?? null,
    ]),
  );
}

function asAppError(error: unknown): AppError {
  if (error instanceof AggregateError)
    return asAppError(error.errors.find((one) => one instanceof AppError) ?? error.errors[0]);
  if (error instanceof AppError) return error;
  const code = error instanceof Error && 'lc_error_code' in error ? error.lc_error_code : undefined;
  if (code === 'GRAPH_RECURSION_LIMIT') {
    return new AppError('run.step_limit', 'The run exceeded the step limit of its workflow (limits.maxSteps).', {
      cause: error,
    });
  }
  if (code === 'INVALID_CONCURRENT_GRAPH_UPDATE') {
    const detail = 'Two parallel nodes wrote the same channel. Give it a reducer other than "replace".';
    return new AppError('workflow.invalid', detail, { cause: error });
  }
  return new AppError('service.internal', 'The run failed unexpectedly.', { cause: error });
}

/** Reason of the abort of a run that exceeded its time limit. */
export function timedOut(graph: StoredGraph): AppError {
  return new AppError(
    'run.timed_out',
    `The run exceeded the time limit of its workflow, ${graph.limits.timeoutMs} ms (limits.timeoutMs).`,
  );
}
