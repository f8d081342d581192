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
  async run(ctx: ToolContext<'datasets' | 'documents'>, { datasetId, version, offset, limit }) {
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
    const page = dev.slice(offset, offset + limit);
    const ids = page.map(({ documentId }) => documentId);
    // References quote their documents: those in the trash show none.
    const there = await ctx.deps.documents.thereAmong(dataset.organizationId, ids);
    return {
      ...presentDataset(dataset, confirmations),
      version: found.version,
      items: page.map(({ documentId, tags, reference }) => ({
        documentId,
        tags: [...tags],
        referenceText: JSON.stringify((there.has(documentId) ? reference : null) ?? {})
          .slice(0, shownCharacters)
          .toWellFormed(),
      })),
      nextOffset: offset + limit < dev.length ? offset + limit : null,
    };
  },
});
