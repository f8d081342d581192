import { GetObjectCommand, HeadBucketCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { AppError } from '#src/domain/app-error.ts';
import type { ObjectStore, PresignGet, PresignPut } from '#src/domain/ports/object-store.ts';

import { dispositionOf } from '#src/domain/documents/disposition.ts';
import { assertObjectKey } from '../key.ts';
import { assertContentType, assertInlineType, assertLength } from '../presign-fields.ts';

import { readAbilities } from './abilities.ts';
import { createClient, isTemporary, statusOf, unavailable, usualTimes, type S3Times } from './client.ts';
import { KnownAbilities } from './known-abilities.ts';
import { type Bucket, readHead, readRange, readWhole } from './read.ts';
import type { S3Abilities, S3Settings } from './settings.ts';
import { copyPinned, deleteMany, deleteOne, putOnce } from './write.ts';

export interface S3ObjectStoreOptions {
  readonly settings: S3Settings;
  readonly maxBytes: number;
  /** Origins of pages that upload, for the bucket's rule. */
  readonly origins: readonly string[];
  readonly times?: S3Times;
}

export interface S3ObjectStore extends ObjectStore {
  /** null until the service has answered. */
  readonly abilities: S3Abilities | null;
  close(): Promise<void>;
}

/** Longest life of a signed address. Source: AWS Signature Version 4, query parameters. */
const longestSeconds = 7 * 24 * 3_600;

function secondsUntil(expiresAt: Date): number {
  const seconds = Math.ceil((expiresAt.getTime() - Date.now()) / 1_000);
  return Math.min(longestSeconds, Math.max(1, seconds));
}

/** Signs addresses for the address that uploaders and browsers use. Nothing is sent once the service has answered. */
function presigning(signer: Bucket, signsWriteOnce: () => Promise<boolean>, maxBytes: number) {
  return {
    async presignPut(request: PresignPut): Promise<{ url: string; headers: Record<string, string> }> {
      const { key, contentLength, contentType, contentMd5, signContentType = false, expiresAt } = request;
      assertObjectKey(key);
      assertContentType(contentType);
      assertLength(contentLength, maxBytes);
      const writeOnce = await signsWriteOnce();
      const command = new PutObjectCommand({
        Bucket: signer.name,
        Key: key,
        ContentLength: contentLength,
        ContentType: contentType,
        ...(contentMd5 !== undefined && { ContentMD5: contentMd5 }),
        ...(writeOnce && { IfNoneMatch: '*' }),
      });
      const url = await getSignedUrl(signer.client, command, {
        expiresIn: secondsUntil(expiresAt),
        ...(signContentType && {
          signableHeaders: new Set(['content-type', 'content-length', 'host', 'content-md5', 'if-none-match']),
        }),
        // As headers they are conditions that the service checks; in the query it ignores them.
        unhoistableHeaders: new Set(['content-md5', 'if-none-match']),
      });
      const headers: Record<string, string> = { 'content-type': contentType };
      if (contentMd5 !== undefined) headers['content-md5'] = contentMd5;
      if (writeOnce) headers['if-none-match'] = '*';
      return { url, headers };
    },
    async presignGet({ key, inlineType, filename, expiresAt }: PresignGet): Promise<string> {
      assertObjectKey(key);
      assertInlineType(inlineType);
      const command = new GetObjectCommand({
        Bucket: signer.name,
        Key: key,
        ResponseContentDisposition: dispositionOf(inlineType === undefined ? 'attachment' : 'inline', filename),
        ResponseContentType: inlineType ?? 'application/octet-stream',
      });
      return getSignedUrl(signer.client, command, { expiresIn: secondsUntil(expiresAt) });
    },
  };
}

/** Rejects with what to do about a bucket that cannot be used. */
async function checkBucket({ client, name }: Bucket): Promise<void> {
  try {
    await client.send(new HeadBucketCommand({ Bucket: name }));
  } catch (error) {
    const status = statusOf(error);
    if (status === null || status >= 500) throw unavailable(error);
    const why = status === 404 ? 'does not exist' : `is refused (${status})`;
    throw new AppError(
      'service.unavailable',
      `The bucket ${name} ${why}. Create it, or correct S3_BUCKET and the keys.`,
      {
        cause: error,
      },
    );
  }
}

/**
 * An ObjectStore on a bucket. Uploads are pinned by a copy, since an upload address may write again after a deletion, on some services also
 * over an object. A service that does not answer is waited for by the requests that need it: only a bucket that is missing or refused ends
 * the start. Errors: `service.unavailable`. Source: docs/decisions/0114, 0153.
 */
export async function createS3ObjectStore(options: S3ObjectStoreOptions): Promise<S3ObjectStore> {
  const { settings, maxBytes, origins, times = usualTimes } = options;
  const client = createClient(settings, settings.endpoint, times);
  const bucket: Bucket = { client, name: settings.bucket, answerMs: times.answerMs };
  const { publicUrl, endpoint } = settings;
  const signer =
    publicUrl === null ? bucket : { ...bucket, client: createClient(settings, publicUrl ?? endpoint, times) };
  const abilities = new KnownAbilities(async () => {
    await checkBucket(bucket);
    return readAbilities(bucket, origins);
  });
  await abilities.read().catch((error: unknown) => {
    if (!isTemporary(error)) throw error;
  });
  const signsWriteOnce = async () => settings.signWriteOnce && (await abilities.read()).writeOnce;
  return {
    get abilities() {
      return abilities.known;
    },
    writeOnce: false,
    ...presigning(signer, signsWriteOnce, maxBytes),
    async head(key) {
      assertObjectKey(key);
      return (await readHead(bucket, key))?.head ?? null;
    },
    async get(key, { ifMatch } = {}) {
      assertObjectKey(key);
      return (await readWhole(bucket, key, ifMatch))?.bytes ?? null;
    },
    async read(key) {
      assertObjectKey(key);
      return readWhole(bucket, key);
    },
    async getRange(key, start, end) {
      assertObjectKey(key);
      return readRange(bucket, key, start, end);
    },
    async put(key, body, contentType) {
      assertObjectKey(key);
      assertContentType(contentType);
      return putOnce(bucket, await abilities.read(), { key, body, contentType });
    },
    async copy(from, to, ifMatch) {
      assertObjectKey(from);
      assertObjectKey(to);
      return copyPinned(bucket, await abilities.read(), { from, to, ifMatch });
    },
    async delete(key) {
      assertObjectKey(key);
      await deleteOne(bucket, key);
    },
    async deleteAll(keys) {
      for (const key of keys) assertObjectKey(key);
      await deleteMany(bucket, await abilities.read(), keys);
    },
    async check() {
      await checkBucket(bucket);
      await abilities.read();
    },
    disk: async () => null,
    async close() {
      client.destroy();
      signer.client.destroy();
    },
  };
}
