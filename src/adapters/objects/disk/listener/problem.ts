import { randomBytes } from 'node:crypto';
import { STATUS_CODES, type IncomingMessage, type OutgoingHttpHeaders, type ServerResponse } from 'node:http';

import { AppError } from '#src/domain/app-error.ts';

import { systemCode } from '../files.ts';

/** An error whose response has headers of its own (`Allow`, `Content-Range`). */
export class ObjectResponseError extends AppError {
  readonly headers: OutgoingHttpHeaders;

  constructor(appError: AppError, headers: OutgoingHttpHeaders) {
    super(appError.code, appError.detail);
    this.headers = headers;
  }
}

/** Headers of every response. Objects are untrusted bytes on an origin of their own; any site that has the address may read them. */
export const commonHeaders = {
  'x-content-type-options': 'nosniff',
  'content-security-policy': "sandbox; default-src 'none'; base-uri 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'cross-origin',
  'referrer-policy': 'no-referrer',
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'etag, content-range, accept-ranges, content-disposition, x-request-id',
  'cache-control': 'no-store',
} as const;

const requestIdForm = /^[A-Za-z0-9._-]{1,128}$/;

function newRequestId(): string {
  return `req_${randomBytes(12).toString('hex')}`;
}

/** Returns the caller's `x-request-id` when it is a plain token, else a new id. */
export function requestIdOf(request: IncomingMessage): string {
  const given = request.headers['x-request-id'];
  return typeof given === 'string' && requestIdForm.test(given) ? given : newRequestId();
}

const storageFull: ReadonlySet<string | null> = new Set(['ENOSPC', 'EDQUOT', 'EROFS', 'EMFILE', 'ENFILE']);

/** Hides the text of errors that are no AppError. */
export function toAppError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  if (storageFull.has(systemCode(error)))
    return new AppError('service.unavailable', 'The object store cannot take objects now. Retry in 30 seconds.', {
      retryAfterSeconds: 30,
      cause: error,
    });
  return new AppError('service.internal', 'The object store failed. Report the requestId to the operator.', {
    cause: error,
  });
}

/** Problem details of RFC 9457. `instance` is the path without the query, which holds the signature. */
function problemBody(appError: AppError, instance: string, requestId: string): string {
  const { status, title } = appError.row;
  const type = `urn:inkgraph:fault:${appError.code}`;
  return JSON.stringify({ type, title, status, detail: appError.detail, instance, code: appError.code, requestId });
}

export function sendProblem(
  response: ServerResponse,
  appError: AppError,
  place: { instance: string; requestId: string },
): void {
  const body = problemBody(appError, place.instance, place.requestId);
  const retry = appError.retryAfterSeconds === undefined ? {} : { 'retry-after': String(appError.retryAfterSeconds) };
  response.writeHead(appError.row.status, {
    'content-type': 'application/problem+json',
    'content-length': Buffer.byteLength(body),
    ...retry,
    ...(appError instanceof ObjectResponseError ? appError.headers : {}),
  });
  response.end(body);
}

/** The response as text, for a connection on which no request could be parsed. */
export function rawProblem(appError: AppError): string {
  const requestId = newRequestId();
  const body = problemBody(appError, '/', requestId);
  const { status } = appError.row;
  const headers = {
    ...commonHeaders,
    'content-type': 'application/problem+json',
    'content-length': String(Buffer.byteLength(body)),
    'x-request-id': requestId,
    connection: 'close',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return [`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`, ...lines, '', body].join('\r\n');
}
