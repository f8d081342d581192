import { Fault } from '#src/domain/fault.ts';
import { isOutage } from '#src/domain/outage.ts';
import type { Logger } from '#src/domain/ports/logger.ts';

export interface Circumstances {
  readonly requestId: string;
  readonly logger: Logger;
  /** The tool that was called. */
  readonly tool?: string;
}

/** What a client may read of a failure. What nobody threw on purpose is told by request id only; its text goes to the log. */
export function faultOf(error: unknown, { logger, ...about }: Circumstances): Fault {
  if (error instanceof Fault) {
    if (error.row.status >= 500) logger.warn({ err: error, ...about }, 'an MCP request failed');
    return error;
  }
  logger.error({ err: error, ...about }, 'an MCP request failed unexpectedly');
  return isOutage(error)
    ? new Fault('service.unavailable', 'The database does not answer: try again soon.')
    : new Fault('service.internal', `Something unexpected went wrong (request ${about.requestId}).`);
}
