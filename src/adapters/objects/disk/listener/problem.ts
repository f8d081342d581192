import { randomBytes } from 'node:crypto';
import { STATUS_CODES, type IncomingMessage, type OutgoingHttpHeaders, type ServerResponse } from 'node:http';

import { AppError } from '#src/domain/app-error.ts';

import { systemCode } from '../files.ts';

/** A fault whose answer needs headers of its own (`Allow`, `Content-Range`). */
export class ObjectResponseError extends AppError {
  readonly headers: OutgoingHttpHeaders;

  constructor(fault: AppError, headers: OutgoingHttpHeaders) {
    super(fault.code, fault.detail);
    this.headers = headers;
  }
}

/** On every answer: objects are strangers' bytes on an origin of their own, readable by any site that has the address. */
export const commonHeaders = {
  'x-content-type-options': 'nosniff',
  'content-security-policy': "sandbox; default-src 'none'",
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

/** The caller's `x-request-id` when it is a plain token, else a new one. */
export function requestIdOf(request: IncomingMessage): string {
  const given = request.headers['x-request-id'];
  return typeof given === 'string' && requestIdForm.test(given) ? given : newRequestId();
}

const storageFull: ReadonlySet<string | null> = new Set(['ENOSPC', 'EDQUOT', 'EROFS', 'EMFILE', 'ENFILE']);

/** Anything that is not a AppError loses its text here. */
export function toAppError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  if (storageFull.has(systemCode(error)))
    return new AppError('service.unavailable', 'The store cannot take objects now.', {
      retryAfterSeconds: 30,
      cause: error,
    });
  return new AppError('service.internal', 'Something went wrong in the object store.', { cause: error });
}

/** RFC 9457. `instance` is the path without its query: the signature is a credential. */
function problemBody(fault: AppError, instance: string, requestId: string): string {
  const { status, title } = fault.row;
  const type = `urn:inkgraph:fault:${fault.code}`;
  return JSON.stringify({ type, title, status, detail: fault.detail, instance, code: fault.code, requestId });
}

export function sendProblem(
  response: ServerResponse,
  fault: AppError,
  place: { instance: string; requestId: string },
): void {
  const body = problemBody(fault, place.instance, place.requestId);
  const retry = fault.retryAfterSeconds === undefined ? {} : { 'retry-after': String(fault.retryAfterSeconds) };
  response.writeHead(fault.row.status, {
    'content-type': 'application/problem+json',
    'content-length': Buffer.byteLength(body),
    ...retry,
    ...(fault instanceof ObjectResponseError ? fault.headers : {}),
  });
  response.end(body);
}

/** The same answer as text, for a connection whose request never became one. */
export function rawProblem(fault: AppError): string {
  const requestId = newRequestId();
  const body = problemBody(fault, '/', requestId);
  const { status } = fault.row;
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
