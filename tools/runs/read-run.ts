import { RunDetail, RunPath } from '#src/contracts/resources/execution.ts';
import { defineTool, type ToolContext } from '#tools/define.ts';
import { presentRunDetail } from '#tools/runs/present.ts';
import { queuePlace } from '#tools/runs/many/queue-place.ts';
import { receiptOfRun } from '#tools/runs/receipt-of-run.ts';
import { requireRun } from '#tools/runs/require-run.ts';

/** Reads a whole run for REST; agents use get_run to read the part they need. */
export const readRun = defineTool({
  name: 'read_run',
  description: 'One run with its steps, outputs, open questions and receipt.',
  scope: 'runs:read',
  effect: 'read',
  idempotent: true,
  input: RunPath,
  output: RunDetail,
  async run(ctx: ToolContext<'documents' | 'executions' | 'steps' | 'thumbnails'>, { id }) {
    const run = await requireRun(ctx, id);
    const [steps, receipt, queue] = await Promise.all([
      ctx.deps.steps.listOf(run),
      receiptOfRun(ctx, run),
      queuePlace(ctx, run),
    ]);
    const shown = presentRunDetail(run, steps, new Set(['outputs', 'receipt']), receipt);
    return { ...shown, queue, ...ctx.deps.thumbnails.linked(`/runs/${id}`) };
  },
});
