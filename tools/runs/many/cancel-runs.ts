import { CancelRunsInput, CanceledRuns } from '#src/contracts/resources/execution.ts';
import { runCompleted } from '#src/domain/events/realtime.ts';
import { record } from '#tools/audit/record.ts';
import { defineTool, type ToolContext } from '#tools/define.ts';
import { selectRuns } from '#tools/runs/many/select-runs.ts';

const reason = { code: 'run.canceled', message: 'It was canceled before it ended.' };

export const cancelRuns = defineTool({
  name: 'cancel_runs',
  description:
    'Cancel the unfinished runs of your projects that match a filter: workflow, execution, status, creation time. Cancels up to limit runs, newest first; while nextCursor is not null, call again with it.',
  scope: 'runs:execute',
  effect: 'destroy',
  idempotent: true,
  expensive: true,
  input: CancelRunsInput,
  output: CanceledRuns,
  async run(ctx: ToolContext<'announce' | 'audit' | 'cursorSecret' | 'executions' | 'forgetRuns'>, input) {
    const { deps, principal } = ctx;
    const now = new Date();
    const { runs, nextCursor } = await selectRuns(ctx, 'cancel', input);
    const ended = await deps.executions.cancelRuns(principal, runs, reason, now);
    deps.forgetRuns(ended.map((run) => run._id));
    deps.announce(ended.map((run) => runCompleted(run, 'canceled', now)));
    if (ended.length > 0) {
      const { cursor: _, limit: __, ...filter } = input;
      await record(ctx, 'runs.cancel', principal.organizationId, { runs: ended.length, filter, surface: ctx.surface });
    }
    return { canceled: ended.length, nextCursor };
  },
});
