import { GetRunInput, GetRunResult } from '#src/contracts/resources/execution.ts';
import { defineTool, type ToolContext } from '#tools/define.ts';
import { presentRunDetail } from '#tools/runs/present.ts';
import { queuePlace } from '#tools/runs/many/queue-place.ts';
import { receiptOfRun } from '#tools/runs/receipt-of-run.ts';
import { requireRun } from '#tools/runs/require-run.ts';
import { readExecution, waitForExecution } from '#tools/runs/wait-for-execution.ts';
import type { StepRecord } from '#src/domain/runs/step.ts';

const shown = {
  summary: () => false,
  steps: () => true,
  errors: (step: StepRecord) => step.error !== null,
};

export const getRun = defineTool({
  name: 'get_run',
  description:
    'Status of a run: error, open question (waitingFor), and each step with its time and output. Give runId for one run, or executionId for all runs that run_workflow started.',
  scope: 'runs:read',
  effect: 'read',
  idempotent: true,
  input: GetRunInput.refine((input) => (input.runId === undefined) !== (input.executionId === undefined), {
    message: 'give exactly one of runId and executionId',
    path: ['runId'],
  }),
  output: GetRunResult,
  async run(
    ctx: ToolContext<'documents' | 'events' | 'executions' | 'steps' | 'stopping' | 'workflows'>,
    { runId, executionId, waitSeconds, detail, include },
  ) {
    const { deps, principal } = ctx;
    const look = (id: string) =>
      waitSeconds === 0 ? readExecution(ctx, id) : waitForExecution(ctx, id, waitSeconds, 'end');
    if (executionId !== undefined) return { execution: await look(executionId), run: null };
    const known = await requireRun(ctx, runId ?? '');
    const execution = await look(known.executionId);
    const found = (await deps.executions.findRun(principal, known._id)) ?? known;
    const steps = detail === 'summary' ? [] : await deps.steps.listOf(found);
    const receipt = include.includes('receipt') ? await receiptOfRun(ctx, found) : undefined;
    const shownRun = presentRunDetail(found, steps.filter(shown[detail]), new Set(include), receipt);
    return { execution, run: { ...shownRun, queue: await queuePlace(ctx, found) } };
  },
});
