import { ProtocolError, ProtocolErrorCode, ResourceNotFoundError } from '@modelcontextprotocol/server';
import { AppError } from '#src/domain/app-error.ts';
import { isOutage } from '#src/outage.ts';
import type { Logger } from '#src/domain/ports/logger.ts';

export interface ErrorContext {
  readonly requestId: string;
  readonly logger: Logger;
  /** Name of the called tool. */
  readonly tool?: string;
}

/** Returns the error that a client may read. Of an unexpected error it gets the request id only; the text goes to the log. */
export function errorOf(error: unknown, { logger, ...about }: ErrorContext): AppError {
  if (error instanceof AppError) {
    if (error.row.status >= 500) logger.warn({ err: error, ...about }, 'an MCP request failed');
    return error;
  }
  logger.error({ err: error, ...about }, 'an MCP request failed unexpectedly');
  return isOutage(error)
    ? new AppError('service.unavailable', 'The database does not respond. Retry in a few seconds.')
    : new AppError('service.internal', `An unexpected error occurred (request ${about.requestId}).`);
}

const { InvalidParams, InvalidRequest, InternalError } = ProtocolErrorCode;
/** Field errors of one refused request. */
const maxFieldErrors = 20;

/** The same error for an unknown resource and for one of another organization. */
export function noSuchResource(uri: string): ProtocolError {
  return new ResourceNotFoundError(uri, 'Resource not found. Call resources/list, or complete the URI.');
}

function kindOf({ status }: AppError['row']): number {
  if (status === 403) return InvalidRequest;
  return status < 500 && status !== 429 ? InvalidParams : InternalError;
}

function toProtocolError(appError: AppError, uri: string | undefined): ProtocolError {
  const { code, detail, row, retryAfterSeconds } = appError;
  if (row.status === 404 && uri !== undefined) return noSuchResource(uri);
  const errors = appError.errors.slice(0, maxFieldErrors).map(({ pointer, message }) => ({ pointer, message }));
  const fields = errors.map(({ pointer, message }) => ` ${pointer === '' ? '/' : pointer}: ${message}.`);
  return new ProtocolError(kindOf(row), `${code}: ${detail}${fields.join('')}`, {
    code,
    ...(errors.length > 0 && { errors }),
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  });
}

/** Converts any error to a JSON-RPC error. `uri`: the requested resource. */
export function protocolError(error: unknown, context: ErrorContext, uri?: string): ProtocolError {
  return error instanceof ProtocolError ? error : toProtocolError(errorOf(error, context), uri);
}

/** True for internal errors, where a retry may help. */
export function mayPass(error: ProtocolError): boolean {
  const ours: number = InternalError;
  return error.code === ours;
}

/** A response in place of a stream. */
export function errorAnswer(id: unknown, { code, message, data }: ProtocolError, status = 200): Response {
  return Response.json({ jsonrpc: '2.0', id, error: { code, message, data } }, { status });
}
