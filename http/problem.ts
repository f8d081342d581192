import type { ErrorRequestHandler, RequestHandler, Response } from 'express';
import { faults } from '#src/contracts/faults.ts';
import { problemType } from '#src/contracts/resources/problem.ts';
import { Fault } from '#src/domain/fault.ts';
import { isOutage } from '#src/domain/outage.ts';
import type { Logger } from '#src/domain/ports/logger.ts';
import { requestIdOf } from '#http/guard/request-id.ts';

/** What express and its body parser throw, in this service's words. */
function fromExpress(error: unknown): Fault | null {
  if (typeof error !== 'object' || error === null || !('status' in error)) return null;
  const type = 'type' in error ? error.type : undefined;
  if (type === 'entity.too.large') return new Fault('request.too_large', 'The JSON body may have at most 1 MiB.');
  if (type === 'encoding.unsupported' || type === 'charset.unsupported')
    return new Fault('request.media_type', 'Send the body as UTF-8 JSON.');
  if (type === 'entity.parse.failed') return new Fault('request.malformed', 'The body is not valid JSON.');
  if (error.status === 400 || error instanceof URIError)
    return new Fault('request.malformed', 'The request is not well-formed.');
  if (error.status === 413) return new Fault('request.too_large', 'The request is too large.');
  return null;
}

function fromOutage(error: unknown): Fault | null {
  if (!isOutage(error)) return null;
  return new Fault('service.unavailable', 'The database does not answer: try again soon.', { cause: error });
}

export function asFault(error: unknown): Fault {
  if (error instanceof Fault) return error;
  return (
    fromExpress(error) ??
    fromOutage(error) ??
    new Fault('service.internal', 'Something went wrong here. Tell the operator the requestId.', { cause: error })
  );
}

/** Answers a fault as RFC 9457 problem details; nothing of the cause leaves the process. */
function sendProblem(response: Response, fault: Fault): void {
  const row = faults[fault.code];
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
  next(new Fault('request.not_found', `There is nothing at ${request.method} ${request.path}.`));
};

export function problems(logger: Logger): ErrorRequestHandler {
  return (error: unknown, request, response, next) => {
    if (response.headersSent) {
      next(error);
      return;
    }
    const fault = asFault(error);
    if (fault.row.status >= 500)
      logger.error(
        { err: fault.cause ?? error, requestId: requestIdOf(response), path: request.path },
        'request failed',
      );
    sendProblem(response, fault);
  };
}
