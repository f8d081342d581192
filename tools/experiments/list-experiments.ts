import { ExperimentList, ExperimentListQuery } from '#src/contracts/experiments/experiment.ts';
import { decodeCursor, encodeCursor } from '#src/domain/cursor.ts';
import { defineTool, type ToolContext } from '#tools/define.ts';
import { presentExperiment } from '#tools/experiments/present.ts';

export const listExperiments = defineTool({
  name: 'list_experiments',
  description: 'Experiments of your projects, newest first.',
  scope: 'runs:read',
  effect: 'read',
  idempotent: true,
  input: ExperimentListQuery,
  output: ExperimentList,
  async run(
    { deps, principal }: ToolContext<'cursorSecret' | 'experiments' | 'thumbnails'>,
    { limit, cursor, datasetId },
  ) {
    const { organizationId } = principal;
    const binding = JSON.stringify(['experiments', organizationId, datasetId ?? null]);
    const after = cursor === undefined ? null : decodeCursor(deps.cursorSecret, binding, cursor);
    const found = await deps.experiments.list(principal, { datasetId }, after, limit + 1);
    const page = found.slice(0, limit);
    const last = page.at(-1);
    return {
      experiments: await Promise.all(
        page.map(async (one) =>
          presentExperiment({ deps }, one, await deps.experiments.countCells(organizationId, one._id)),
        ),
      ),
      nextCursor:
        found.length > limit && last !== undefined
          ? encodeCursor(deps.cursorSecret, binding, { createdAt: last.createdAt, id: last._id })
          : null,
    };
  },
});
