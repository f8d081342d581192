import type { Reference } from '#src/contracts/experiments/dataset.ts';
import type { EvaluatorType } from '#src/contracts/experiments/evaluator.ts';
import type { Metric, Observation, Score } from '#src/domain/experiments/evaluators/evaluator.ts';
import type { ChatModel } from '#src/domain/ports/chat-model.ts';
import type { ComputeThreads } from '#graphs/compute/threads.ts';
import type { CodeEvaluator } from '#graphs/evaluators/define-evaluator.ts';

/** A metric at work. `score` rejects with the reason of an aborted signal. */
export interface Evaluator extends Metric {
  readonly name: string;
  readonly type: EvaluatorType;
  score(observation: Observation, reference: Reference | null, signal: AbortSignal): Promise<Score>;
}

export interface EvaluatorDeps {
  readonly chat: ChatModel;
  /** null: everything runs on the event loop. */
  readonly threads: ComputeThreads | null;
  readonly code: readonly CodeEvaluator[];
}

/** The part of an evaluator that its type decides. */
export type Judging = Omit<Evaluator, 'name' | 'type'>;
