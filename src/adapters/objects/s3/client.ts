import { S3Client, S3ServiceException } from '@aws-sdk/client-s3';
import { AppError } from '#src/domain/app-error.ts';

import type { S3Settings } from './settings.ts';

export interface S3Times {
  readonly connectMs: number;
  /** Time until a request is answered, and between two pieces of a body. */
  readonly answerMs: number;
}

export const usualTimes: S3Times = { connectMs: 3_000, answerMs: 15_000 };
const attempts = 3;

/** Creates a client of the service at `endpoint`. */
export function createClient(settings: S3Settings, endpoint: string | null, times: S3Times): S3Client {
  const { region, credentials, forcePathStyle } = settings;
  return new S3Client({
    region,
    forcePathStyle,
    maxAttempts: attempts,
    // The SDK's own checksums are refused by some services, and signed addresses would carry that of an empty body.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    // Without the last option a request that is not answered is logged, and waited for without end.
    requestHandler: {
      connectionTimeout: times.connectMs,
      requestTimeout: times.answerMs,
      throwOnRequestTimeout: true,
    },
    ...(endpoint !== null && { endpoint }),
    ...(credentials !== null && { credentials }),
  });
}

/** HTTP status of a refusal; null when the service did not answer. */
export function statusOf(error: unknown): number | null {
  return error instanceof S3ServiceException ? (error.$metadata.httpStatusCode ?? null) : null;
}

/** `service.unavailable` for an error that the service or the network caused. The cause is for the log. */
export function unavailable(cause: unknown): AppError {
  return new AppError(
    'service.unavailable',
    'The object store does not respond as it should. Retry in a few seconds.',
    {
      retryAfterSeconds: 5,
      cause,
    },
  );
}

/** True for an error that passes when the service is back: not for a bucket that is missing or refused. */
export function isTemporary(error: unknown): boolean {
  return error instanceof AppError && error.retryAfterSeconds !== undefined;
}

/** Returns null when the service refuses with one of `statuses`. Errors: `service.unavailable` for everything else. */
export async function unlessStatus<T>(work: Promise<T>, ...statuses: readonly number[]): Promise<T | null> {
  try {
    return await work;
  } catch (error) {
    const status = statusOf(error);
    if (status !== null && statuses.includes(status)) return null;
    throw error instanceof AppError ? error : unavailable(error);
  }
}

/** Entity tag without its quotes, which services put or leave out. */
export function plainTag(etag: string | undefined): string {
  return (etag ?? '').replaceAll('"', '');
}

/** The answer to a request; null for one that the service refuses or does not know. Errors: `service.unavailable` without an answer. */
async function answerOf<T>(work: Promise<T>): Promise<T | null> {
  try {
    return await work;
  } catch (error) {
    const status = statusOf(error);
    if (status !== null && (status < 500 || status === 501)) return null;
    throw unavailable(error);
  }
}

/** True for a request that the service takes. Errors: `service.unavailable` without an answer. */
export async function accepts(work: Promise<object>): Promise<boolean> {
  return (await answerOf(work)) !== null;
}
