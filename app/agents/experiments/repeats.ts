import { failureOfRun } from '#app/agents/experiments/failure-of-run.ts';
import type { ExperimentRecord } from '#src/domain/experiments/experiment.ts';
import { mayPass } from '#src/domain/experiments/failures.ts';
import { laterRunsOf, plannedRuns } from '#src/domain/experiments/launch.ts';
import { isBeyondVerdict } from '#src/domain/experiments/summarize.ts';
import type { Metric } from '#src/domain/experiments/scores.ts';
import type { RunRecord } from '#src/domain/runs/run.ts';
import type { ExecutionStore } from '#src/stores/executions.ts';
import type { ExperimentStore } from '#src/stores/experiments/experiment-store.ts';
import type { StepStore } from '#src/stores/steps.ts';

/** Pauses after the first failed run of a cell and after the second. */
const usualPausesMs: readonly number[] = [2_000, 15_000];

interface RepeatParts {
  readonly experiments: Pick<ExperimentStore, 'cells' | 'repeat'>;
  readonly executions: Pick<ExecutionStore, 'createAll' | 'findRun'>;
  readonly steps: Pick<StepStore, 'listOf'>;
  readonly repeatPausesMs?: readonly number[] | undefined;
}

/** `last`: the run is measured. `waits`: its cell runs again after so many milliseconds. `again`: another run of its cell is stored. */
export type NextRun = { readonly kind: 'again' | 'last' } | { readonly kind: 'waits'; readonly ms: number };

/**
 * Runs a cell again whose run failed by the machinery: after a pause, a bounded number of times, within the budget of runs, and only while
 * the experiment can come to a verdict. The cell keeps its place in the order of the documents, and nothing behind it is looked at before
 * it has ended. Source: docs/decisions/0271.
 */
export async function nextRun(
  { experiments, executions, steps, repeatPausesMs = usualPausesMs }: RepeatParts,
  experiment: ExperimentRecord,
  {
    run,
    metrics,
    answers,
  }: {
    readonly run: RunRecord;
    readonly metrics: readonly Metric[];
    readonly answers: Readonly<Record<string, unknown>>;
  },
): Promise<NextRun> {
  const { experiment: place, documentId } = run;
  const failure = failureOfRun(run, await steps.listOf(run));
  if (place === undefined || failure === null || !mayPass(failure)) return { kind: 'last' };
  const { organizationId, projectId } = experiment;
  const attempt = place.attempt ?? 1;
  const [next] = laterRunsOf(experiment, { ...place, documentId }, attempt + 1, answers);
  if (next === undefined) return { kind: 'last' };
  const tenant = { organizationId, projectIds: [projectId] };
  if ((await executions.findRun(tenant, next.runs[0]?._id ?? '')) !== null) return { kind: 'again' };
  if (isBeyondVerdict(experiment, await experiments.cells(organizationId, experiment._id), metrics))
    return { kind: 'last' };
  const ms = (run.finishedAt?.getTime() ?? 0) + (repeatPausesMs[attempt - 1] ?? 0) - Date.now();
  if (ms > 0) return { kind: 'waits', ms };
  if (!(await experiments.repeat(experiment, experiment.maxRuns - plannedRuns(experiment)))) return { kind: 'last' };
  await executions.createAll([next]);
  return { kind: 'again' };
}
