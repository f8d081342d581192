import type { KeyObject } from 'node:crypto';
import type { PresignGet, PresignPut } from '#src/domain/ports/object-store.ts';

import { assertObjectKey } from '../key.ts';
import { assertContentType, assertInlineType, assertLength, invalidField } from '../presign-fields.ts';

import { signedPath } from './address.ts';

function milliseconds(expiresAt: Date): string {
  const time = expiresAt.getTime();
  if (!Number.isSafeInteger(time)) throw invalidField('/expiresAt', 'expiresAt must be a valid date.');
  return String(time);
}

/** Path and query of an upload address. Throws `object.not_found`, `request.invalid`, `upload.too_large`. */
export function putPath(secret: KeyObject, request: PresignPut, maxBytes: number): string {
  const { key, contentLength, contentType, contentMd5 } = request;
  assertObjectKey(key);
  assertContentType(contentType);
  assertLength(contentLength, maxBytes);
  const signed = request.signContentType === true ? { signed: 'content-type' } : {};
  const md5 = contentMd5 === undefined ? {} : { md5: contentMd5 };
  const expires = milliseconds(request.expiresAt);
  return signedPath(secret, 'PUT', key, {
    expires,
    length: String(contentLength),
    type: contentType,
    ...signed,
    ...md5,
  });
}

/** Path and query of a download address. Throws `object.not_found`, `request.invalid`. */
export function getPath(secret: KeyObject, request: PresignGet): string {
  assertObjectKey(request.key);
  const { filename, inlineType } = request;
  assertInlineType(inlineType);
  const inline = inlineType === undefined ? {} : { inline: inlineType };
  const name = filename === undefined ? {} : { name: filename };
  return signedPath(secret, 'GET', request.key, { expires: milliseconds(request.expiresAt), ...inline, ...name });
}
