import { ResumeInput, RunDetail } from '#src/contracts/resources/execution.ts';
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

export const resumeRun = defineTool({
  name: 'resume_run',
  description:
    'Answer the question of a waiting run (waitingFor in get_run); the run continues from there. Each question takes one answer.',
  scope: 'runs:execute',
  effect: 'write',
  idempotent: false,
  input: ResumeInput,
  output: RunDetail,
  async run(ctx: ToolContext<'announce' | 'audit' | 'executions' | 'wake'>, { runId, path, answer }) {
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
    return { ...presentRunDetail(resumed, [], new Set()), queue: await queuePlace(ctx, resumed) };
  },
});
