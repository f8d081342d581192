import { setTimeout as pause } from 'node:timers/promises';
import { Fault } from '#src/domain/fault.ts';
import { derivedId } from '#src/domain/ids.ts';
import { deadline, unlessAborted } from '#graphs/engine/deadline.ts';
import { preview } from '#graphs/engine/preview.ts';
import type { GraphNode } from '#src/contracts/resources/graph.ts';
import type { ChannelValues, NodeDefinition, NodeResult } from '#graphs/define.ts';
import type { NodeDeps, RunFacts } from '#graphs/node-deps.ts';
import type { StepFinished, StepSink, StepStarted } from '#graphs/step-sink.ts';

/** What belongs to one run: it travels in LangGraph's runtime context, never in a checkpoint and never in a module. */
export interface RunContext {
  readonly deps: NodeDeps;
  readonly run: RunFacts;
  readonly steps: StepSink;
  /** Aborts on cancel, lost lease and the run's time limit. */
  readonly signal: AbortSignal;
  /** Attempts that steps of an earlier process took, so that a resumed run goes on counting. Default: none. */
  attemptsBefore?(nodeId: string, superstep: number): number;
}

/** One node of one graph, ready to run: its type looked up and its config parsed, once per compiled graph. */
export interface NodePlan {
  readonly nodeId: string;
  readonly node: GraphNode;
  readonly definition: NodeDefinition;
  readonly params: Record<string, unknown>;
  /** The run's limit of supersteps. */
  readonly maxSteps: number;
}

/** The part of LangGraph's node config that is used here. `signal` aborts when another branch of the same superstep failed. */
export interface NodeRuntime {
  readonly context?: unknown;
  readonly metadata?: Record<string, unknown>;
  readonly signal?: AbortSignal;
}

type Attempt = { readonly result: NodeResult } | { readonly error: unknown };

/**
 * Makes the function that LangGraph calls: picks `reads`, tries the node as often as `retry` allows, checks `writes`, and tells
 * every attempt to the run's step sink. Throws `Fault` only; with `onError: 'continue'` a failed node writes nothing instead.
 */
export function nodeRunner(plan: NodePlan): (state: ChannelValues, runtime: NodeRuntime) => Promise<ChannelValues> {
  return async (state, runtime) => {
    const context = runtime.context as RunContext;
    const superstep = Number(runtime.metadata?.['langgraph_step']);
    if (superstep > plan.maxSteps) {
      throw new Fault('run.step_limit', `The run would take more than the ${plan.maxSteps} steps its workflow allows.`);
    }
    const visit = new NodeVisit(plan, context, superstep, { state: pick(state, plan.definition), runtime });
    return visit.run();
  };
}

/** One arrival of a run at a node: all its attempts. */
class NodeVisit {
  readonly #plan: NodePlan;
  readonly #context: RunContext;
  readonly #superstep: number;
  readonly #state: ChannelValues;
  readonly #branch: AbortSignal | undefined;
  readonly #inputPreview: string;
  readonly #firstAttempt: number;

  constructor(
    plan: NodePlan,
    context: RunContext,
    superstep: number,
    input: { state: ChannelValues; runtime: NodeRuntime },
  ) {
    this.#plan = plan;
    this.#context = context;
    this.#superstep = superstep;
    this.#state = input.state;
    this.#branch = input.runtime.signal;
    this.#inputPreview = preview(input.state);
    this.#firstAttempt = 1 + (context.attemptsBefore?.(plan.nodeId, superstep) ?? 0);
  }

  async run(): Promise<ChannelValues> {
    const { retry, onError } = this.#plan.node;
    const attempts = retry?.maxAttempts ?? 1;
    for (let tried = 1; ; tried += 1) {
      this.#throwIfStopped();
      const step = this.#start(this.#firstAttempt + tried - 1);
      const outcome = await this.#attempt();
      if ('result' in outcome) {
        this.#finish(step, { status: 'succeeded', outputPreview: preview(outcome.result.update), ...usageOf(outcome) });
        return outcome.result.update;
      }
      const stopped = this.#stopped();
      const fault = stopped ? this.#stopFault() : asFault(outcome.error, this.#plan.nodeId);
      const willRetry = !stopped && tried < attempts && fault.row.retry;
      const continues = !stopped && !willRetry && onError === 'continue';
      const status = stopped ? 'canceled' : continues ? 'continued' : 'failed';
      const error = { code: fault.code, message: fault.detail };
      this.#finish(step, { status, error, willRetry }, outcome.error);
      if (continues) return {};
      if (!willRetry) throw fault;
      await this.#backOff(tried);
    }
  }

  async #attempt(): Promise<Attempt> {
    const { definition, node, nodeId, params } = this.#plan;
    const ms = node.timeoutMs ?? definition.defaultTimeoutMs;
    using limit = deadline([this.#context.signal, this.#branch], { ms, reason: () => stepTimeout(nodeId, ms) });
    const { deps, run } = this.#context;
    try {
      const result = await unlessAborted(limit.signal, () =>
        definition.run({ deps, run, nodeId, state: this.#state, params, signal: limit.signal }),
      );
      return { result: { ...result, update: checkedUpdate(result.update, definition, nodeId) } };
    } catch (error) {
      return { error };
    }
  }

  async #backOff(tried: number): Promise<void> {
    const { retry } = this.#plan.node;
    if (!retry) return;
    const wait = Math.min(retry.maxIntervalMs, retry.initialIntervalMs * retry.backoff ** (tried - 1));
    using stop = deadline([this.#context.signal, this.#branch]);
    try {
      await pause(wait, undefined, { signal: stop.signal });
    } catch {
      // Only an abort ends the wait early; it is answered with the fault that tells why.
      this.#throwIfStopped();
    }
  }

  #start(attempt: number): StepStarted {
    const { nodeId, definition } = this.#plan;
    const { runId } = this.#context.run;
    const started: StepStarted = {
      stepId: derivedId('step', runId, String(this.#superstep), nodeId, String(attempt)),
      runId,
      nodeId,
      type: definition.type,
      attempt,
      superstep: this.#superstep,
      status: 'running',
      startedAt: new Date(),
      inputPreview: this.#inputPreview,
    };
    this.#context.steps.started(started);
    return started;
  }

  #finish(
    step: StepStarted,
    outcome: Pick<StepFinished, 'status'> &
      Partial<Pick<StepFinished, 'outputPreview' | 'usage' | 'error' | 'willRetry'>>,
    cause?: unknown,
  ): void {
    const finishedAt = new Date();
    const ms = finishedAt.getTime() - step.startedAt.getTime();
    this.#context.steps.finished({ ...step, finishedAt, ms, outputPreview: '', willRetry: false, ...outcome }, cause);
  }

  #stopped(): boolean {
    return this.#context.signal.aborted || this.#branch?.aborted === true;
  }

  #throwIfStopped(): void {
    if (this.#stopped()) throw this.#stopFault();
  }

  #stopFault(): Fault {
    const reason: unknown = this.#context.signal.reason;
    if (reason instanceof Fault) return reason;
    const why = this.#context.signal.aborted ? 'The run was stopped' : 'Another branch of the run failed';
    return new Fault('run.canceled', `${why} before this step ended.`);
  }
}

function pick(state: ChannelValues, { reads, readsIfPresent = [] }: NodeDefinition): ChannelValues {
  const names = [...reads, ...readsIfPresent].filter((name) => state[name] !== undefined);
  return Object.fromEntries(names.map((name) => [name, state[name]]));
}

function checkedUpdate(update: Record<string, unknown>, definition: NodeDefinition, nodeId: string): ChannelValues {
  for (const [name, value] of Object.entries(update)) {
    if (!definition.writes.includes(name))
      throw new Error(`Node "${nodeId}" wrote "${name}", which ${definition.type} does not declare`);
    // LangGraph takes such an object as an order to replace the channel, past its reducer.
    if (typeof value === 'object' && value !== null && '__overwrite__' in value) {
      throw new Fault('workflow.invalid', `Node "${nodeId}" wrote a value with the reserved member "__overwrite__".`);
    }
  }
  return update;
}

function usageOf(outcome: { readonly result: NodeResult }): Pick<StepFinished, 'usage'> {
  return outcome.result.usage ? { usage: outcome.result.usage } : {};
}

function asFault(error: unknown, nodeId: string): Fault {
  if (error instanceof Fault) return error;
  return new Fault('service.internal', `Node "${nodeId}" failed unexpectedly.`, { cause: error });
}

function stepTimeout(nodeId: string, timeoutMs: number): Fault {
  return new Fault('run.step_timeout', `Node "${nodeId}" took longer than its ${timeoutMs} ms.`);
}
