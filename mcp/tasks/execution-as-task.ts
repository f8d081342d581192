import type { ClientCapabilities } from '@modelcontextprotocol/server';
import type { Execution } from '#src/contracts/resources/execution.ts';
import { terminalStatuses } from '#src/domain/runs/run.ts';
import { tools } from '#tools/index.ts';
import { canAsk } from '#mcp/confirm/can-ask.ts';
import { presentOutput } from '#mcp/present/present.ts';
import { inputRequestsOf, type AskedQuestion } from '#mcp/tasks/open-questions.ts';
import type { Task } from '#mcp/tasks/tasks.ts';

const workingPollMs = 1_000;
/** People take their time. */
const askingPollMs = 5_000;

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

/**
 * An execution as `tasks/get` tells it, with the questions that its runs ask now. Where some failed it is `completed`, with what failed
 * in the result, as SEP-2663 wants it: `failed` is for errors of the protocol.
 */
export function executionAsTask(
  execution: Execution,
  questions: ReadonlyMap<string, AskedQuestion>,
  capabilities: ClientCapabilities,
): Task {
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
  if (canAsk(capabilities)) return { ...facts, status: 'input_required', inputRequests: inputRequestsOf(questions) };
  const how = `Read waitingFor with get_run, executionId ${id}, and answer with resume_run.`;
  return { ...facts, status: 'working', statusMessage: `${facts.statusMessage} ${how}` };
}
