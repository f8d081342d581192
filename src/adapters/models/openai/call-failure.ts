import { InkgraphError } from '#src/domain/app-error.ts';
import { reasonOfStatus, type FailureReason } from '#src/domain/failure-reason.ts';

/** Reason for a failed attempt. It quotes nothing of the server, whose text may hold secrets. */
export interface CallFailure {
  readonly reason: string;
  /** The same as one of the kinds that runs keep. */
  readonly kind: FailureReason;
  readonly retryable: boolean;
  /** true: the settings have to change first. */
  readonly isMisconfigured?: true;
  readonly retryAfterMs?: number;
}

const statusReasons: Readonly<Record<number, string>> = {
  400: 'refused the request as invalid (400)',
  401: 'refused the credential (401): check OPENAI_API_KEY',
  402: 'asks for payment (402)',
  403: 'refused access (403): the credential may not use this model',
  404: 'does not know the model or address (404): check the model name and OPENAI_BASE_URL',
  413: 'finds the request too large (413)',
  422: 'refused the request as invalid (422)',
  429: 'is limiting requests (429)',
};

/** Statuses of a wrong credential, a model that it may not use, and an unknown model. */
const misconfigured: ReadonlySet<number> = new Set([401, 403, 404]);

/** A stream ended early. It is an error, never a shorter answer. */
export class StreamBrokenError extends InkgraphError {}

/** Errors of the library for structured answers that ended early. They have neither a status nor a name of their own. */
const finishReasons: readonly (readonly [pattern: RegExp, reason: string])[] = [
  [/length limit was reached/, 'cut its answer short (token limit)'],
  [/rejected by the content filter/, 'withheld its answer (content filter)'],
];

/** Classifies an error of the client library. `timedOut`: our own limit ended the attempt. */
export function readFailure(error: unknown, timedOut: boolean): CallFailure {
  if (timedOut || nameOf(error) === 'TimeoutError')
    return { reason: 'did not answer in time', kind: 'timed_out', retryable: true };
  const status = numberIn(error, 'status');
  if (status !== undefined) return readStatus(error, status);
  const stopped = finishReasons.find(([pattern]) => pattern.test(messageOf(error)));
  if (stopped !== undefined) return { reason: stopped[1], kind: 'request_unfit', retryable: false };
  if (error instanceof StreamBrokenError)
    return { reason: 'broke off its answer before the end', kind: 'unreachable', retryable: true };
  if (isConnectionLoss(error)) return { reason: 'could not be reached', kind: 'unreachable', retryable: true };
  if (nameOf(error) === 'ContextOverflowError')
    return { reason: 'finds the text too long for the model', kind: 'request_unfit', retryable: false };
  return { reason: 'answered in an unknown format', kind: 'unreadable', retryable: false };
}

function readStatus(error: unknown, status: number): CallFailure {
  if (status === 429 && codeOf(error) === 'insufficient_quota') {
    return { reason: 'reports that the quota is used up (429)', kind: 'quota_used_up', retryable: false };
  }
  const reason = statusReasons[status] ?? (status >= 500 ? `failed (${status})` : `answered with status ${status}`);
  const retryAfterMs = retryAfter(error);
  return {
    reason,
    kind: reasonOfStatus(status),
    retryable: status === 408 || status === 409 || status === 429 || status >= 500,
    ...(misconfigured.has(status) && { isMisconfigured: true }),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  };
}

/** RFC 9110 §10.2.3: seconds or a date. */
function retryAfter(error: unknown): number | undefined {
  const headers = fieldOf(error, 'headers');
  const value = headers instanceof Headers ? headers.get('retry-after')?.trim() : undefined;
  if (value === undefined || value === '') return undefined;
  const milliseconds = /^\d+(?:\.\d+)?$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now();
  return Number.isFinite(milliseconds) ? Math.max(0, milliseconds) : undefined;
}

function isConnectionLoss(error: unknown): boolean {
  // The library's connection error has the name `Error`. The message of undici is `fetch failed` or, within a body, `terminated`.
  return /connection error|fetch failed|terminated|socket|ECONN|EPIPE|premature close/i.test(messageOf(error));
}

/** Name, status and message of an error for the log, with the credential masked. */
export function loggable(error: unknown, secret: string): Error {
  const status = numberIn(error, 'status');
  const text = `${nameOf(error)}${status === undefined ? '' : ` ${status}`}: ${messageOf(error)}`;
  return new Error((secret === '' ? text : text.replaceAll(secret, '[redacted]')).slice(0, 500));
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : '';
}

export function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : typeof error;
}

function codeOf(error: unknown): unknown {
  return fieldOf(error, 'code') ?? fieldOf(fieldOf(error, 'error'), 'code');
}

function numberIn(value: unknown, field: string): number | undefined {
  const found = fieldOf(value, field);
  return typeof found === 'number' ? found : undefined;
}

function fieldOf(value: unknown, field: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, field) : undefined;
}
