import { type ClientCapabilities, inputRequired, type InputRequests } from '@modelcontextprotocol/server';
import type { Execution } from '#src/contracts/resources/execution.ts';
import { terminalStatuses, type OpenQuestion, type RunRecord } from '#src/domain/runs/run.ts';
import { tools } from '#tools/index.ts';
import { canAsk } from '#mcp/confirm/confirmations.ts';
import { presentOutput } from '#mcp/present/present.ts';
import type { Task } from '#mcp/tasks/tasks.ts';
import { canonicalHash } from '#src/domain/canonical-json.ts';
import type { ToolContext } from '#tools/define.ts';
import { plainName, plainText } from '#mcp/present/neutralize.ts';
import { answerForm, type AnswerForm } from '#mcp/tasks/answer-form.ts';

/** Told at once; the others follow when these are answered. */
const maxQuestions = 50;
const promptMax = 4_000;
const dataMax = 4_000;

/** A question of a run that waits, as a client can ask it. */
export interface AskedQuestion {
  readonly runId: string;
  readonly path: string;
  readonly askedAt: Date;
  readonly message: string;
  readonly form: AnswerForm;
}

function messageOf({ documentId }: RunRecord, { prompt, data }: OpenQuestion): string {
  const about = data === null || data === undefined ? [] : [plainText(JSON.stringify(data), dataMax)];
  return [`A workflow asks about the document ${plainName(documentId)}:`, plainText(prompt, promptMax), ...about].join(
    '\n\n',
  );
}

/**
 * By keys that stay the same while a question is open and never come again: a run asks under one path once, as a node in a loop has
 * another path each time. The execution is one that the caller may read.
 */
export async function openQuestions(
  { deps, principal }: ToolContext,
  executionId: string,
): Promise<ReadonlyMap<string, AskedQuestion>> {
  const runs = await deps.executions.runsOf(principal.organizationId, executionId);
  const asked = runs
    .filter((run) => run.status === 'waiting')
    .flatMap((run) => (run.waitingFor ?? []).map((question) => ({ run, question })))
    .slice(0, maxQuestions);
  return new Map(
    asked.map(({ run, question }) => {
      const { path, askedAt, answerSchema } = question;
      const key = canonicalHash([run._id, path]).slice(0, 32);
      const message = messageOf(run, question);
      return [key, { runId: run._id, path, askedAt, message, form: answerForm(answerSchema) }];
    }),
  );
}

export function inputRequestsOf(questions: ReadonlyMap<string, AskedQuestion>): InputRequests {
  return Object.fromEntries(
    [...questions].map(([key, { message, form }]) => [
      key,
      inputRequired.elicit({ message, requestedSchema: form.requestedSchema }),
    ]),
  );
}

const workingPollMs = 1_000;
/** People take their time. */
const askingPollMs = 5_000;

/** Numbers alone: nothing that a document or a model said. */
function statusMessageOf({ counts, status }: Execution): string {
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
    statusMessage: statusMessageOf(execution),
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
