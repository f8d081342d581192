import { ProtocolError, ProtocolErrorCode, ResourceNotFoundError } from '@modelcontextprotocol/server';
import { Fault } from '#src/domain/fault.ts';
import { isOutage } from '#src/domain/outage.ts';
import type { Logger } from '#src/domain/ports/logger.ts';

interface Circumstances {
  readonly requestId: string;
  readonly logger: Logger;
  /** Of a resource that was asked for. */
  readonly uri?: string;
}

const { InvalidParams, InvalidRequest, InternalError } = ProtocolErrorCode;

/** One answer for what is unknown and for what is somebody else's. */
export function noSuchResource(uri: string): ProtocolError {
  return new ResourceNotFoundError(uri, 'Resource not found: resources/list and completion know the addresses.');
}

function known(fault: Fault, uri: string | undefined): ProtocolError {
  const { code, detail, errors, retryAfterSeconds } = fault;
  const { status } = fault.row;
  if (status === 404 && uri !== undefined) return noSuchResource(uri);
  const fields = errors.slice(0, 20).map(({ pointer, message }) => ` ${pointer === '' ? '/' : pointer}: ${message}.`);
  const message = `${code}: ${detail}${fields.join('')}`;
  const wait = retryAfterSeconds === undefined ? {} : { retryAfterSeconds };
  if (status === 403) return new ProtocolError(InvalidRequest, message, { code });
  const kind = status < 500 && status !== 429 ? InvalidParams : InternalError;
  return new ProtocolError(kind, message, { code, ...wait });
}

/** As JSON-RPC tells it. What nobody threw on purpose is told by request id only; its text goes to the log. */
export function protocolError(error: unknown, { requestId, logger, uri }: Circumstances): ProtocolError {
  if (error instanceof ProtocolError) return error;
  if (error instanceof Fault) {
    if (error.row.status >= 500) logger.warn({ err: error, requestId }, 'an MCP read failed');
    return known(error, uri);
  }
  logger.error({ err: error, requestId }, 'an MCP read failed unexpectedly');
  return known(
    isOutage(error)
      ? new Fault('service.unavailable', 'The database does not answer: try again soon.')
      : new Fault('service.internal', `Something unexpected went wrong (request ${requestId}).`),
    undefined,
  );
}
