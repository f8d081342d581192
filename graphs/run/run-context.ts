import type { CompiledWorkflow } from '#graphs/run/compiled-workflow.ts';
import type { NestedOutcome, NestedWorkflow, Question } from '#graphs/define.ts';
import type { Gate } from '#graphs/engine/gate.ts';
import type { NodeDeps, RunFacts } from '#graphs/node-deps.ts';
import type { StepSink } from '#graphs/run/step-sink.ts';
import type { NodeCache } from '#src/stores/node-cache.ts';

/** What the caller of a run gives. */
export interface RunParts {
  readonly deps: NodeDeps;
  readonly run: RunFacts;
  readonly steps: StepSink;
  /** Outcomes of pure nodes; none are kept without it. */
  readonly cache?: Pick<NodeCache, 'get' | 'put'>;
  /** Answers given to this run's questions, by the path that asked. */
  readonly answers?: ReadonlyMap<string, unknown>;
  /** Values of project secrets by name; without it, a graph that names secrets fails. */
  revealSecrets?(names: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** A published version of a workflow of the run's project, ready to run. Throws `workflow.version_not_found`. */
  loadWorkflow?(workflowId: string, version: number): Promise<CompiledWorkflow>;
  /** Filled with the threads of workflows inside the run, whose checkpoints are of no use once it has ended. */
  readonly innerThreads?: Set<string>;
}

/** What belongs to one run: it travels in LangGraph's runtime context, never in a checkpoint and never in a module. */
export interface RunContext extends RunParts {
  /** Aborts on cancel, lost lease and the run's time limit. */
  readonly signal: AbortSignal;
  /** Path of the `workflow` node that this graph runs inside of, with a `/`; empty outside. */
  readonly prefix: string;
  /** Nodes at once, over the whole graph. */
  readonly gate: Gate;
  /** Nodes at once of one map, by its target. */
  readonly mapGates: Map<string, Gate>;
  /** Tells a question; the run stops after this superstep. */
  ask(path: string, question: Question): void;
  runInside(path: string, superstep: number, request: NestedWorkflow): Promise<NestedOutcome>;
}
