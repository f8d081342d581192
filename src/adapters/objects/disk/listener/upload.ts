import type { IncomingMessage, ServerResponse } from 'node:http';

import { AppError } from '#src/domain/app-error.ts';

import type { Terms } from '../address.ts';
import { bodyChunks, type BodyPace, SenderGoneError } from './body.ts';
import { storeBody } from '../commit.ts';
import { assertFree } from '../record.ts';
import type { FreshUploads } from '../fresh-uploads.ts';
import type { StoreFolders } from '../folders.ts';
import type { DiskSpace } from '../space.ts';

export interface UploadRules {
  readonly folders: StoreFolders;
  readonly space: Pick<DiskSpace, 'assertRoom'>;
  readonly maxBytes: number;
  readonly pace: BodyPace;
  readonly fresh: FreshUploads;
}

/** Checks the headers before a byte of the body is read. Returns the length. */
function checkHeaders(request: IncomingMessage, terms: Terms, maxBytes: number): number {
  const { headers } = request;
  const declared = headers['content-length'];
  if (headers['transfer-encoding'] !== undefined || declared === undefined)
    throw new AppError('request.length_required', 'Send the body with a Content-Length header, not chunked.');
  if (headers['content-range'] !== undefined)
    throw new AppError('request.malformed', 'A part of an object cannot be uploaded (RFC 9110 §14.5). Send it whole.');
  const length = Number(terms.length);
  if (declared !== terms.length)
    throw new AppError(
      'object.length_mismatch',
      `The body must have exactly ${length} bytes, as announced at presign.`,
    );
  if (length > maxBytes) throw new AppError('request.too_large', `An object may have at most ${maxBytes} bytes.`);
  if (terms.signed !== undefined && headers['content-type'] !== terms.type)
    throw new AppError('object.signature_invalid', `This address needs the header Content-Type: ${terms.type}.`);
  if (terms.md5 !== undefined && headers['content-md5'] !== terms.md5)
    throw new AppError('object.signature_invalid', `This address needs the header Content-MD5: ${terms.md5}.`);
  return length;
}

/** True when the connection is closed or the request was refused, as for bytes past the announced length. */
function abandoned(request: IncomingMessage): boolean {
  return request.socket.destroyed || request.socket.writableEnded;
}

/** Responds 200 with the ETag when the object is durable. `proceed` asks a waiting client for the body. */
export async function receiveUpload(
  exchange: { request: IncomingMessage; response: ServerResponse; proceed: () => void },
  address: { key: string; terms: Terms },
  rules: UploadRules,
): Promise<void> {
  const { request, response } = exchange;
  const sizeBytes = checkHeaders(request, address.terms, rules.maxBytes);
  await assertFree(rules.folders, address.key);
  await rules.space.assertRoom(sizeBytes);
  exchange.proceed();
  const { chunks, stored } = rules.fresh.over(bodyChunks(request, rules.pace, sizeBytes), sizeBytes);
  const writableUntil = Number(address.terms.expires);
  const { type = '', md5 } = address.terms;
  const object = { key: address.key, contentType: type, sizeBytes, writableUntil, ...(md5 !== undefined && { md5 }) };
  const head = await storeBody(rules.folders, object, chunks, () => abandoned(request));
  if (head === null) throw new SenderGoneError('The connection ended before the object was stored.');
  stored(head);
  response.writeHead(200, { etag: `"${head.etag}"`, 'content-length': 0 });
  response.end();
}
