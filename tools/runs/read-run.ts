import { RunDetail, RunPath } from '#src/contracts/resources/execution.ts';
import { defineTool } from '#tools/define.ts';
import { presentRunDetail } from '#tools/runs/present.ts';
import { requireRun } from '#tools/runs/require-run.ts';

/** REST's view of one run: all of it at once. Agents ask get_run for the part they need. */
export const readRun = defineTool({
  name: 'read_run',
  description: 'One run with its steps, outputs, open questions and receipt.',
  scope: 'runs:read',
  effect: 'read',
  idempotent: true,
  input: RunPath,
  output: RunDetail,
  async run(ctx, { id }) {
    const run = await requireRun(ctx, id);
    const steps = await ctx.deps.steps.list(run.organizationId, run._id);
    return presentRunDetail(run, steps, new Set(['outputs', 'receipt']));
  },
});
