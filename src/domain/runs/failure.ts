import type { AppError } from '#src/domain/app-error.ts';
import type { FailureReason } from '#src/domain/failure-reason.ts';

/** Error that ended a run or a step. */
export interface RunFailure {
  readonly code: string;
  readonly message: string;
  /** Reason of a failed call to a model or an outside service; absent for other errors, and on rows of older versions. */
  readonly reason?: FailureReason;
  /** Path of the node whose failure ended the run; absent for an error of the run itself, and on rows of older versions. */
  readonly nodeId?: string;
}

/** Code and reason of an error, as steps and runs keep them. */
export const failureOf = ({ code, detail, reason }: AppError): RunFailure => ({
  code,
  message: detail,
  ...(reason !== undefined && { reason }),
});
