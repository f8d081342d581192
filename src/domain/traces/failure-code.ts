import { AppError } from '#src/domain/app-error.ts';

/** Code of an error for a span. Messages can quote documents or addresses. */
export function failureCode(error: unknown): string {
  if (error instanceof AppError) return error.code;
  return error instanceof Error ? error.name : 'unknown';
}
