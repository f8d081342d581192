import { RunCardList } from '#src/contracts/lists/run-cards.ts';
import { ListRunsInput } from '#src/contracts/resources/execution.ts';
import { titleOf } from '#src/domain/documents/document.ts';
import { defineTool, type ToolContext } from '#tools/define.ts';
import { workflowNames } from '#tools/documents/lists/present-run.ts';
import { listRuns } from '#tools/runs/list-runs.ts';

/**
 * Runs as `list_runs` has them, with the title of the document and the name of the workflow: two more reads a page. A title or name is null
 * if there is none, or it is not the caller's to read. Source: `lists.runs.names`, docs/decisions/0157.
 */
export const listRunCards = defineTool({
  name: 'list_run_cards',
  description:
    'Runs of your projects with the titles of their documents and the names of their workflows, newest first.',
  scope: 'runs:read',
  effect: 'read',
  idempotent: true,
  input: ListRunsInput,
  output: RunCardList,
  async run(ctx: ToolContext<'cursorSecret' | 'documents' | 'executions' | 'workflows' | 'thumbnails'>, asked) {
    const { runs, ...rest } = await listRuns.run(ctx, asked);
    const [documents, names] = await Promise.all([
      ctx.deps.documents.findMany(ctx.principal, [...new Set(runs.map(({ documentId }) => documentId))]),
      workflowNames(
        ctx,
        runs.map(({ workflowId }) => workflowId),
      ),
    ]);
    const titles = new Map(documents.map((document) => [document._id, titleOf(document)]));
    return {
      runs: runs.map((run) => ({
        ...run,
        documentTitle: titles.get(run.documentId) ?? null,
        workflowName: names.get(run.workflowId) ?? null,
      })),
      ...rest,
    };
  },
});
