import { observe } from '#app/agents/experiments/observe.ts';
import type { Evaluator } from '#graphs/evaluators/evaluator.ts';
import type { EvaluatorSpec } from '#src/contracts/experiments/evaluator.ts';
import type { Observation, Score } from '#src/domain/experiments/evaluators/evaluator.ts';
import type { Reference } from '#src/contracts/experiments/dataset.ts';
import {
  cellIdOf,
  type CellRecord,
  type CellScore,
  type ExperimentRecord,
} from '#src/domain/experiments/experiment.ts';
import { isOutage } from '#src/outage.ts';
import { AppError } from '#src/domain/app-error.ts';
import type { RunRecord } from '#src/domain/runs/run.ts';
import type { ResultStore } from '#src/stores/results.ts';
import type { StepStore } from '#src/stores/steps.ts';

export interface MeasureParts {
  readonly results: Pick<ResultStore, 'ocrText' | 'segmentationById'>;
  readonly steps: Pick<StepStore, 'listOf'>;
  evaluatorsOf(specs: readonly EvaluatorSpec[]): readonly Evaluator[];
}

/** Time after the end of a run in which a model that is away is asked again. Later the run stays without a score: the experiment must end. */
const patienceMs = 15 * 60_000;
const shownCharacters = 600;
const noteCharacters = 500;

/** Judges an ended run by every metric of its experiment. Throws errors that a later attempt may not meet, such as those of a model. */
export async function measureRun(
  parts: MeasureParts,
  experiment: ExperimentRecord,
  {
    run,
    reference,
    signal,
  }: { readonly run: RunRecord; readonly reference: Reference | null; readonly signal: AbortSignal },
): Promise<CellRecord> {
  const { experiment: place, documentId, organizationId } = run;
  if (place === undefined) throw new Error(`${run._id} belongs to no experiment`);
  const { experimentId, variant, trial } = place;
  const observation = await observe(parts, run);
  const late = Date.now() - (run.finishedAt?.getTime() ?? Date.now()) > patienceMs;
  const scores: Record<string, CellScore> = {};
  const costs: number[] = [];
  for (const judge of parts.evaluatorsOf(experiment.evaluators)) {
    const { costUsd, ...score } = await scoreOf(judge, { observation, reference, late }, signal);
    scores[judge.name] = score;
    if (costUsd !== undefined) costs.push(costUsd);
  }
  return {
    _id: cellIdOf({ experimentId, variant, trial, documentId }),
    organizationId,
    experimentId,
    documentId,
    variant,
    trial,
    runId: run._id,
    status: observation.status,
    error: run.error === null ? null : `${run.error.code}: ${run.error.message}`.slice(0, noteCharacters),
    scores,
    ms: observation.ms,
    costUsd: observation.costUsd,
    ...(costs.length > 0 && { judgingUsd: costs.reduce((sum, one) => sum + one, 0) }),
    cached: observation.cached,
    outputText: shownOf(observation.outputs),
    at: new Date(),
  };
}

async function scoreOf(
  judge: Evaluator,
  { observation, reference, late }: { observation: Observation; reference: Reference | null; late: boolean },
  signal: AbortSignal,
): Promise<CellScore & Pick<Score, 'costUsd'>> {
  try {
    const { note, ...score } = await judge.score(observation, reference, signal);
    return { ...score, note: note?.slice(0, noteCharacters) ?? null };
  } catch (error) {
    const mayPass = error instanceof AppError && error.row.retry;
    if (signal.aborted || isOutage(error) || (mayPass && !late)) throw error;
    if (mayPass) return { value: null, quality: null, note: `Not judged: ${error.message}`.slice(0, noteCharacters) };
    // An output that cannot be judged is no good one: the document must not drop out of the comparison.
    return { value: null, quality: 0, note: `The evaluator failed: ${String(error)}`.slice(0, noteCharacters) };
  }
}

/** Start of what a person compares: the text, or else the outputs. */
function shownOf(outputs: Readonly<Record<string, unknown>>): string {
  const { text, fields, ...others } = outputs;
  const shown = fields ?? (typeof text === 'string' ? text : others);
  return (typeof shown === 'string' ? shown : JSON.stringify(shown)).slice(0, shownCharacters).toWellFormed();
}
