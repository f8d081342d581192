import {
  CopyObjectCommand,
  DeleteObjectCommand,
  DeleteObjectsCommand,
  PutObjectCommand,
  type DeleteObjectsCommandOutput,
} from '@aws-sdk/client-s3';
import { AppError } from '#src/domain/app-error.ts';
import type { ObjectHead } from '#src/domain/ports/object-store.ts';

import { plainTag, unavailable, unlessStatus } from './client.ts';
import { type Bucket, readHead } from './read.ts';
import type { S3Abilities } from './settings.ts';

/** Name in a copy's metadata of the entity tag of its source: with keys of its own, a service gives the copy another one. */
const sourceTag = 'source-etag';

const conflict = 409;
const present = 412;
const keysOfBatch = 1_000;
const deletionsAtOnce = 16;

function exists(): AppError {
  return new AppError(
    'object.exists',
    'An object is already stored under this key. Objects are written once: presign again to upload another.',
  );
}

function notThere(): AppError {
  return new AppError('object.not_found', 'The object to copy is not stored, or has other bytes.');
}

/**
 * Stores a body under a free key. Where the service cannot refuse to replace an object, a writer at the same moment may: the caller's keys
 * are random or derived from what they hold. Errors: `object.exists`, `service.unavailable`.
 */
export async function putOnce(
  bucket: Bucket,
  { writeOnce }: Pick<S3Abilities, 'writeOnce'>,
  { key, body, contentType }: { readonly key: string; readonly body: Buffer; readonly contentType: string },
): Promise<ObjectHead> {
  const { client, name } = bucket;
  if (!writeOnce && (await readHead(bucket, key)) !== null) throw exists();
  const stored = await unlessStatus(
    client.send(
      new PutObjectCommand({
        Bucket: name,
        Key: key,
        Body: body,
        ContentLength: body.length,
        ContentType: contentType,
        ...(writeOnce && { IfNoneMatch: '*' }),
      }),
    ),
    conflict,
    present,
  );
  if (stored === null) throw exists();
  return { key, sizeBytes: body.length, contentType, etag: plainTag(stored.ETag) };
}

/**
 * Head of a copy that an earlier call made of these bytes. null: none is there. The tag in the metadata is what a call asked for: it tells
 * the bytes only where the service checks the condition of a copy. Errors: `object.exists` for other bytes.
 */
async function earlierCopy(
  bucket: Bucket,
  { copyIfMatch }: Pick<S3Abilities, 'copyIfMatch'>,
  { to, ifMatch }: { readonly to: string; readonly ifMatch: string },
): Promise<ObjectHead | null> {
  const found = await readHead(bucket, to);
  if (found === null) return null;
  const isSame = found.head.etag === ifMatch || (copyIfMatch && found.metadata[sourceTag] === ifMatch);
  if (!isSame) throw exists();
  return found.head;
}

/**
 * Copies exactly the bytes named by `ifMatch`. Services that ignore the condition are found out: the copy's tag and length must be those of
 * the source, else the copy goes. Errors: `object.not_found`, `object.exists`, `service.unavailable`.
 */
export async function copyPinned(
  bucket: Bucket,
  { copyIfMatch }: Pick<S3Abilities, 'copyIfMatch'>,
  { from, to, ifMatch }: { readonly from: string; readonly to: string; readonly ifMatch: string },
): Promise<ObjectHead> {
  const { client, name } = bucket;
  const earlier = await earlierCopy(bucket, { copyIfMatch }, { to, ifMatch });
  if (earlier !== null) return earlier;
  const source = await readHead(bucket, from);
  if (source === null || source.head.etag !== ifMatch) throw notThere();
  const copied = await unlessStatus(
    client.send(
      new CopyObjectCommand({
        Bucket: name,
        Key: to,
        CopySource: `${name}/${from}`,
        CopySourceIfMatch: `"${ifMatch}"`,
        MetadataDirective: 'REPLACE',
        ContentType: source.head.contentType,
        Metadata: { [sourceTag]: ifMatch },
      }),
    ),
    404,
    present,
  );
  if (copied === null) throw notThere();
  const made = await readHead(bucket, to);
  const isRight =
    made !== null && made.head.sizeBytes === source.head.sizeBytes && (copyIfMatch || made.head.etag === ifMatch);
  if (isRight) return made.head;
  await deleteOne(bucket, to);
  throw notThere();
}

export async function deleteOne({ client, name }: Bucket, key: string): Promise<void> {
  await unlessStatus(client.send(new DeleteObjectCommand({ Bucket: name, Key: key })), 404);
}

/** Deletes many objects, in as few requests as the service takes. Errors: `service.unavailable` when one could not be deleted. */
export async function deleteMany(
  bucket: Bucket,
  { batchDelete }: Pick<S3Abilities, 'batchDelete'>,
  keys: readonly string[],
): Promise<void> {
  const step = batchDelete ? keysOfBatch : deletionsAtOnce;
  for (let at = 0; at < keys.length; at += step) {
    const batch = keys.slice(at, at + step);
    if (batchDelete) refuseErrors(await deleteBatch(bucket, batch));
    else await Promise.all(batch.map((key) => deleteOne(bucket, key)));
  }
}

async function deleteBatch({ client, name }: Bucket, keys: readonly string[]): Promise<DeleteObjectsCommandOutput> {
  const Objects = keys.map((Key) => ({ Key }));
  try {
    return await client.send(new DeleteObjectsCommand({ Bucket: name, Delete: { Objects, Quiet: true } }));
  } catch (error) {
    throw unavailable(error);
  }
}

function refuseErrors({ Errors = [] }: DeleteObjectsCommandOutput): void {
  const first = Errors.find(({ Code }) => Code !== 'NoSuchKey');
  if (first !== undefined) throw unavailable(new Error(`An object could not be deleted: ${first.Code ?? 'no code'}`));
}
