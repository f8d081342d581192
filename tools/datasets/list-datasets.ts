import { DatasetList, DatasetListQuery } from '#src/contracts/experiments/dataset.ts';
import { decodeCursor, encodeCursor } from '#src/domain/cursor.ts';
import { presentDataset } from '#tools/datasets/present.ts';
import { defineTool, type ToolContext } from '#tools/define.ts';

export const listDatasets = defineTool({
  name: 'list_datasets',
  description: 'Datasets of your projects, newest first.',
  scope: 'runs:read',
  effect: 'read',
  idempotent: true,
  input: DatasetListQuery,
  output: DatasetList,
  async run({ deps, principal }: ToolContext<'cursorSecret' | 'datasets'>, { limit, cursor }) {
    const binding = JSON.stringify(['datasets', principal.organizationId]);
    const after = cursor === undefined ? null : decodeCursor(deps.cursorSecret, binding, cursor);
    const found = await deps.datasets.list(principal, after, limit + 1);
    const page = found.slice(0, limit);
    const last = page.at(-1);
    return {
      datasets: await Promise.all(page.map(async (one) => presentDataset(one, await deps.datasets.confirmations(one)))),
      nextCursor:
        found.length > limit && last !== undefined
          ? encodeCursor(deps.cursorSecret, binding, { createdAt: last.createdAt, id: last._id })
          : null,
    };
  },
});
