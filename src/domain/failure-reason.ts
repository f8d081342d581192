/**
 * Reasons of failed calls to models and outside services that one error code has together, with their words after the name of the service.
 * Source: docs/decisions/0271.
 */
export const failureReasons = {
  key_refused: 'refused the key',
  unknown: 'was not found',
  rate_limited: 'limited the requests',
  quota_used_up: 'reports that the quota is used up',
  timed_out: 'did not answer in time',
  unreachable: 'could not be reached',
  failing: 'failed',
  unreadable: 'answered in an unknown format',
  /** The request itself: it is invalid or too long, or its answer was cut or withheld. */
  request_unfit: 'cannot answer such a request',
} as const;

export type FailureReason = keyof typeof failureReasons;

const byStatus: Readonly<Record<number, FailureReason>> = {
  401: 'key_refused',
  402: 'quota_used_up',
  403: 'key_refused',
  404: 'unknown',
  407: 'key_refused',
  408: 'timed_out',
  429: 'rate_limited',
  504: 'timed_out',
};

/** Reason of an HTTP status that is no success. Other statuses of the 4xx family are about the request. Source: RFC 9110, 15. */
export const reasonOfStatus = (status: number): FailureReason =>
  byStatus[status] ?? (status >= 400 && status < 500 && status !== 409 && status !== 425 ? 'request_unfit' : 'failing');
