import type { CompiledWorkflow } from '#graphs/run/compiled-workflow.ts';
import type { RunComputing } from '#graphs/compute/computing.ts';
import type { InnerThread, NestedOutcome, NestedWorkflow, Question } from '#graphs/define.ts';
import type { Semaphore } from '#graphs/engine/semaphore.ts';
import type { NodeDeps, RunFacts } from '#graphs/node-deps.ts';
import type { StepSink } from '#graphs/run/step-sink.ts';
import type { RevealedSecret } from '#src/stores/secrets.ts';
import type { SpanAttributes, Tracer } from '#src/domain/ports/tracer.ts';
import type { NodeCache } from '#src/stores/node-cache.ts';

/** Parts of the run context that the caller provides. */
export interface RunParts {
  readonly deps: NodeDeps;
  readonly run: RunFacts;
  readonly steps: StepSink;
  /** Tracer, and attributes of all spans of the run. Default: nothing is traced. */
  readonly tracing?: { readonly tracer: Tracer; readonly attributes: SpanAttributes };
  /** Computing of this run. Default: on the event loop, for tools that run graphs outside of the service. */
  readonly computing?: RunComputing;
  /** Cache of pure nodes; without it nothing is cached. */
  readonly cache?: Pick<NodeCache, 'get' | 'put'>;
  /** Answers to the run's questions, by path of the node that asked. */
  readonly answers?: ReadonlyMap<string, unknown>;
  /** Project secrets by name; without it a graph with secrets fails. */
  revealSecrets?(names: readonly string[]): Promise<ReadonlyMap<string, RevealedSecret>>;
  /** Loads a published version of a workflow of the run's project. Throws `workflow.version_not_found`. */
  loadWorkflow?(workflowId: string, version: number): Promise<CompiledWorkflow>;
  /** Collects the threads of nested workflows, whose checkpoints can be deleted when the run ends. */
  readonly innerThreads?: Set<string>;
}

/** State of one run. It is passed in LangGraph's runtime context, never stored in a checkpoint or a module. */
export interface RunContext extends RunParts {
  readonly computing: RunComputing;
  /** Aborts on cancel, lost lease and the run's time limit. */
  readonly signal: AbortSignal;
  /** Path of the surrounding `workflow` node with a final `/`; empty for the outer workflow. */
  readonly prefix: string;
  /** Limits concurrent nodes of the whole graph. */
  readonly semaphore: Semaphore;
  /** Limits concurrent items of each map, by target node. */
  readonly mapSemaphores: Map<string, Semaphore>;
  /** Supersteps of the thread before this run, which its limit leaves out. Default: 0. */
  readonly earlierSteps?: number;
  /** Asks a question; the run stops after this superstep. */
  ask(path: string, question: Question): void;
  runInside(path: string, superstep: number, request: NestedWorkflow): Promise<NestedOutcome>;
  openThread(path: string, superstep: number): InnerThread;
}
