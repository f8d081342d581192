import { AppError } from '#src/domain/app-error.ts';
import { isOutage } from '#src/outage.ts';
import type { Logger } from '#src/domain/ports/logger.ts';

export interface Circumstances {
  readonly requestId: string;
  readonly logger: Logger;
  /** The tool that was called. */
  readonly tool?: string;
}

/** What a client may read of a failure. What nobody threw on purpose is told by request id only; its text goes to the log. */
export function errorOf(error: unknown, { logger, ...about }: Circumstances): AppError {
  if (error instanceof AppError) {
    if (error.row.status >= 500) logger.warn({ err: error, ...about }, 'an MCP request failed');
    return error;
  }
  logger.error({ err: error, ...about }, 'an MCP request failed unexpectedly');
  return isOutage(error)
    ? new AppError('service.unavailable', 'The database does not answer: try again soon.')
    : new AppError('service.internal', `Something unexpected went wrong (request ${about.requestId}).`);
}
