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
import { isMachinery, wordsOf, type Failure } from '#src/domain/experiments/failures.ts';
import { repeatedCode } from '#src/domain/experiments/told-failures.ts';
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

/**
 * Time after the end of a run in which a judge is asked again: one that is away, and one that refuses, which somebody has to mend. Later the
 * judgement is lost: the experiment must end.
 */
const patienceMs = { away: 15 * 60_000, refusing: 20_000 } as const;
/** Times that a judge is asked whose answer cannot be read. */
const readingsMax = 2;
const shownCharacters = 600;
const noteCharacters = 500;

interface Measured extends Pick<CellRecord, 'repeats' | 'repeatsUsd'> {
  readonly run: RunRecord;
  readonly reference: Reference | null;
  readonly signal: AbortSignal;
  /** True once the experiment cannot come to a verdict: nobody waits for a judge then. Default: it can. */
  readonly isHopeless?: () => Promise<boolean>;
}

/** Judges an ended run by every metric of its experiment. Throws errors that a later attempt may not meet, such as those of a model. */
export async function measureRun(
  parts: MeasureParts,
  experiment: ExperimentRecord,
  { run, reference, signal, isHopeless = async () => false, ...repeated }: Measured,
): Promise<CellRecord> {
  const { experiment: place, documentId, organizationId } = run;
  if (place === undefined) throw new Error(`${run._id} belongs to no experiment`);
  const { experimentId, variant, trial } = place;
  const observation = await observe(parts, run);
  const { failure } = observation;
  const judges = parts.evaluatorsOf(experiment.evaluators);
  const sinceEnd = Date.now() - (run.finishedAt?.getTime() ?? Date.now());
  const isLate = async (patience: number): Promise<boolean> => sinceEnd > patience || (await isHopeless());
  const judged: [string, Judged][] = [];
  if (failure === null || !isMachinery(failure))
    for (const judge of judges)
      judged.push([judge.name, await scoreOf(judge, { observation, reference, isLate, signal, ...repeated })]);
  else for (const { name } of judges) judged.push([name, notJudged(`Not judged: ${wordsOf(failure)}.`)]);
  const costs = judged.flatMap(([, { costUsd }]) => costUsd ?? []);
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
    ...(failure !== null && { failure }),
    ...repeated,
    scores: Object.fromEntries(judged.map(([name, { costUsd: _cost, ...score }]) => [name, score])),
    ms: observation.ms,
    costUsd: observation.costUsd,
    ...(costs.length > 0 && { judgingUsd: costs.reduce((sum, one) => sum + one, 0) }),
    cached: observation.cached,
    outputText: shownOf(observation.outputs),
    at: new Date(),
  };
}

type Judged = CellScore & Pick<Score, 'costUsd'>;

const notJudged = (note: string, lost?: Failure): Judged => ({
  value: null,
  quality: null,
  note: note.slice(0, noteCharacters),
  ...(lost !== undefined && { lost }),
});

interface Asked extends Pick<Measured, 'reference' | 'repeats' | 'signal'> {
  readonly observation: Observation;
  readonly isLate: (patienceMs: number) => Promise<boolean>;
}

async function scoreOf(
  judge: Evaluator,
  { observation, reference, repeats = 0, isLate, signal }: Asked,
): Promise<Judged> {
  try {
    const { note, ...score } = await readScore(judge, { observation, reference, signal });
    // A repeated run takes steps from the cache, and has no time then: a document must not drop out by its failure.
    const dropsOut = repeats > 0 && score.value === null && score.quality === null && score.lost === undefined;
    const lost = dropsOut && observation.status === 'succeeded' ? { lost: { code: repeatedCode } } : {};
    return { ...score, ...lost, note: note?.slice(0, noteCharacters) ?? null };
  } catch (error) {
    const failed = error instanceof AppError ? error : null;
    const passes = failed !== null && (failed.row.retry || isMachinery(failed));
    if (signal.aborted || isOutage(error)) throw error;
    if (!passes) return notJudged(`The evaluator failed: ${String(error)}`, { code: 'service.internal' });
    if (!(await isLate(failed.row.retry ? patienceMs.away : patienceMs.refusing))) throw error;
    const { code, reason } = failed;
    return notJudged(`Not judged: ${failed.message}`, { code, ...(reason !== undefined && { reason }) });
  }
}

/** The score, asked for once more where the answer of a judge could not be read. */
async function readScore(
  judge: Evaluator,
  { observation, reference, signal }: Pick<Asked, 'observation' | 'reference' | 'signal'>,
): Promise<Score> {
  let spent = 0;
  for (let reading = 1; ; reading += 1) {
    const score = await judge.score(observation, reference, signal);
    spent += score.costUsd ?? 0;
    if (score.lost?.code === 'model.output_invalid' && reading < readingsMax) continue;
    return spent > 0 ? { ...score, costUsd: spent } : score;
  }
}

/** Start of what a person compares: the text, or else the outputs. */
function shownOf(outputs: Readonly<Record<string, unknown>>): string {
  const { text, fields, ...others } = outputs;
  const shown = fields ?? (typeof text === 'string' ? text : others);
  return (typeof shown === 'string' ? shown : JSON.stringify(shown)).slice(0, shownCharacters).toWellFormed();
}
