import { GetRunInput, GetRunResult } from '#src/contracts/resources/execution.ts';
import { Fault } from '#src/domain/fault.ts';
import { defineTool } from '#tools/define.ts';
import { presentRunDetail } from '#tools/runs/present.ts';
import { readExecution, waitForExecution } from '#tools/runs/wait-for-execution.ts';

export const getRun = defineTool({
  name: 'get_run',
  description:
    'What became of a run: status, error, and each step with its time and output. Give runId for one run, or executionId for all runs that run_workflow started.',
  scope: 'runs:read',
  effect: 'read',
  idempotent: true,
  input: GetRunInput.refine((input) => (input.runId === undefined) !== (input.executionId === undefined), {
    message: 'give exactly one of runId and executionId',
    path: ['runId'],
  }),
  output: GetRunResult,
  async run(ctx, { runId, executionId, waitSeconds }) {
    const { deps, principal } = ctx;
    const look = (id: string) =>
      waitSeconds === 0 ? readExecution(ctx, id) : waitForExecution(ctx, id, waitSeconds, 'end');
    if (executionId !== undefined) return { execution: await look(executionId), run: null };
    const missing = new Fault('run.not_found', 'No run with this id is readable with this credential.');
    const known = runId === undefined ? null : await deps.executions.findRun(principal, runId);
    if (known === null) throw missing;
    const execution = await look(known.executionId);
    const [run, steps] = await Promise.all([
      deps.executions.findRun(principal, known._id),
      deps.steps.list(principal.organizationId, known._id),
    ]);
    return { execution, run: presentRunDetail(run ?? known, steps) };
  },
});
