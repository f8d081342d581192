import { GetObjectCommand, HeadObjectCommand, type GetObjectCommandOutput, type S3Client } from '@aws-sdk/client-s3';
import { Readable } from 'node:stream';
import type { ObjectHead } from '#src/domain/ports/object-store.ts';

import { plainTag, unavailable, unlessStatus } from './client.ts';

/** Access to the objects of one bucket. */
export interface Bucket {
  readonly client: S3Client;
  readonly name: string;
  /** Longest wait for the next piece of a body. */
  readonly answerMs: number;
}

const absent = 404;
const otherBytes = 412;
const emptyRange = 416;

interface HeadFields {
  readonly ContentLength?: number | undefined;
  readonly ContentType?: string | undefined;
  readonly ETag?: string | undefined;
}

function headOf(key: string, { ContentLength, ContentType, ETag }: HeadFields): ObjectHead {
  return {
    key,
    sizeBytes: ContentLength ?? 0,
    contentType: ContentType ?? 'application/octet-stream',
    etag: plainTag(ETag),
  };
}

/** Metadata of an object with its `metadata` in the S3 sense. null when it is absent. */
export async function readHead(
  { client, name }: Bucket,
  key: string,
): Promise<{ readonly head: ObjectHead; readonly metadata: Readonly<Record<string, string>> } | null> {
  const found = await unlessStatus(client.send(new HeadObjectCommand({ Bucket: name, Key: key })), absent);
  return found === null ? null : { head: headOf(key, found), metadata: found.Metadata ?? {} };
}

/** Reads exactly the announced bytes. A body that stops is an error, never a shorter body: `service.unavailable`. */
async function readBody({ answerMs }: Bucket, { Body, ContentLength = 0 }: GetObjectCommandOutput): Promise<Buffer> {
  if (!(Body instanceof Readable)) throw unavailable(new Error('The answer has no body.'));
  const bytes = Buffer.alloc(ContentLength);
  let filled = 0;
  const late = setTimeout(() => Body.destroy(new Error('The body stopped.')), answerMs);
  try {
    for await (const chunk of Body as AsyncIterable<Buffer>) {
      late.refresh();
      filled += chunk.copy(bytes, filled);
    }
  } catch (error) {
    throw unavailable(error);
  } finally {
    clearTimeout(late);
  }
  if (filled !== ContentLength)
    throw unavailable(new Error(`The body ended after ${filled} of ${ContentLength} bytes.`));
  return bytes;
}

/** Head and whole body. null when the object is absent, or when `ifMatch` names other bytes. */
export async function readWhole(
  bucket: Bucket,
  key: string,
  ifMatch?: string,
): Promise<{ readonly head: ObjectHead; readonly bytes: Buffer } | null> {
  const condition = ifMatch === undefined ? {} : { IfMatch: `"${ifMatch}"` };
  const request = new GetObjectCommand({ Bucket: bucket.name, Key: key, ...condition });
  const found = await unlessStatus(bucket.client.send(request), absent, otherBytes);
  return found === null ? null : { head: headOf(key, found), bytes: await readBody(bucket, found) };
}

/** Bytes `start..end` (exclusive), clipped to the object. null when it is absent. */
export async function readRange(bucket: Bucket, key: string, start: number, end: number): Promise<Buffer | null> {
  const nothing = async (): Promise<Buffer | null> => ((await readHead(bucket, key)) === null ? null : Buffer.alloc(0));
  if (end <= start) return nothing();
  const range = `bytes=${Math.max(0, start)}-${end - 1}`;
  const request = new GetObjectCommand({ Bucket: bucket.name, Key: key, Range: range });
  const found = await unlessStatus(bucket.client.send(request), absent, emptyRange);
  return found === null ? nothing() : readBody(bucket, found);
}
