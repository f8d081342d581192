import type { ErrorRequestHandler, RequestHandler, Response } from 'express';
import { errorCodes } from '#src/contracts/error-codes.ts';
import { problemType } from '#src/contracts/resources/problem.ts';
import { AppError } from '#src/domain/app-error.ts';
import { isOutage } from '#src/outage.ts';
import type { Logger } from '#src/domain/ports/logger.ts';
import { requestIdOf } from '#http/guard/request-id.ts';

/** What express and its body parser throw, in this service's words. */
function fromExpress(error: unknown): AppError | null {
  if (typeof error !== 'object' || error === null || !('status' in error)) return null;
  const type = 'type' in error ? error.type : undefined;
  if (type === 'entity.too.large') return new AppError('request.too_large', 'The JSON body may have at most 1 MiB.');
  if (type === 'encoding.unsupported' || type === 'charset.unsupported')
    return new AppError('request.media_type', 'Send the body as UTF-8 JSON.');
  if (type === 'entity.parse.failed') return new AppError('request.malformed', 'The body is not valid JSON.');
  if (error.status === 400 || error instanceof URIError)
    return new AppError('request.malformed', 'The request is not well-formed.');
  if (error.status === 413) return new AppError('request.too_large', 'The request is too large.');
  return null;
}

function fromOutage(error: unknown): AppError | null {
  if (!isOutage(error)) return null;
  return new AppError('service.unavailable', 'The database does not answer: try again soon.', { cause: error });
}

export function asAppError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  return (
    fromExpress(error) ??
    fromOutage(error) ??
    new AppError('service.internal', 'Something went wrong here. Tell the operator the requestId.', { cause: error })
  );
}

/** Answers a fault as RFC 9457 problem details; nothing of the cause leaves the process. */
function sendProblem(response: Response, fault: AppError): void {
  const row = errorCodes[fault.code];
  const requestId = requestIdOf(response);
  // Unless the facade has set the challenge of its own scheme.
  if (row.status === 401 && !response.hasHeader('www-authenticate'))
    response.setHeader('www-authenticate', 'ApiKey realm="inkgraph", header="x-api-key"');
  const retryAfter = fault.retryAfterSeconds ?? (row.status === 503 || row.status === 429 ? 1 : undefined);
  if (retryAfter !== undefined) response.setHeader('retry-after', String(retryAfter));
  response
    .status(row.status)
    .type('application/problem+json')
    .send(
      JSON.stringify({
        ...fault.data,
        type: problemType(fault.code),
        title: row.title,
        status: row.status,
        detail: fault.detail,
        instance: row.status === 401 ? '' : response.req.path,
        code: fault.code,
        requestId,
        ...(fault.errors.length > 0 ? { errors: fault.errors } : {}),
      }),
    );
}

export const notFound: RequestHandler = (request, _response, next) => {
  next(new AppError('request.not_found', `There is nothing at ${request.method} ${request.path}.`));
};

export function problems(logger: Logger): ErrorRequestHandler {
  return (error: unknown, request, response, next) => {
    if (response.headersSent) {
      next(error);
      return;
    }
    const fault = asAppError(error);
    if (fault.row.status >= 500)
      logger.error(
        { err: fault.cause ?? error, requestId: requestIdOf(response), path: request.path },
        'request failed',
      );
    sendProblem(response, fault);
  };
}
