import { CanceledExperiment, ExperimentPath } from '#src/contracts/experiments/experiment.ts';
import { experimentChanged } from '#src/domain/events/realtime.ts';
import { cellIdOf, type ExperimentRecord } from '#src/domain/experiments/experiment.ts';
import { everyRunOf } from '#src/domain/experiments/launch.ts';
import { record } from '#tools/audit/record.ts';
import { defineTool, type ToolContext } from '#tools/define.ts';
import { requireExperiment } from '#tools/experiments/present.ts';

const reason = { code: 'run.canceled', message: 'Its experiment was canceled.' };

export const cancelExperiment = defineTool({
  name: 'cancel_experiment',
  description: 'Ends an experiment and its unfinished runs, without a verdict.',
  scope: 'runs:execute',
  effect: 'write',
  idempotent: true,
  input: ExperimentPath,
  output: CanceledExperiment,
  async run(ctx: ToolContext<'announce' | 'audit' | 'executions' | 'experiments'>, { experimentId }) {
    const { deps } = ctx;
    const experiment = await requireExperiment(ctx, experimentId);
    const { organizationId } = experiment;
    const now = new Date();
    if (await deps.experiments.end(experiment, { status: 'canceled', stopped: 'canceled', result: null }, now)) {
      // Documents may have been started since it was read.
      await cancelRuns(ctx, await requireExperiment(ctx, experimentId), now);
      await record(ctx, 'experiment.cancel', experimentId);
      const done = await deps.experiments.countCells(organizationId, experimentId);
      deps.announce([experimentChanged({ ...experiment, status: 'canceled' }, done, now)]);
    }
    return { experimentId, status: (await requireExperiment(ctx, experimentId)).status };
  },
});

/** Runs are started after the experiment counts them, so those of every document counted are ended, measured ones left out. */
async function cancelRuns(
  { deps, principal }: ToolContext<'executions' | 'experiments'>,
  experiment: ExperimentRecord,
  now: Date,
): Promise<void> {
  const { organizationId, _id, documentIds, launched } = experiment;
  const known = new Set((await deps.experiments.cells(organizationId, _id)).map((cell) => cell._id));
  for (const documentId of documentIds.slice(0, launched))
    for (const { execution, runs } of everyRunOf(experiment, documentId))
      if (runs.some((run) => run.experiment !== undefined && !known.has(cellIdOf({ ...run.experiment, documentId }))))
        await deps.executions.cancel(principal, execution._id, reason, now);
}
