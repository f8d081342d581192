import type { z } from 'zod';
import { ResumeInput, ResumeResult } from '#src/contracts/resources/execution.ts';
import { AppError } from '#src/domain/app-error.ts';
import { defineTool, type ToolContext } from '#tools/define.ts';
import { answerQuestion, type GivenTo } from '#tools/runs/results/answer-run.ts';

type Row = z.input<typeof ResumeResult>['runs'][number];

/** Takes one of many answers. An answer that is refused leaves the others as they are. */
async function take(ctx: ToolContext<'announce' | 'audit' | 'executions' | 'wake'>, given: GivenTo): Promise<Row> {
  const { runId, path = null } = given;
  try {
    const { run, question } = await answerQuestion(ctx, given);
    return { runId, path: question.path, status: run.status };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { runId, path, status: null, error: { code: error.code, message: error.detail } };
  }
}

/** One tool for one answer and for many, with one form of result. Source: docs/decisions/0147. */
export const resumeRun = defineTool({
  name: 'resume_run',
  description:
    'Answer the question of a waiting run (waitingFor in list_runs), or with answers those of many runs. Each question takes one answer.',
  scope: 'runs:execute',
  effect: 'write',
  idempotent: false,
  input: ResumeInput,
  output: ResumeResult,
  async run(ctx: ToolContext<'announce' | 'audit' | 'executions' | 'wake'>, { runId, path, answer, answers }) {
    if (answers === undefined) {
      const { run, question } = await answerQuestion(ctx, { runId: runId ?? '', path, answer });
      return { runs: [{ runId: run._id, path: question.path, status: run.status }], answered: 1 };
    }
    const runs: Row[] = [];
    // One after the other: two answers can belong to one run.
    for (const given of answers) runs.push(await take(ctx, given));
    return { runs, answered: runs.filter(({ error }) => error === undefined).length };
  },
});
