import { inputRequired, type InputRequests } from '@modelcontextprotocol/server';
import { canonicalHash } from '#src/domain/canonical-json.ts';
import type { OpenQuestion, RunRecord } from '#src/domain/runs/run.ts';
import type { ToolContext } from '#tools/define.ts';
import { plainName, plainText } from '#mcp/present/plain-words.ts';
import { answerForm, type AnswerForm } from '#mcp/tasks/answer-form.ts';

/** Told at once; the others follow when these are answered. */
const questionsTold = 50;
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
    .slice(0, questionsTold);
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
