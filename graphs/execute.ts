import { Fault, type FieldError } from '#src/domain/fault.ts';
import { deadline } from '#graphs/engine/deadline.ts';
import type { CompiledWorkflow } from '#graphs/compile.ts';
import type { RunContext } from '#graphs/run-node.ts';
import type { StoredGraph } from '#src/contracts/resources/graph.ts';

export interface RunRequest {
  readonly compiled: CompiledWorkflow;
  readonly context: Omit<RunContext, 'signal'>;
  /** First values of declared channels; not looked at when the run goes on from a checkpoint. */
  readonly initialState: Record<string, unknown>;
  /** Cancel, lost lease, shutdown: the run rejects with its reason, after the running nodes were told. */
  readonly signal: AbortSignal;
  /** False: a run that ends needs no checkpoint any more, so nothing waits for the last ones. Default true. */
  readonly keepCheckpoints?: boolean;
  /** True when an earlier process may have begun this run: it goes on after the last finished node. */
  readonly resume: boolean;
}

export interface RunOutcome {
  readonly status: 'succeeded';
  /** By the names of the graph's `outputs`; null for a channel that was never written. */
  readonly outputs: Record<string, unknown>;
}

/**
 * Runs a compiled graph to its end under thread id = run id; its checkpoints are stored when this returns. Throws the failed node's
 * `Fault`, `run.step_limit`, `run.timed_out`, `request.invalid` (initial state), or the signal's reason.
 * Source: graphs.md "Durable execution".
 */
export async function executeRun(request: RunRequest): Promise<RunOutcome> {
  const { compiled, context, signal } = request;
  const { graph, checkpointer } = compiled;
  const threadId = context.run.runId;
  refuseUndeclared(graph, request.initialState);
  signal.throwIfAborted();
  using limit = deadline([signal], { ms: graph.limits.timeoutMs, reason: () => timedOut(graph) });
  try {
    const resuming = request.resume && (await hasCheckpoint(compiled, threadId));
    const channels = await compiled.invoke(resuming ? null : firstInput(graph, request.initialState), {
      configurable: { thread_id: threadId, freshThread: !resuming },
      context: { ...context, signal: limit.signal },
      // The node runner counts supersteps itself, exactly and across a resume; LangGraph's own guard is the second line.
      recursionLimit: graph.limits.maxSteps + 2,
      maxConcurrency: graph.limits.maxConcurrency,
      durability: 'async',
      outputKeys: [...new Set(Object.values(graph.outputs))],
    });
    limit.signal.throwIfAborted();
    if (request.keepCheckpoints !== false) await checkpointer.flush?.(threadId);
    return { status: 'succeeded', outputs: outputsOf(graph, channels ?? {}) };
  } catch (error) {
    // What happened to the run matters more than whether its last checkpoints were stored: it can only redo more.
    await Promise.allSettled([checkpointer.flush?.(threadId)]);
    throw limit.signal.aborted ? limit.signal.reason : asFault(error);
  }
}

/** What is wrong with a run's initial state: one entry for each channel the graph does not declare. Empty when all is well. */
function initialStateErrors(graph: StoredGraph, initialState: Record<string, unknown>): FieldError[] {
  const declared = Object.keys(graph.state);
  const errors: FieldError[] = [];
  for (const [name, value] of Object.entries(initialState)) {
    const pointer = `/initialState/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    if (!declared.includes(name)) {
      const message = `This workflow declares ${declared.length > 0 ? `the channels ${declared.join(', ')}` : 'no channels'}.`;
      errors.push({ pointer, code: 'channel_unknown', message });
    } else if (typeof value === 'object' && value !== null && '__overwrite__' in value) {
      errors.push({ pointer, code: 'value_reserved', message: 'The member "__overwrite__" is reserved.' });
    }
  }
  return errors;
}

function refuseUndeclared(graph: StoredGraph, initialState: Record<string, unknown>): void {
  const errors = initialStateErrors(graph, initialState);
  if (errors.length > 0) {
    throw new Fault('request.invalid', 'The initial state may set channels of the workflow only.', { errors });
  }
}

/** The defaults of `replace` channels, then the initial state; other channels begin with their default by themselves. */
function firstInput(graph: StoredGraph, initialState: Record<string, unknown>): Record<string, unknown> {
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

function asFault(error: unknown): Fault {
  if (error instanceof AggregateError)
    return asFault(error.errors.find((one) => one instanceof Fault) ?? error.errors[0]);
  if (error instanceof Fault) return error;
  const code = error instanceof Error && 'lc_error_code' in error ? error.lc_error_code : undefined;
  if (code === 'GRAPH_RECURSION_LIMIT') {
    return new Fault('run.step_limit', 'The run took more steps than its workflow allows.', { cause: error });
  }
  if (code === 'INVALID_CONCURRENT_GRAPH_UPDATE') {
    const detail = 'Two parallel nodes wrote the same channel; give it a reducer other than "replace".';
    return new Fault('workflow.invalid', detail, { cause: error });
  }
  return new Fault('service.internal', 'The run failed unexpectedly.', { cause: error });
}

function timedOut(graph: StoredGraph): Fault {
  return new Fault('run.timed_out', `The run took longer than the ${graph.limits.timeoutMs} ms its workflow allows.`);
}
