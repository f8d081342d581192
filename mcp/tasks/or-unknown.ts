import { AppError } from '#src/domain/app-error.ts';

const unknown: ReadonlySet<string> = new Set(['execution.not_found', 'experiment.not_found', 'request.invalid']);

/** Resolves to null when the caller can see nothing with the id that was asked for. */
export async function orUnknown<T>(work: Promise<T>): Promise<T | null> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof AppError && unknown.has(error.code)) return null;
    throw error;
  }
}
