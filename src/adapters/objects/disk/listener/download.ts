import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';

import { AppError } from '#src/domain/app-error.ts';

import { dispositionOf } from '#src/domain/documents/disposition.ts';
import type { Terms } from '../address.ts';
import { systemCode } from '../files.ts';
import { ObjectResponseError } from './problem.ts';
import { type OpenObject, openObject } from '../read.ts';
import type { StoreFolders } from '../folders.ts';

interface Slice {
  readonly start: number;
  /** Inclusive, as in RFC 9110 §14.1.2. */
  readonly end: number;
}

/** Compares If-None-Match, a list of tags or `*`, weakly. Source: RFC 9110 §13.1.2. */
function isUnchanged(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  return header.split(',').some((tag) => ['*', etag].includes(tag.trim().replace(/^W\//, '')));
}

/**
 * Parses one range of bytes. Returns null, for the whole object, without a range and for several or malformed ranges, as RFC 9110 §14.2
 * allows. The package range-parser refuses two ranges that RFC 9110 accepts: docs/decisions/0053.
 */
function parseRange(header: string | undefined, size: number): Slice | null {
  const parts = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header ?? '');
  const [, from, to] = parts ?? [];
  if (from === undefined || to === undefined || (from === '' && to === '')) return null;
  const slice =
    from === ''
      ? { start: Math.max(0, size - Number(to)), end: size - 1 }
      : { start: Number(from), end: to === '' ? size - 1 : Math.min(Number(to), size - 1) };
  if (from !== '' && to !== '' && Number(to) < Number(from)) return null;
  if (slice.start < size && slice.start <= slice.end) return slice;
  const appError = new AppError('request.range_not_satisfiable', `The object has ${size} bytes.`);
  throw new ObjectResponseError(appError, { 'content-range': `bytes */${size}` });
}

function requestedSlice(request: IncomingMessage, etag: string, size: number): Slice | null {
  if (request.method !== 'GET') return null;
  const condition = request.headers['if-range'];
  return condition === undefined || condition === etag ? parseRange(request.headers.range, size) : null;
}

/** Browsers display signed inline types only, and save everything else under the signed name or the last segment of the key. */
function setHeaders(response: ServerResponse, object: OpenObject, { inline, name }: Terms, lifetimeMs: number): void {
  const saved = name ?? object.head.key.split('/').at(-1) ?? 'object';
  response.setHeader('content-type', inline ?? 'application/octet-stream');
  response.setHeader('content-disposition', dispositionOf(inline === undefined ? 'attachment' : 'inline', saved));
  response.setHeader('etag', `"${object.head.etag}"`);
  response.setHeader('accept-ranges', 'bytes');
  response.setHeader('cache-control', `private, max-age=${Math.floor(lifetimeMs / 1_000)}, immutable`);
}

async function stream(object: OpenObject, slice: Slice, response: ServerResponse): Promise<void> {
  try {
    await pipeline(object.handle.createReadStream({ ...slice, autoClose: false }), response);
  } catch (error) {
    // A client that disconnects is no failure of this service.
    if (systemCode(error) !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
  }
}

/** Streams an object: GET and HEAD, one range, If-None-Match. Throws `object.not_found`, `request.range_not_satisfiable`. */
export async function sendObject(
  exchange: { request: IncomingMessage; response: ServerResponse },
  address: { key: string; terms: Terms },
  source: { folders: StoreFolders; lifetimeMs: number },
): Promise<void> {
  const { request, response } = exchange;
  const object = await openObject(source.folders, address.key);
  if (object === null) throw new AppError('object.not_found', 'No object is stored under this key.');
  try {
    const size = object.head.sizeBytes;
    const etag = `"${object.head.etag}"`;
    const unchanged = isUnchanged(request.headers['if-none-match'], etag);
    const slice = unchanged ? null : requestedSlice(request, etag, size);
    setHeaders(response, object, address.terms, source.lifetimeMs);
    if (unchanged) {
      response.writeHead(304).end();
      return;
    }
    const { start, end } = slice ?? { start: 0, end: size - 1 };
    response.setHeader('content-length', end - start + 1);
    if (slice !== null) response.setHeader('content-range', `bytes ${start}-${end}/${size}`);
    response.writeHead(slice === null ? 200 : 206);
    if (request.method === 'HEAD' || size === 0) response.end();
    else await stream(object, { start, end }, response);
  } finally {
    await object.handle.close();
  }
}
