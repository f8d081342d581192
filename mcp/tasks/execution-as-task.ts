import {
  type CallToolResult,
  type ClientCapabilities,
  inputRequired,
  type InputRequests,
} from '@modelcontextprotocol/server';
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

/** Questions in one task result. The others follow when these are answered. */
const maxQuestions = 50;
const promptMax = 4_000;
const dataMax = 4_000;

/** A question of a waiting run, in a form that a client can show. */
export interface AskedQuestion {
  readonly runId: string;
  readonly path: string;
  readonly askedAt: Date;
  readonly message: string;
  readonly form: AnswerForm;
}

function messageOf({ documentId }: RunRecord, { prompt, data }: OpenQuestion): string {
  const about = data === null || data === undefined ? [] : [plainText(JSON.stringify(data), dataMax)];
  return [
    `A workflow has a question about the document ${plainName(documentId)}:`,
    plainText(prompt, promptMax),
    ...about,
  ].join('\n\n');
}

/**
 * Returns open questions by keys that are stable while a question is open and never reused: a run asks once at each path, since a node in a
 * loop has another path each time. The caller must be allowed to read the execution.
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

function inputRequestsOf(questions: ReadonlyMap<string, AskedQuestion>): InputRequests {
  return Object.fromEntries(
    [...questions].map(([key, { message, form }]) => [
      key,
      inputRequired.elicit({ message, requestedSchema: form.requestedSchema }),
    ]),
  );
}

const workingPollMs = 1_000;
/** Longer, since people answer slowly. */
const askingPollMs = 5_000;

/** Describes progress in numbers only, without text of documents or models. */
function statusMessageOf({ counts, status, runs }: Execution): string {
  const { total, succeeded, failed, canceled, timedOut, waiting } = counts;
  const ended = succeeded + failed + canceled + timedOut;
  const rest = waiting === 0 ? '' : `; ${waiting} waiting for an answer`;
  const reading = runs.flatMap((run) => run.reading ?? []);
  const sum = (pages: readonly number[]): number => pages.reduce((all, one) => all + one, 0);
  const read = sum(reading.map(({ pagesRead }) => pagesRead));
  const pages = reading.length === 0 ? '' : `; page ${read} of ${sum(reading.map((one) => one.pages))}`;
  return `${status}: ${ended} of ${total} documents done, ${succeeded} succeeded${pages}${rest}.`;
}

function latest(first: Date, ...others: readonly (Date | string | null)[]): Date {
  const times = others.flatMap((date) => (date === null ? [] : [new Date(date).getTime()]));
  return new Date(Math.max(first.getTime(), ...times));
}

/**
 * Converts an execution to a task with the open questions of its runs. `result`: that of another tool than run_workflow. An execution with failed runs is `completed`, and its result has the
 * errors: SEP-2663 reserves `failed` for protocol errors.
 */
export function executionAsTask(
  execution: Execution,
  questions: ReadonlyMap<string, AskedQuestion>,
  capabilities: ClientCapabilities,
  { taskId = execution.id, result }: { readonly taskId?: string; readonly result?: CallToolResult } = {},
): Task {
  const { id, status, createdAt, startedAt, finishedAt } = execution;
  const created = new Date(createdAt);
  const askedAt = [...questions.values()].map((question) => question.askedAt);
  const facts = {
    taskId,
    statusMessage: statusMessageOf(execution),
    createdAt: created,
    lastUpdatedAt: latest(created, startedAt, finishedAt, ...askedAt),
    // Executions do not expire.
    ttlMs: null,
    pollIntervalMs: questions.size > 0 ? askingPollMs : workingPollMs,
  };
  if (status === 'canceled') return { ...facts, status: 'cancelled' };
  if (terminalStatuses.has(status))
    return { ...facts, status: 'completed', result: result ?? presentOutput(tools.runWorkflow, {}, execution) };
  if (questions.size === 0) return { ...facts, status: 'working' };
  if (canAsk(capabilities)) return { ...facts, status: 'input_required', inputRequests: inputRequestsOf(questions) };
  const how = `Read waitingFor with get_run, executionId ${id}, and answer with resume_run.`;
  return { ...facts, status: 'working', statusMessage: `${facts.statusMessage} ${how}` };
}
