import { setTimeout as pause } from 'node:timers/promises';
import {
  ProtocolError,
  ProtocolErrorCode,
  type CallToolResult,
  type ElicitResult,
  type InputResponses,
} from '@modelcontextprotocol/server';
import type { Execution } from '#src/contracts/resources/execution.ts';
import { AppError } from '#src/domain/app-error.ts';
import { terminalStatuses } from '#src/domain/runs/run.ts';
import { callTool } from '#tools/call.ts';
import type { ToolContext } from '#tools/define.ts';
import type { ToolDeps } from '#tools/deps.ts';
import { tools } from '#tools/index.ts';
import { readExecution, waitForExecution } from '#tools/runs/wait-for-execution.ts';
import { executionAsTask, openQuestions, type AskedQuestion } from '#mcp/tasks/execution-as-task.ts';
import { executionOf, hasOutputs, presentRunOf } from '#mcp/workflow-tools/result.ts';
import { orUnknown } from '#mcp/tasks/or-unknown.ts';
import type { TaskMethod, Tasks } from '#mcp/tasks/tasks.ts';
import { contextOf } from '#mcp/caller.ts';

/** Time in which a run must ask its next question. */
const asksAgainMs = 10_000;
/** Poll interval for changes by other processes, which do not pass this process's bus. */
const lookAgainMs = 5_000;

/** Returns the answers of accepted forms. A declined form leaves its question open. */
function accepted(questions: ReadonlyMap<string, AskedQuestion>, responses: InputResponses) {
  return [...questions].flatMap(([key, { runId, path, form }]) => {
    const { action, content } = (Object.hasOwn(responses, key) ? responses[key] : {}) as ElicitResult;
    return action === 'accept' ? [{ runId, path, answer: form.read(content ?? {}) ?? null }] : [];
  });
}

/** Waits until the run asks its next question: after one answer, a worker continues the run first. */
async function waitForNextQuestion(ctx: ToolContext, executionId: string, runId: string): Promise<void> {
  const deadline = performance.now() + asksAgainMs;
  while (performance.now() < deadline) {
    const { runs } = await readExecution(ctx, executionId);
    const status = runs.find((run) => run.runId === runId)?.status;
    if (status !== 'queued' && status !== 'running') return;
    await waitForExecution(ctx, executionId, 0.5, 'change');
    // In a process that stops nothing waits, and the caller has time yet.
    if (ctx.deps.stopping.aborted) await pause(100);
  }
  throw new ProtocolError(
    ProtocolErrorCode.InternalError,
    'Not all answers were accepted in time. Send the remaining ones again.',
  );
}

async function giveAnswers(ctx: ToolContext, executionId: string, answers: ReturnType<typeof accepted>): Promise<void> {
  const answered = new Set<string>();
  for (const given of answers)
    try {
      if (answered.has(given.runId)) await waitForNextQuestion(ctx, executionId, given.runId);
      answered.add(given.runId);
      await callTool(tools.answerRun, ctx, given);
    } catch (error) {
      // Another client answered first.
      if (!(error instanceof AppError && error.code === 'run.not_waiting')) throw error;
    }
}

/** Returns the id of the unfinished execution in a result of `run_workflow` or `replay_execution`. */
export function unfinishedExecution({ structuredContent, isError }: CallToolResult): string | null {
  if (isError === true || structuredContent === undefined) return null;
  const { id, status } = structuredContent as Pick<Execution, 'id' | 'status'>;
  return terminalStatuses.has(status) ? null : id;
}

const standing: Readonly<Record<TaskMethod, string>> = {
  'tasks/get': 'get_run',
  'tasks/update': 'resume_run',
  'tasks/cancel': 'cancel_run',
};

/** Executions as tasks. `taskId` is the execution's id, and every method calls a use case. */
export function executionTasks(deps: ToolDeps): Tasks {
  const read = (taskId: string, ctx: ToolContext) =>
    orUnknown(callTool(tools.getRun, ctx, { executionId: executionOf(taskId), detail: 'summary' }));
  return {
    standsFor: (method) => standing[method],
    async get(taskId, requester) {
      const ctx = contextOf(deps, requester.caller, requester.signal);
      const execution = (await read(taskId, ctx))?.execution ?? null;
      if (execution === null) return null;
      const waits = execution.counts.waiting > 0;
      const questions = waits ? await openQuestions(ctx, execution.id) : new Map<string, AskedQuestion>();
      const isDone = hasOutputs(taskId) && terminalStatuses.has(execution.status);
      const result = isDone ? { result: await presentRunOf(ctx, execution) } : {};
      return executionAsTask(execution, questions, requester.capabilities, { taskId, ...result });
    },
    async update(taskId, responses: InputResponses, requester) {
      const ctx = contextOf(deps, requester.caller, requester.signal);
      if ((await read(taskId, ctx)) === null) return false;
      const executionId = executionOf(taskId);
      await giveAnswers(ctx, executionId, accepted(await openQuestions(ctx, executionId), responses));
      return true;
    },
    async cancel(taskId, requester) {
      const ctx = contextOf(deps, requester.caller, requester.signal);
      return (await orUnknown(callTool(tools.cancelRun, ctx, { executionId: executionOf(taskId) }))) !== null;
    },
    watch(taskId, { caller }, changed) {
      const watched = executionOf(taskId);
      const stop = deps.events.subscribe(caller.principal.organizationId, ({ executionId, type, data }) => {
        // Steps do not change a task, except when a run begins to wait, or has read more pages.
        const counts = type !== 'run.step.changed' || data?.['status'] === 'waiting' || data?.['reading'] !== undefined;
        if (executionId === watched && counts) changed();
      });
      const again = setInterval(changed, lookAgainMs).unref();
      return () => {
        clearInterval(again);
        stop();
      };
    },
  };
}
