import { AnswerInput, RunDetail } from '#src/contracts/resources/execution.ts';
import { runAnswered } from '#src/domain/events/realtime.ts';
import { AppError } from '#src/domain/app-error.ts';
import { answerProblem } from '#src/domain/runs/answer.ts';
import type { OpenQuestion, RunRecord } from '#src/domain/runs/run.ts';
import { unstorable } from '#src/domain/storable.ts';
import { invalidInput } from '#tools/call.ts';
import { record } from '#tools/audit/record.ts';
import { defineTool, type ToolContext } from '#tools/define.ts';
import { presentRunDetail } from '#tools/runs/present.ts';
import { queuePlace } from '#tools/runs/many/queue-place.ts';
import { requireRun } from '#tools/runs/require-run.ts';

function notWaiting(run: RunRecord, path: string | undefined): AppError {
  const what = path === undefined ? 'an answer' : 'an answer at this path';
  return new AppError(
    'run.not_waiting',
    `This run is ${run.status} and does not wait for ${what}. Read the run for its open questions.`,
  );
}

/** Finds the open question by its path; without a path, the only one. */
function questionOf(run: RunRecord, path: string | undefined): OpenQuestion {
  const open = run.status === 'waiting' ? (run.waitingFor ?? []) : [];
  const [only, ...others] = path === undefined ? open : open.filter((question) => question.path === path);
  if (only === undefined) throw notWaiting(run, path);
  if (others.length === 0) return only;
  const paths = open.map((question) => question.path).join(', ');
  throw invalidInput([
    { pointer: '/path', code: 'ambiguous', message: `several questions are open, name one: ${paths}` },
  ]);
}

/** An answer to a run; `path` is needed where several questions are open. */
export interface GivenTo {
  readonly runId: string;
  readonly path?: string | undefined;
  readonly answer?: unknown;
}

/** Stores an answer and queues the run. Errors: `run.not_found`, `run.not_waiting`, `request.invalid`. */
export async function answerQuestion(
  ctx: ToolContext<'announce' | 'audit' | 'executions' | 'wake'>,
  { runId, path, answer }: GivenTo,
): Promise<{ readonly run: RunRecord; readonly question: OpenQuestion }> {
  const { deps, principal } = ctx;
  const run = await requireRun(ctx, runId);
  const question = questionOf(run, path);
  const found = unstorable(answer, '/answer');
  const problem = found?.message ?? answerProblem(question, answer);
  if (problem !== null)
    throw invalidInput([{ pointer: found?.pointer ?? '/answer', code: 'answer_invalid', message: problem }]);
  const given = { path: question.path, answer, by: principal.actorId, at: new Date() };
  const resumed = await deps.executions.answer(principal, runId, given);
  // A concurrent answer or cancellation came first.
  if (resumed === null) throw notWaiting(await requireRun(ctx, runId), question.path);
  await deps.wake.notify();
  // The answer is not audited: it may quote the document.
  await record(ctx, 'run.resume', runId, { path: question.path, surface: ctx.surface });
  deps.announce([runAnswered(resumed, question.path, given.at)]);
  return { run: resumed, question };
}

/** Answers for REST, which shows the whole run; agents use resume_run. */
export const answerRun = defineTool({
  name: 'answer_run',
  description: 'Answer the question of a waiting run; the run continues from there. Each question takes one answer.',
  scope: 'runs:execute',
  effect: 'write',
  idempotent: false,
  input: AnswerInput,
  output: RunDetail,
  async run(ctx: ToolContext<'announce' | 'audit' | 'executions' | 'wake'>, given) {
    const { run } = await answerQuestion(ctx, given);
    return { ...presentRunDetail(run, [], new Set()), queue: await queuePlace(ctx, run) };
  },
});
