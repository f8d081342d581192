import { GetRunInput, GetRunResult } from '#src/contracts/resources/run-results.ts';
import { defineTool, type ToolContext } from '#tools/define.ts';
import { presentRunDetail } from '#tools/runs/present.ts';
import { queuePlace } from '#tools/runs/many/queue-place.ts';
import { readResults } from '#tools/runs/results/read-results.ts';
import { receiptOfRun } from '#tools/runs/receipt-of-run.ts';
import { receiptCheckOf } from '#tools/runs/results/verify-receipt.ts';
import { requireRun } from '#tools/runs/require-run.ts';
import { readExecution, waitForExecution, waitForRun } from '#tools/runs/wait-for-execution.ts';
import type { StepRecord } from '#src/domain/runs/step.ts';

const shown = {
  summary: () => false,
  steps: () => true,
  errors: (step: StepRecord) => step.error !== null,
};

export const getRun = defineTool({
  name: 'get_run',
  description:
    'One run (runId): error, open question, each step. Or an execution (executionId). Or results (executionIds): outputs side by side, and for each failure the node, its input and request. Example: {"executionId": "exec_1", "waitSeconds": 25}',
  scope: 'runs:read',
  effect: 'read',
  idempotent: true,
  input: GetRunInput.refine(
    ({ runId, executionId, executionIds }) =>
      [runId, executionId, executionIds].filter((one) => one !== undefined).length === 1,
    { message: 'give exactly one of runId, executionId and executionIds', path: ['runId'] },
  ),
  output: GetRunResult,
  async run(
    ctx: ToolContext<
      'cursorSecret' | 'documents' | 'events' | 'executions' | 'steps' | 'stopping' | 'thumbnails' | 'workflows'
    >,
    { runId, executionId, waitSeconds, detail, include, ...asked },
  ) {
    const results =
      asked.executionIds ?? (include.includes('outputs') && executionId !== undefined ? [executionId] : null);
    if (results !== null) {
      const deadline = performance.now() + waitSeconds * 1_000;
      const left = (): number => Math.max(0, (deadline - performance.now()) / 1_000);
      if (waitSeconds > 0) for (const id of results) await waitForExecution(ctx, id, left(), 'end');
      return { execution: null, run: null, results: await readResults(ctx, { ...asked, executionIds: results }) };
    }
    if (executionId !== undefined) {
      const look =
        waitSeconds === 0 ? readExecution(ctx, executionId) : waitForExecution(ctx, executionId, waitSeconds, 'end');
      return { execution: await look, run: null };
    }
    const known = await requireRun(ctx, runId ?? '');
    const found = waitSeconds === 0 ? known : await waitForRun(ctx, known, waitSeconds);
    const steps = detail === 'summary' ? [] : await ctx.deps.steps.listOf(found);
    const receipt = include.includes('receipt') ? await receiptOfRun(ctx, found) : undefined;
    const check = include.includes('receiptCheck') ? { receiptCheck: await receiptCheckOf(ctx, found) } : {};
    const run = presentRunDetail(found, steps.filter(shown[detail]), new Set(include), receipt);
    const links = ctx.deps.thumbnails.linked(`/runs/${found._id}`);
    return { execution: null, run: { ...run, ...check, ...links, queue: await queuePlace(ctx, found) } };
  },
});
