import { ExperimentDetail, GetExperimentInput } from '#src/contracts/experiments/experiment.ts';
import { isOver, type ExperimentRecord } from '#src/domain/experiments/experiment.ts';
import { presentDataset, requireDataset } from '#tools/datasets/present.ts';
import { defineTool, type ToolContext } from '#tools/define.ts';
import { presentDocuments } from '#tools/experiments/present-documents.ts';
import { presentExperiment, requireExperiment } from '#tools/experiments/present.ts';

/** Events of other processes do not reach this process, so the experiment is read again after this time. */
const lookAgainMs = 1_000;

export const getExperiment = defineTool({
  name: 'get_experiment',
  description: 'Verdict of an experiment, or its dev documents by difference with both outputs.',
  scope: 'runs:read',
  effect: 'read',
  idempotent: true,
  input: GetExperimentInput,
  output: ExperimentDetail,
  async run(
    ctx: ToolContext<'datasets' | 'documents' | 'events' | 'experiments' | 'stopping' | 'thumbnails'>,
    { experimentId, view, wait, ...asked },
  ) {
    const experiment = await waited(ctx, experimentId, wait);
    const done = await ctx.deps.experiments.countCells(experiment.organizationId, experimentId);
    const dataset = await requireDataset(ctx, experiment.datasetId);
    const { nextAlpha } = presentDataset(dataset, await ctx.deps.datasets.confirmations(dataset)).ledger;
    const summary = { ...presentExperiment(ctx, experiment, done), nextAlpha };
    return view === 'summary'
      ? summary
      : { ...summary, ...(await presentDocuments(ctx, experiment, { view, ...asked })) };
  },
});

/** The experiment when it ended, after `seconds` or when this process stops, with its progress told meanwhile. Error: `experiment.not_found`. */
async function waited(
  ctx: ToolContext<'events' | 'experiments' | 'stopping'>,
  id: string,
  seconds: number,
): Promise<ExperimentRecord> {
  const deadline = performance.now() + seconds * 1_000;
  let wake: () => void = () => undefined;
  const stop = ctx.deps.events.subscribe(ctx.principal.organizationId, ({ type, data }) => {
    if (type !== 'experiment.changed' || data?.['experimentId'] !== id) return;
    ctx.progress?.({
      done: Number(data['doneRuns']),
      total: null,
      message: `${Number(data['doneRuns'])} runs have ended`,
    });
    wake();
  });
  const aborted = (): void => wake();
  const ends = [ctx.signal, ctx.deps.stopping];
  for (const end of ends) end.addEventListener('abort', aborted, { once: true });
  try {
    for (;;) {
      const { promise, resolve } = Promise.withResolvers<void>();
      wake = resolve;
      const experiment = await requireExperiment(ctx, id);
      const left = deadline - performance.now();
      if (isOver(experiment) || left <= 0 || ends.some((end) => end.aborted)) return experiment;
      const timer = setTimeout(resolve, Math.min(left, lookAgainMs));
      await promise;
      clearTimeout(timer);
    }
  } finally {
    stop();
    for (const end of ends) end.removeEventListener('abort', aborted);
  }
}
