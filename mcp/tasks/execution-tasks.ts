import {
  ProtocolError,
  ProtocolErrorCode,
  type CallToolResult,
  type ElicitResult,
  type InputResponses,
} from '@modelcontextprotocol/server';
import type { Execution } from '#src/contracts/resources/execution.ts';
import { Fault } from '#src/domain/fault.ts';
import { terminalStatuses } from '#src/domain/runs/run.ts';
import { call } from '#tools/call.ts';
import type { ToolContext } from '#tools/define.ts';
import type { ToolDeps } from '#tools/deps.ts';
import { tools } from '#tools/index.ts';
import { readExecution, waitForExecution } from '#tools/runs/wait-for-execution.ts';
import { canAsk } from '#mcp/confirm/can-ask.ts';
import { presentOutput } from '#mcp/present/present.ts';
import { inputRequestsOf, openQuestions, type AskedQuestion } from '#mcp/tasks/open-questions.ts';
import type { Task, TaskAsker, Tasks } from '#mcp/tasks/tasks.ts';

const workingPollMs = 1_000;
/** How long a run may take to ask for the rest. */
const asksAgainMs = 10_000;
/** Changes made by another process do not pass this one's bus. */
const lookAgainMs = 5_000;
/** People take their time. */
const askingPollMs = 5_000;

const unknown: ReadonlySet<string> = new Set(['execution.not_found', 'request.invalid']);

function contextOf({ caller, signal }: TaskAsker, deps: ToolDeps): ToolContext {
  const { principal, requestId, ip } = caller;
  return { principal, requestId, surface: 'mcp', ip, signal, deps, outcome: {} };
}

/** What a client may read of a failure. Anything unexpected is told by request id only. */
function told(error: unknown, { logger }: ToolDeps, { requestId }: ToolContext): ProtocolError {
  if (error instanceof Fault && error.row.status < 500)
    return new ProtocolError(ProtocolErrorCode.InvalidParams, error.message, {
      code: error.code,
      errors: error.errors.map(({ pointer, message }) => ({ pointer, message })),
    });
  logger.error({ err: error, requestId }, 'a request about a task failed');
  return new ProtocolError(ProtocolErrorCode.InternalError, `Something went wrong (request ${requestId}): try again.`);
}

/** null where the id is no execution that the caller may see. */
async function orUnknown<T>(work: Promise<T>, deps: ToolDeps, ctx: ToolContext): Promise<T | null> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof Fault && unknown.has(error.code)) return null;
    throw told(error, deps, ctx);
  }
}

/** Numbers alone: nothing that a document or a model said. */
function messageOf({ counts, status }: Execution): string {
  const { total, succeeded, failed, canceled, timedOut, waiting } = counts;
  const ended = succeeded + failed + canceled + timedOut;
  const rest = waiting === 0 ? '' : `; ${waiting} wait for an answer`;
  return `${status}: ${ended} of ${total} documents have ended, ${succeeded} of them well${rest}.`;
}

function latest(first: Date, ...others: readonly (Date | string | null)[]): Date {
  const times = others.flatMap((date) => (date === null ? [] : [new Date(date).getTime()]));
  return new Date(Math.max(first.getTime(), ...times));
}

function taskOf(execution: Execution, questions: ReadonlyMap<string, AskedQuestion>, asker: TaskAsker): Task {
  const { id, status, createdAt, startedAt, finishedAt } = execution;
  const created = new Date(createdAt);
  const askedAt = [...questions.values()].map((question) => question.askedAt);
  const facts = {
    taskId: id,
    statusMessage: messageOf(execution),
    createdAt: created,
    lastUpdatedAt: latest(created, startedAt, finishedAt, ...askedAt),
    // Executions are kept.
    ttlMs: null,
    pollIntervalMs: questions.size > 0 ? askingPollMs : workingPollMs,
  };
  if (status === 'canceled') return { ...facts, status: 'cancelled' };
  if (terminalStatuses.has(status))
    return { ...facts, status: 'completed', result: presentOutput(tools.runWorkflow, {}, execution) };
  if (questions.size === 0) return { ...facts, status: 'working' };
  if (canAsk(asker.capabilities))
    return { ...facts, status: 'input_required', inputRequests: inputRequestsOf(questions) };
  const how = `Read waitingFor with get_run, executionId ${id}, and answer with resume_run.`;
  return { ...facts, status: 'working', statusMessage: `${facts.statusMessage} ${how}` };
}

/** An accepted form is an answer; one that was declined leaves the question open, for whoever else may answer it. */
function accepted(questions: ReadonlyMap<string, AskedQuestion>, responses: InputResponses) {
  return [...questions].flatMap(([key, { runId, path, form }]) => {
    const { action, content } = (Object.hasOwn(responses, key) ? responses[key] : {}) as ElicitResult;
    return action === 'accept' ? [{ runId, path, answer: form.read(content ?? {}) ?? null }] : [];
  });
}

/** A run that got one answer asks for the others anew, once a worker had it. */
async function untilItAsks(ctx: ToolContext, executionId: string, runId: string): Promise<void> {
  const deadline = performance.now() + asksAgainMs;
  while (performance.now() < deadline) {
    const { runs } = await readExecution(ctx, executionId);
    const status = runs.find((run) => run.runId === runId)?.status;
    if (status !== 'queued' && status !== 'running') return;
    await waitForExecution(ctx, executionId, 0.5, 'change');
  }
  throw new ProtocolError(ProtocolErrorCode.InternalError, 'Not all answers could be taken yet: send them again.');
}

async function giveAnswers(ctx: ToolContext, executionId: string, answers: ReturnType<typeof accepted>): Promise<void> {
  const answered = new Set<string>();
  for (const given of answers)
    try {
      if (answered.has(given.runId)) await untilItAsks(ctx, executionId, given.runId);
      answered.add(given.runId);
      await call(tools.resumeRun, ctx, given);
    } catch (error) {
      // Somebody was faster.
      if (!(error instanceof Fault && error.code === 'run.not_waiting')) throw error;
    }
}

/** The execution that an answer of `run_workflow` or `replay_execution` left going. */
export function executionGoingOn({ structuredContent, isError }: CallToolResult): string | null {
  if (isError === true || structuredContent === undefined) return null;
  const { id, status } = structuredContent as Pick<Execution, 'id' | 'status'>;
  return terminalStatuses.has(status) ? null : id;
}

/**
 * Executions as tasks: `taskId` is the execution's id, and every method is a use case behind the one door. Failed executions are
 * `completed`, with what failed in the result, as SEP-2663 wants it: `failed` is for errors of the protocol.
 */
export function executionTasks(deps: ToolDeps): Tasks {
  const read = (taskId: string, ctx: ToolContext) =>
    orUnknown(call(tools.getRun, ctx, { executionId: taskId, detail: 'summary' }), deps, ctx);
  return {
    standsFor: { 'tasks/get': 'get_run', 'tasks/update': 'resume_run', 'tasks/cancel': 'cancel_run' },
    async get(taskId, asker) {
      const ctx = contextOf(asker, deps);
      const found = await read(taskId, ctx);
      if (found === null) return null;
      const { execution } = found;
      const waits = execution.counts.waiting > 0;
      return taskOf(execution, waits ? await openQuestions(ctx, taskId) : new Map(), asker);
    },
    async update(taskId, responses: InputResponses, asker) {
      const ctx = contextOf(asker, deps);
      if ((await read(taskId, ctx)) === null) return false;
      try {
        await giveAnswers(ctx, taskId, accepted(await openQuestions(ctx, taskId), responses));
      } catch (error) {
        throw error instanceof ProtocolError ? error : told(error, deps, ctx);
      }
      return true;
    },
    async cancel(taskId, asker) {
      const ctx = contextOf(asker, deps);
      return (await orUnknown(call(tools.cancelRun, ctx, { executionId: taskId }), deps, ctx)) !== null;
    },
    watch(taskId, { caller }, changed) {
      const stop = deps.events.subscribe(caller.principal.organizationId, ({ executionId, type, data }) => {
        // Steps change nothing of a task, but those at which a run begins to wait or goes on.
        const counts = type !== 'run.step.changed' || data?.['status'] === 'waiting';
        if (executionId === taskId && counts) changed();
      });
      const again = setInterval(changed, lookAgainMs).unref();
      return () => {
        clearInterval(again);
        stop();
      };
    },
  };
}
