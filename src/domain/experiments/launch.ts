import { sha256Hex } from '#src/domain/canonical-json.ts';
import { derivedId } from '#src/domain/ids.ts';
import { newRuns } from '#src/domain/runs/new-runs.ts';
import type { ExecutionRecord, RunRecord } from '#src/domain/runs/run.ts';
import type { CellRecord, ExperimentRecord, VariantRecord } from '#src/domain/experiments/experiment.ts';

/** Documents in a random order that the seed fixes. */
export function documentOrder(documentIds: readonly string[], seed: string): readonly string[] {
  return documentIds
    .map((id) => ({ id, rank: sha256Hex(`${seed}\n${id}`) }))
    .toSorted((a, b) => (a.rank < b.rank ? -1 : 1))
    .map(({ id }) => id);
}

/** Variants that still run: all of a comparison; of a search, the baseline and the candidates that are left. */
export function activeVariants({ variants, search }: ExperimentRecord): readonly VariantRecord[] {
  if (search === null) return variants;
  const active = new Set(search.active);
  return variants.filter(({ name }, at) => at === 0 || active.has(name));
}

/** A run of an experiment that is not stored yet, with its execution. */
export interface CellRun {
  readonly execution: ExecutionRecord;
  readonly runs: readonly RunRecord[];
}

/** Runs of a cell at most. The cell is lost when the machinery failed in each. */
const attemptsMax = 3;

/** Runs of one document: one for each active variant and trial. Ids are derived, so that starting them twice starts them once. */
export function runsOfItem(
  experiment: ExperimentRecord,
  documentId: string,
  answers: Readonly<Record<string, unknown>> = {},
  attempt = 1,
): CellRun[] {
  const trials = Array.from({ length: experiment.trials }, (_, at) => at + 1);
  return activeVariants(experiment).flatMap((variant) =>
    trials.map((trial) => {
      const execution = executionOf(experiment, variant, { documentId, trial, attempt });
      return { execution, runs: newRuns(execution).map((run) => ({ ...run, ...givenAnswers(experiment, answers) })) };
    }),
  );
}

/** Answers of the reference to questions of `review` nodes. */
function givenAnswers(
  { _id: by, createdAt: at }: ExperimentRecord,
  answers: Readonly<Record<string, unknown>>,
): Pick<RunRecord, 'answers'> {
  const given = Object.entries(answers).map(([path, answer]) => ({ path, answer, by, at }));
  return given.length === 0 ? {} : { answers: given };
}

function executionOf(
  { _id: experimentId, organizationId, projectId, split, createdAt, apiKeyId, userId }: ExperimentRecord,
  { name, workflowId, workflowName, workflowProjectId, version, graphHash }: VariantRecord,
  { documentId, trial, attempt }: { readonly documentId: string; readonly trial: number; readonly attempt: number },
): ExecutionRecord {
  const place = { experimentId, variant: name, trial, hidden: split === 'holdout', ...(attempt > 1 && { attempt }) };
  return {
    _id: derivedId(
      'execution',
      experimentId,
      name,
      String(trial),
      documentId,
      ...(attempt > 1 ? [String(attempt)] : []),
    ),
    schemaVersion: 1,
    organizationId,
    projectId,
    workflowId,
    workflowProjectId,
    workflowName,
    version,
    graphHash,
    source: 'experiment',
    apiKeyId,
    userId,
    documentIds: [documentId],
    initialState: null,
    experiment: place,
    createdAt,
  };
}

/** Runs of a cell from `attempt` on, at most `attemptsMax` of them together. Empty where the variant does not run any more. */
export function laterRunsOf(
  experiment: ExperimentRecord,
  { documentId, variant, trial }: Pick<CellRecord, 'documentId' | 'trial' | 'variant'>,
  attempt: number,
  answers: Readonly<Record<string, unknown>> = {},
): CellRun[] {
  const attempts = Array.from({ length: Math.max(0, attemptsMax - attempt + 1) }, (_, at) => attempt + at);
  return attempts.flatMap((one) =>
    runsOfItem(experiment, documentId, answers, one).filter(
      ({ execution: { experiment: place } }) => place?.variant === variant && place.trial === trial,
    ),
  );
}

/** Runs of one document that may have been started: those of `runsOfItem` and their repetitions. */
export const everyRunOf = (experiment: ExperimentRecord, documentId: string): CellRun[] =>
  Array.from({ length: attemptsMax }, (_, at) => runsOfItem(experiment, documentId, {}, at + 1)).flat();

/** Runs of the whole plan, without repetitions. */
export const plannedRuns = ({ documentIds, variants, trials }: ExperimentRecord): number =>
  documentIds.length * variants.length * trials;

/** Number of documents that may be started now: as many as keep `maxConcurrency` runs busy, at most up to the next cut of a search. */
export function mayLaunch(experiment: ExperimentRecord, doneRuns: number, launchedRuns: number): number {
  const perItem = activeVariants(experiment).length * experiment.trials;
  const free = Math.floor((experiment.maxConcurrency - (launchedRuns - doneRuns)) / perItem);
  const busy = launchedRuns > doneRuns;
  const until = experiment.search?.rungs[experiment.search.rung] ?? experiment.documentIds.length;
  const left = Math.min(until, experiment.documentIds.length) - experiment.launched;
  return Math.max(0, Math.min(left, busy ? free : Math.max(1, free)));
}

/** Cells of all documents that were started so far. A candidate that a search dropped has those up to its cut. */
export function expectedCells({ variants, search, launched, trials }: ExperimentRecord): number {
  if (search === null) return launched * variants.length * trials;
  const dropped = new Map(search.dropped.map(({ variant, items }) => [variant, items]));
  const items = variants.map(({ name }) => dropped.get(name) ?? launched);
  return items.reduce((sum, one) => sum + one, 0) * trials;
}

/** The experiment up to its first document that is not complete: what may be looked at before the end. */
export function inOrder(
  experiment: ExperimentRecord,
  cells: readonly Pick<CellRecord, 'documentId'>[],
): ExperimentRecord {
  const perItem = experiment.variants.length * experiment.trials;
  const counts = new Map<string, number>();
  for (const { documentId } of cells) counts.set(documentId, (counts.get(documentId) ?? 0) + 1);
  const until = experiment.documentIds.findIndex((id) => (counts.get(id) ?? 0) < perItem);
  return until === -1 ? experiment : { ...experiment, documentIds: experiment.documentIds.slice(0, until) };
}
