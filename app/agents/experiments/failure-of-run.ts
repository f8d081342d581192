import { spoils, type Failure } from '#src/domain/experiments/failures.ts';
import type { RunFailure } from '#src/domain/runs/failure.ts';
import type { RunRecord } from '#src/domain/runs/run.ts';
import type { StepRecord } from '#src/domain/runs/step.ts';

const withoutWords = ({ code, reason }: RunFailure): Failure => ({ code, ...(reason !== undefined && { reason }) });

/**
 * Failure of a run that ended: the error that ended it, or one of the machinery that it went on after, since its outputs are then those of
 * an outage. null: the run is what its workflow makes of the document.
 */
export function failureOfRun(
  { status, error }: Pick<RunRecord, 'error' | 'status'>,
  steps: readonly Pick<StepRecord, 'error' | 'nodeId' | 'status'>[],
): Failure | null {
  if (status !== 'succeeded') return withoutWords(error ?? { code: 'service.internal', message: '' });
  const last = new Map(steps.map((step) => [step.nodeId, step]));
  const spoiled = [...last.values()].find(
    (step) => step.status === 'continued' && step.error !== null && spoils(withoutWords(step.error)),
  );
  return spoiled?.error ? withoutWords(spoiled.error) : null;
}
