import type { KeyObject } from 'node:crypto';
import { AppError } from '#src/domain/app-error.ts';
import type { PresignGet, PresignPut } from '#src/domain/ports/object-store.ts';

import { assertObjectKey } from '../key.ts';

import { signedPath } from './address.ts';

/** Types that browsers display as images and never execute. */
const inlineTypes: readonly string[] = ['image/webp', 'image/png', 'image/jpeg'];
const mediaType = /^[a-z0-9!#$&^_.+-]+\/[a-z0-9!#$&^_.+-]+(?:; ?[a-z0-9-]+=[a-z0-9.-]+)?$/i;

function invalid(pointer: string, message: string): AppError {
  return new AppError('request.invalid', message, { errors: [{ pointer, code: 'invalid', message }] });
}

export function assertContentType(contentType: string): void {
  if (contentType.length > 127 || !mediaType.test(contentType))
    throw invalid('/contentType', 'contentType must be a media type such as image/png.');
}

function milliseconds(expiresAt: Date): string {
  const time = expiresAt.getTime();
  if (!Number.isSafeInteger(time)) throw invalid('/expiresAt', 'expiresAt must be a valid date.');
  return String(time);
}

/** Path and query of an upload address. Throws `object.not_found`, `request.invalid`, `upload.too_large`. */
export function putPath(secret: KeyObject, request: PresignPut, maxBytes: number): string {
  const { key, contentLength, contentType } = request;
  assertObjectKey(key);
  assertContentType(contentType);
  if (!Number.isSafeInteger(contentLength) || contentLength < 0)
    throw invalid('/contentLength', 'contentLength must be a whole number of bytes.');
  if (contentLength > maxBytes) throw new AppError('upload.too_large', `An object may have at most ${maxBytes} bytes.`);
  const signed = request.signContentType === true ? { signed: 'content-type' } : {};
  const expires = milliseconds(request.expiresAt);
  return signedPath(secret, 'PUT', key, { expires, length: String(contentLength), type: contentType, ...signed });
}

/** Path and query of a download address. Throws `object.not_found`, `request.invalid`. */
export function getPath(secret: KeyObject, request: PresignGet): string {
  assertObjectKey(request.key);
  const { inlineType } = request;
  if (inlineType !== undefined && !inlineTypes.includes(inlineType))
    throw invalid(
      '/inlineType',
      `inlineType must be one of ${inlineTypes.join(', ')}; anything else is an attachment.`,
    );
  const inline = inlineType === undefined ? {} : { inline: inlineType };
  return signedPath(secret, 'GET', request.key, { expires: milliseconds(request.expiresAt), ...inline });
}
