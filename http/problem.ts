import type { ErrorRequestHandler, RequestHandler, Response } from 'express';
import { limits } from '#src/contracts/fields.ts';
import { errorCodes } from '#src/contracts/error-codes.ts';
import { problemType } from '#src/contracts/resources/problem.ts';
import { AppError } from '#src/domain/app-error.ts';
import { isOutage } from '#src/outage.ts';
import type { Logger } from '#src/domain/ports/logger.ts';
import { requestIdOf } from '#http/base-app.ts';

/** Limit of a body parser, in words. */
function most(error: object): string {
  const bytes = 'limit' in error && typeof error.limit === 'number' ? error.limit : limits.jsonBodyBytes;
  return bytes % 2 ** 20 === 0 ? `${bytes / 2 ** 20} MiB` : `${Math.floor(bytes / 1024)} KiB`;
}

/** Maps errors of Express and its body parser to error codes. */
function fromExpress(error: unknown): AppError | null {
  if (typeof error !== 'object' || error === null || !('status' in error)) return null;
  const type = 'type' in error ? error.type : undefined;
  if (type === 'entity.too.large')
    return new AppError('request.too_large', `The body is larger than ${most(error)}. Send less at once.`);
  if (type === 'encoding.unsupported' || type === 'charset.unsupported')
    return new AppError(
      'request.media_type',
      'The encoding of the body is not supported. Send UTF-8 JSON without Content-Encoding.',
    );
  if (type === 'entity.parse.failed')
    return new AppError('request.malformed', 'The body is not valid JSON. Correct it and retry.');
  if (error.status === 400 || error instanceof URIError)
    return new AppError('request.malformed', 'The request is not well-formed. Check the URL encoding and the headers.');
  if (error.status === 413) return new AppError('request.too_large', 'The request is too large. Send less at once.');
  return null;
}

function fromOutage(error: unknown): AppError | null {
  if (!isOutage(error)) return null;
  return new AppError('service.unavailable', 'The database does not respond. Retry in a few seconds.', {
    cause: error,
  });
}

/** Too many open files, for this process or for the machine. */
function fromSystem(error: unknown): AppError | null {
  if (!(error instanceof Error) || !('code' in error) || !/^E[MN]FILE$/.test(String(error.code))) return null;
  return new AppError('service.unavailable', 'The service has too many files open. Retry in a few seconds.', {
    retryAfterSeconds: 5,
    cause: error,
  });
}

export function asAppError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  return (
    fromExpress(error) ??
    fromOutage(error) ??
    fromSystem(error) ??
    new AppError(
      'service.internal',
      'An unexpected error occurred. Retry; if it persists, send the requestId to the operator.',
      { cause: error },
    )
  );
}

/** Sends an error as RFC 9457 problem details. The cause stays in the log. */
export function sendProblem(response: Response, appError: AppError): void {
  const row = errorCodes[appError.code];
  const requestId = requestIdOf(response);
  // A facade with a scheme of its own has set its challenge already.
  if (row.status === 401 && !response.hasHeader('www-authenticate'))
    response.setHeader('www-authenticate', 'ApiKey realm="inkgraph", header="x-api-key"');
  const retryAfter = appError.retryAfterSeconds ?? (row.status === 503 || row.status === 429 ? 1 : undefined);
  if (retryAfter !== undefined) response.setHeader('retry-after', String(retryAfter));
  response
    .status(row.status)
    .type('application/problem+json')
    .send(
      JSON.stringify({
        ...appError.data,
        type: problemType(appError.code),
        title: row.title,
        status: row.status,
        detail: appError.detail,
        instance: row.status === 401 ? '' : response.req.path,
        code: appError.code,
        requestId,
        ...(appError.errors.length > 0 ? { errors: appError.errors } : {}),
      }),
    );
}

export const notFound: RequestHandler = (request, _response, next) => {
  next(
    new AppError(
      'request.not_found',
      `No route matches ${request.method} ${request.path}. Check the path and the method.`,
    ),
  );
};

export function problems(logger: Logger): ErrorRequestHandler {
  return (error: unknown, request, response, next) => {
    if (response.headersSent) {
      next(error);
      return;
    }
    const appError = asAppError(error);
    if (appError.row.status >= 500 && !appError.isLogged)
      logger.error(
        { err: appError.cause ?? error, requestId: requestIdOf(response), path: request.path },
        'request failed',
      );
    sendProblem(response, appError);
  };
}
