import { DatasetDetail, GetDatasetInput } from '#src/contracts/experiments/dataset.ts';
import { AppError } from '#src/domain/app-error.ts';
import { presentDataset, requireDataset } from '#tools/datasets/present.ts';
import { defineTool, type ToolContext } from '#tools/define.ts';

const shownCharacters = 500;

export const getDataset = defineTool({
  name: 'get_dataset',
  description: 'A dataset: counts, what is left in the ledger of its holdout, and its dev items.',
  scope: 'runs:read',
  effect: 'read',
  idempotent: true,
  input: GetDatasetInput,
  output: DatasetDetail,
  async run(ctx: ToolContext<'datasets'>, { datasetId, version, offset, limit }) {
    const dataset = await requireDataset(ctx, datasetId);
    const { datasets } = ctx.deps;
    const [confirmations, found] = await Promise.all([
      datasets.confirmations(dataset),
      datasets.findVersion(dataset.organizationId, datasetId, version ?? dataset.version),
    ]);
    if (found === null)
      throw new AppError(
        'dataset.version_not_found',
        `The dataset has no version ${version}; the newest is ${dataset.version}.`,
      );
    const dev = found.items.filter(({ split }) => split === 'dev');
    return {
      ...presentDataset(dataset, confirmations),
      version: found.version,
      items: dev.slice(offset, offset + limit).map(({ documentId, tags, reference }) => ({
        documentId,
        tags: [...tags],
        referenceText: JSON.stringify(reference ?? {})
          .slice(0, shownCharacters)
          .toWellFormed(),
      })),
      nextOffset: offset + limit < dev.length ? offset + limit : null,
    };
  },
});
