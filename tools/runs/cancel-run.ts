import { CancelInput, Execution } from '#src/contracts/resources/execution.ts';
import { runCompleted } from '#src/domain/events/realtime.ts';
import { record } from '#tools/audit/record.ts';
import { defineTool, type ToolContext } from '#tools/define.ts';
import { requireExecution, requireRun } from '#tools/runs/require-run.ts';
import { readExecution } from '#tools/runs/wait-for-execution.ts';

const reason = { code: 'run.canceled', message: 'It was canceled before it ended.' };

export const cancelRun = defineTool({
  name: 'cancel_run',
  description: 'Cancel a run, or all unfinished runs of an execution. Finished runs do not change.',
  scope: 'runs:execute',
  effect: 'destroy',
  idempotent: true,
  input: CancelInput.refine((input) => (input.runId === undefined) !== (input.executionId === undefined), {
    message: 'give exactly one of runId and executionId',
    path: ['executionId'],
  }),
  output: Execution,
  async run(
    ctx: ToolContext<'announce' | 'audit' | 'executions' | 'forgetRuns' | 'thumbnails'>,
    { executionId, runId },
  ) {
    const { deps, principal } = ctx;
    const now = new Date();
    const { _id } =
      executionId === undefined
        ? { _id: (await requireRun(ctx, runId ?? '')).executionId }
        : await requireExecution(ctx, executionId);
    const ended =
      runId === undefined
        ? await deps.executions.cancel(principal, _id, reason, now)
        : [await deps.executions.cancelRun(principal, runId, reason, now)].filter((run) => run !== null);
    deps.forgetRuns(ended.map((run) => run._id));
    // The feed tells nothing of runs of experiments.
    const ordinary = ended.filter(({ experiment }) => experiment === undefined);
    deps.announce(ordinary.map((run) => runCompleted(run, 'canceled', now)));
    // Runs that had ended before were not canceled, so nothing is audited.
    if (ended.length > 0) {
      const [action, target] = runId === undefined ? ['execution.cancel', _id] : ['run.cancel', runId];
      await record(ctx, action, target, { runs: ended.length, surface: ctx.surface });
    }
    return readExecution(ctx, _id);
  },
});
