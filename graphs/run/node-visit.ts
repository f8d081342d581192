import { setTimeout as pause } from 'node:timers/promises';
import { canonicalHash } from '#src/domain/canonical-json.ts';
import { isOutage } from '#src/outage.ts';
import { AppError } from '#src/domain/app-error.ts';
import { ModelError } from '#src/domain/model-error.ts';
import { failureOf } from '#src/domain/runs/failure.ts';
import { noTracer } from '#src/domain/traces/no-tracer.ts';
import type { Span, Tracer } from '#src/domain/ports/tracer.ts';
import { derivedId } from '#src/domain/ids.ts';
import { deadline, unlessAborted, type Deadline } from '#graphs/engine/deadline.ts';
import { depsInTurn } from '#graphs/engine/deps-in-turn.ts';
import { preview } from '#graphs/engine/preview.ts';
import { prepareNode, type PreparedNode } from '#graphs/run/prepare-node.ts';
import { NodeError, nodeErrorOf, stackOf } from '#graphs/code/node-error.ts';
import { mapStrings, previewOf, SentRequest } from '#graphs/run/sent-request.ts';
import type { NodeComputing } from '#graphs/compute/computing.ts';
import type { NodePlan } from '#graphs/run/plan-node.ts';
import type { ChannelValues, NodeCall, NodeDefinition, NodeResult } from '#graphs/define.ts';
import type { MapItem } from '#graphs/engine/flow-state.ts';
import type { RunContext } from '#graphs/run/run-context.ts';
import type { StepFinished, StepStarted } from '#graphs/run/step-sink.ts';
import type { SecretBinding } from '#src/domain/access/secret-hosts.ts';
import type { Outbound } from '#src/domain/ports/outbound.ts';
import type { CachedOutcome } from '#src/stores/node-cache.ts';

/** Outcome of a visit. `failed`: the run goes on by `onError`. `waiting`: the node asked a question. */
export type VisitOutcome =
  | { readonly kind: 'succeeded'; readonly update: ChannelValues }
  | { readonly kind: 'failed' }
  | { readonly kind: 'waiting' };

export interface VisitInput {
  /** Channels that the node can read, and the item of a map. */
  readonly state: ChannelValues;
  readonly item: MapItem | undefined;
  readonly superstep: number;
  /** Aborts if another branch of the same superstep fails. */
  readonly branch: AbortSignal | undefined;
  readonly computing: NodeComputing;
}

/** Details of a failed attempt for its step. */
type Details = Pick<StepFinished, 'requestPreview' | 'errorDataPreview' | 'errorStackPreview'>;
type Attempt =
  | { readonly result: NodeResult; readonly outputDigest: string; readonly cachedFrom: string | null }
  | { readonly error: unknown; readonly details?: Details };
type TracedStep = StepStarted & { readonly span: Span };
type Outcome = Pick<StepFinished, 'status'> & Partial<StepFinished>;

/** One visit of a run to a node, with all its attempts. */
export class NodeVisit {
  readonly #plan: NodePlan;
  readonly #context: RunContext;
  readonly #input: VisitInput;
  readonly #path: string;
  readonly #inputPreview: string;
  readonly #tracer: Tracer;

  constructor(plan: NodePlan, context: RunContext, input: VisitInput) {
    this.#plan = plan;
    this.#context = context;
    this.#input = input;
    // The superstep keeps results of loop iterations apart.
    const turn = plan.inLoop ? `#${input.superstep}` : '';
    const item = input.item === undefined ? '' : `[${input.item.index}]`;
    this.#path = `${context.prefix}${plan.nodeId}${turn}${item}`;
    this.#inputPreview = preview(input.state);
    this.#tracer = context.tracing?.tracer ?? noTracer;
  }

  /** Throws `AppError` only. */
  async run(): Promise<VisitOutcome> {
    const attempts = this.#plan.node.retry?.maxAttempts ?? 1;
    for (let tried = 1; ; tried += 1) {
      const outcome = await this.#try(tried, tried >= attempts);
      if (outcome !== 'again') return outcome;
      await this.#backOff(tried);
    }
  }

  async #try(attempt: number, last: boolean): Promise<VisitOutcome | 'again'> {
    using _mapSlot = await this.#mapSemaphore()?.enter();
    using _slot = await this.#context.semaphore.enter();
    this.#throwIfStopped();
    const step = this.#start(attempt);
    const span = this.#spanOf(step);
    const outcome = await this.#tracer.within(span, () => this.#attempt());
    if ('result' in outcome) return this.#succeed({ ...step, span }, outcome);
    const stopped = this.#stopped();
    const error = stopped ? this.#stopError() : asAppError(outcome.error, this.#plan.nodeId);
    const willRetry = !stopped && !last && isRetried(error);
    // Without a database the run waits for another worker: nothing of it has failed.
    const goesOn = !stopped && !willRetry && !isOutage(error) && this.#goesOnAfterErrors();
    const status = stopped ? 'canceled' : goesOn ? 'continued' : 'failed';
    const failure = { status, error: failureOf(error), willRetry } as const;
    this.#finish(
      { ...step, span },
      { ...failure, ...outcome.details, ...(error instanceof ModelError && { usage: error.usage }) },
      outcome.error,
    );
    if (goesOn) return { kind: 'failed' };
    if (!willRetry) throw error;
    return 'again';
  }

  #succeed(
    step: TracedStep,
    { result, outputDigest, cachedFrom }: Extract<Attempt, { result: unknown }>,
  ): VisitOutcome {
    if (result.wait !== undefined) {
      if (result.wait !== 'inside') this.#context.ask(this.#path, result.wait);
      this.#finish(step, { status: 'waiting' });
      return { kind: 'waiting' };
    }
    this.#finish(step, {
      status: 'succeeded',
      outputPreview: preview(result.update),
      outputDigest,
      modelLabel: result.modelLabel ?? null,
      cachedFrom,
      ...(result.usage !== undefined && { usage: result.usage }),
      ...(result.toolCalls !== undefined && { toolCalls: result.toolCalls }),
    });
    return { kind: 'succeeded', update: result.update };
  }

  async #attempt(): Promise<Attempt> {
    const { definition, node, nodeId } = this.#plan;
    const ms = node.timeoutMs ?? definition.defaultTimeoutMs;
    using limit = deadline([this.#context.signal, this.#input.branch], { ms, reason: () => stepTimeout(nodeId, ms) });
    try {
      const ready = await prepareNode(this.#plan, this.#context, this.#input);
      const kept = await this.#kept(ready);
      if (kept !== null) return attemptOf(asResult(kept), kept.runId);
      return await this.#call(ready, limit);
    } catch (error) {
      return { error };
    }
  }

  async #call(ready: PreparedNode, limit: Deadline): Promise<Attempt> {
    const { definition } = this.#plan;
    const sent = new SentRequest();
    const { signal } = limit;
    const call = this.#callOf(ready, sent, limit);
    try {
      const made = await unlessAborted(signal, () => definition.run(call));
      const { redact, conceal } = ready;
      const update =
        redact === null || conceal === null ? made.update : (conceal(mapStrings(made.update, redact)) as ChannelValues);
      const result = { ...made, update: checkedUpdate(update, this.#plan) };
      const attempt = attemptOf(result, null);
      if (ready.cacheKey !== null && result.wait === undefined) this.#keep(ready.cacheKey, result);
      return attempt;
    } catch (error) {
      const request = sent.shown(ready);
      const details = request === undefined ? {} : { requestPreview: request };
      if (isOwnError(error, definition)) return this.#ownFailure(error, ready, details);
      // An error of a library can quote the request or its response, and is logged.
      const said = ready.redact === null ? error : redacted(asAppError(error, this.#plan.nodeId), ready.redact);
      return { error: said, details };
    }
  }

  /** Words of an error of the operator's own code. */
  #ownFailure(thrown: unknown, { redact, conceal }: PreparedNode, details: Details): Attempt {
    const { definition, nodeId } = this.#plan;
    const error = nodeErrorOf(thrown, nodeId, redact);
    const stack = definition.ownErrors === 'stack' ? stackOf(thrown, redact) : undefined;
    const data = thrown instanceof NodeError ? thrown.data : undefined;
    return {
      error,
      details: {
        ...details,
        ...(data !== undefined && { errorDataPreview: previewOf(data, { redact, conceal }) }),
        ...(stack !== undefined && { errorStackPreview: stack }),
      },
    };
  }

  #callOf({ params, secrets }: PreparedNode, sent: SentRequest, limit: Deadline): NodeCall<Record<string, unknown>> {
    const { deps: all, run, answers } = this.#context;
    const through = sent.through(
      secrets.length === 0 ? all : { ...all, outbound: boundOutbound(all.outbound, secrets) },
    );
    const deps = depsInTurn(through, run, limit);
    const path = this.#path;
    const answer = answers?.has(path) === true ? { answer: answers.get(path) } : {};
    return {
      deps,
      run,
      path,
      nodeId: this.#plan.nodeId,
      state: this.#input.state,
      params,
      secrets,
      signal: limit.signal,
      computing: this.#input.computing,
      ...(!this.#plan.node.cache && { cache: false as const }),
      ...answer,
      runWorkflow: (request) => this.#context.runInside(path, this.#input.superstep, request),
      openThread: () => this.#context.openThread(path, this.#input.superstep),
    };
  }

  async #kept({ cacheKey }: PreparedNode): Promise<CachedOutcome | null> {
    if (cacheKey === null) return null;
    const { organizationId, projectId } = this.#context.run;
    return (await this.#context.cache?.get(organizationId, projectId, cacheKey)) ?? null;
  }

  #keep(key: string, { update, modelLabel, usage }: NodeResult): void {
    const { organizationId, projectId, documentId, runId } = this.#context.run;
    const outcome = { update, modelLabel: modelLabel ?? null, usage: usage ?? null, runId };
    this.#context.cache?.put({ organizationId, projectId, documentId }, key, outcome);
  }

  async #backOff(tried: number): Promise<void> {
    const { retry } = this.#plan.node;
    if (!retry) return;
    const wait = Math.min(retry.maxIntervalMs, retry.initialIntervalMs * retry.backoff ** (tried - 1));
    using stop = deadline([this.#context.signal, this.#input.branch]);
    try {
      await pause(wait, undefined, { signal: stop.signal });
    } catch {
      // Only an abort ends the wait early; throws the error that describes it.
      this.#throwIfStopped();
    }
  }

  #start(attempt: number): StepStarted {
    const { definition } = this.#plan;
    const { runId } = this.#context.run;
    const { superstep } = this.#input;
    const started: StepStarted = {
      stepId: derivedId('step', runId, String(superstep), this.#path, String(attempt)),
      runId,
      path: this.#path,
      type: definition.type,
      typeVersion: definition.version,
      attempt,
      superstep,
      status: 'running',
      startedAt: new Date(),
      inputPreview: this.#inputPreview,
    };
    this.#context.steps.started(started);
    return started;
  }

  #spanOf({ path, attempt }: StepStarted): Span {
    const { nodeId, definition } = this.#plan;
    return this.#tracer.start({
      name: definition.type,
      attributes: {
        ...this.#context.tracing?.attributes,
        'inkgraph.node.id': nodeId,
        'inkgraph.node.path': path,
        'inkgraph.node.attempt': attempt,
      },
    });
  }

  #finish({ span, ...step }: TracedStep, outcome: Outcome, cause?: unknown): void {
    span.set({
      'inkgraph.node.status': outcome.status,
      'inkgraph.node.cached': typeof outcome.cachedFrom === 'string',
    });
    span.end(outcome.error?.code);
    const finishedAt = new Date();
    const ms = finishedAt.getTime() - step.startedAt.getTime();
    const nothing = { outputPreview: '', outputDigest: null, modelLabel: null, cachedFrom: null, willRetry: false };
    this.#context.steps.finished({ ...step, finishedAt, ms, ...nothing, ...outcome }, cause);
  }

  #mapSemaphore() {
    return this.#input.item === undefined ? undefined : this.#context.mapSemaphores.get(this.#plan.nodeId);
  }

  #goesOnAfterErrors(): boolean {
    return this.#plan.node.onError !== 'fail' || this.#input.item?.skipErrors === true;
  }

  #stopped(): boolean {
    return this.#context.signal.aborted || this.#input.branch?.aborted === true;
  }

  #throwIfStopped(): void {
    if (this.#stopped()) throw this.#stopError();
  }

  #stopError(): AppError {
    const reason: unknown = this.#context.signal.reason;
    if (reason instanceof AppError) return reason;
    const why = this.#context.signal.aborted ? 'The run was stopped' : 'Another branch of the run failed';
    return new AppError('run.canceled', `${why} before this step ended.`);
  }
}

/** Names the secrets in every request, so that no node can send them to a host that they are not bound to. A node may name those of one request. */
function boundOutbound(outbound: Outbound, secrets: readonly SecretBinding[]): Outbound {
  return { ...outbound, send: (request) => outbound.send({ secrets, ...request }) };
}

/** Throws if the update is not JSON. */
function attemptOf(result: NodeResult, cachedFrom: string | null): Attempt {
  return { result, outputDigest: canonicalHash(result.update), cachedFrom };
}

function asResult({ update, modelLabel, usage }: CachedOutcome): NodeResult {
  return {
    update: { ...update },
    ...(modelLabel !== null && { modelLabel }),
    ...(usage !== null && { usage }),
  };
}

function checkedUpdate(update: ChannelValues, { writes, definition, nodeId }: NodePlan): Record<string, unknown> {
  for (const [name, value] of Object.entries(update)) {
    if (!writes.has(name))
      throw new Error(`Node "${nodeId}" wrote "${name}", which ${definition.type} does not declare`);
    // LangGraph reads such an object as a command to bypass the reducer.
    if (typeof value === 'object' && value !== null && '__overwrite__' in value) {
      throw new AppError(
        'workflow.invalid',
        `Node "${nodeId}" wrote a value with the member "__overwrite__", which is reserved. Rename it.`,
      );
    }
  }
  return update;
}

/** True for errors of the operator's own code that say something for people. Errors of ours say it already, and outages are no errors of a run. */
function isOwnError(error: unknown, { ownErrors }: NodeDefinition): boolean {
  if (error instanceof NodeError) return true;
  return ownErrors !== undefined && !(error instanceof AppError) && !isOutage(error);
}

const isRetried = (error: AppError): boolean => (error instanceof NodeError ? error.retry : error.row.retry);

function redacted(error: AppError, redact: (text: string) => string): AppError {
  const { code, detail, reason, retryAfterSeconds } = error;
  return new AppError(code, redact(detail), { reason, ...(retryAfterSeconds !== undefined && { retryAfterSeconds }) });
}

function asAppError(error: unknown, nodeId: string): AppError {
  if (error instanceof AppError) return error;
  return new AppError('service.internal', `Node "${nodeId}" failed unexpectedly.`, { cause: error });
}

function stepTimeout(nodeId: string, timeoutMs: number): AppError {
  return new AppError('run.step_timeout', `Node "${nodeId}" exceeded its time limit of ${timeoutMs} ms (timeoutMs).`);
}
