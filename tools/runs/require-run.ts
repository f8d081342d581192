import { AppError } from '#src/domain/app-error.ts';
import type { ExecutionRecord, RunRecord } from '#src/domain/runs/run.ts';
import type { ToolContext } from '#tools/define.ts';

/** Executions on the holdout of a dataset are shown to nobody. Error: `execution.not_found`. */
export async function requireExecution(
  { deps, principal }: ToolContext<'executions'>,
  id: string,
): Promise<ExecutionRecord> {
  const execution = await deps.executions.find(principal, id);
  if (execution === null || execution.experiment?.hidden === true)
    throw new AppError(
      'execution.not_found',
      'This credential can read no execution with this id. Take an id from the list of runs.',
    );
  return execution;
}

/** Runs on the holdout of a dataset are shown to nobody. Error: `run.not_found`. */
export async function requireRun({ deps, principal }: ToolContext<'executions'>, id: string): Promise<RunRecord> {
  const run = await deps.executions.findRun(principal, id);
  if (run === null || run.experiment?.hidden === true)
    throw new AppError(
      'run.not_found',
      'This credential can read no run with this id. Take an id from the list of runs.',
    );
  return run;
}
