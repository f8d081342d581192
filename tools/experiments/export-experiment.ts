import type { z } from 'zod';
import { ExperimentExport, ExportExperimentInput } from '#src/contracts/experiments/experiment.ts';
import type { CellRecord } from '#src/domain/experiments/experiment.ts';
import { defineTool, type ToolContext } from '#tools/define.ts';
import { requireShown } from '#tools/experiments/present-documents.ts';
import { presentExperiment, requireExperiment } from '#tools/experiments/present.ts';

type ExportedCell = z.input<typeof ExperimentExport>['cells'][number];

function exported(cell: CellRecord): ExportedCell {
  const { documentId, variant, trial, status, runId, ms, costUsd, cached, error, scores, outputText } = cell;
  const shown = Object.entries(scores).map(([name, { value, quality, note }]) => [
    name,
    { value, quality, noteText: note },
  ]);
  return {
    documentId,
    variant,
    trial,
    status,
    runId,
    ms,
    costUsd,
    cached,
    errorText: error,
    scores: Object.fromEntries(shown) as ExportedCell['scores'],
    outputText,
  };
}

export const exportExperiment = defineTool({
  name: 'export_experiment',
  description: 'All measured runs of an experiment on dev that has ended.',
  scope: 'runs:read',
  effect: 'read',
  idempotent: true,
  expensive: true,
  input: ExportExperimentInput,
  output: ExperimentExport,
  async run(ctx: ToolContext<'experiments' | 'thumbnails'>, { experimentId }) {
    const experiment = await requireExperiment(ctx, experimentId);
    requireShown(experiment, '/experimentId');
    const cells = await ctx.deps.experiments.cells(experiment.organizationId, experimentId);
    const variants = new Map(experiment.variants.map(({ name }, at) => [name, at]));
    const documents = new Map(experiment.documentIds.map((id, at) => [id, at]));
    const place = ({ documentId, variant, trial }: CellRecord): number =>
      ((documents.get(documentId) ?? 0) * variants.size + (variants.get(variant) ?? 0)) * experiment.trials + trial;
    return {
      experiment: presentExperiment(ctx, experiment, cells.length),
      cells: cells.toSorted((a, b) => place(a) - place(b)).map(exported),
    };
  },
});
