import { randomBytes } from 'node:crypto';
import {
  CopyObjectCommand,
  DeleteObjectsCommand,
  GetBucketCorsCommand,
  GetBucketLifecycleConfigurationCommand,
  PutBucketCorsCommand,
  PutBucketLifecycleConfigurationCommand,
  PutObjectCommand,
} from '@aws-sdk/client-s3';

import type { Bucket } from './read.ts';
import type { S3Abilities } from './settings.ts';
import { accepts, statusOf, unavailable } from './client.ts';
import { deleteOne } from './write.ts';

/** Days after which the bucket's rule deletes what was uploaded: by then it was copied, or never acknowledged. */
const incomingDays = 3;
const ruleId = 'inkgraph-incoming';

/** True for a bucket with rules. null: the service does not tell, so that none may be set: setting them replaces those that are there. */
async function hasRules<T>(work: Promise<T>, rulesOf: (answer: T) => readonly object[] | undefined) {
  try {
    return (rulesOf(await work) ?? []).length > 0;
  } catch (error) {
    const status = statusOf(error);
    if (status === 404) return false;
    if (status !== null && (status < 500 || status === 501)) return null;
    throw unavailable(error);
  }
}

/** Sets the rule of a bucket that has none. Rules that somebody else made stay as they are, and are trusted. */
async function hasLifecycle({ client, name: Bucket }: Bucket): Promise<boolean> {
  const request = new GetBucketLifecycleConfigurationCommand({ Bucket });
  const present = await hasRules(client.send(request), ({ Rules }) => Rules);
  if (present !== false) return present === true;
  const rule = {
    ID: ruleId,
    Status: 'Enabled' as const,
    Filter: { Prefix: 'uploads/' },
    Expiration: { Days: incomingDays },
  };
  return accepts(
    client.send(new PutBucketLifecycleConfigurationCommand({ Bucket, LifecycleConfiguration: { Rules: [rule] } })),
  );
}

async function hasCors({ client, name: Bucket }: Bucket, origins: readonly string[]): Promise<boolean> {
  const present = await hasRules(client.send(new GetBucketCorsCommand({ Bucket })), ({ CORSRules }) => CORSRules);
  if (present !== false) return present === true;
  const rule = {
    AllowedOrigins: [...origins],
    AllowedMethods: ['PUT', 'GET', 'HEAD'],
    AllowedHeaders: ['*'],
    ExposeHeaders: ['ETag'],
    MaxAgeSeconds: 3_600,
  };
  return accepts(client.send(new PutBucketCorsCommand({ Bucket, CORSConfiguration: { CORSRules: [rule] } })));
}

/**
 * Finds out by trying, with two small objects that are removed again. `origins` are those of pages that upload. Errors:
 * `service.unavailable`, also for a bucket that is missing or refused.
 */
export async function readAbilities(bucket: Bucket, origins: readonly string[]): Promise<S3Abilities> {
  const { client, name: Bucket } = bucket;
  const key = `.inkgraph/probe-${randomBytes(8).toString('hex')}`;
  const copyKey = `${key}-copy`;
  const put = (more: object = {}) => client.send(new PutObjectCommand({ Bucket, Key: key, Body: 'probe', ...more }));
  try {
    if (!(await accepts(put()))) throw new Error('The service refuses to store an object.');
    const writeOnce = !(await accepts(put({ IfNoneMatch: '*' }))) && (await acceptsCondition(bucket, copyKey));
    await deleteOne(bucket, copyKey);
    const copyIfMatch = !(await accepts(
      client.send(
        new CopyObjectCommand({
          Bucket,
          Key: copyKey,
          CopySource: `${Bucket}/${key}`,
          CopySourceIfMatch: `"${'0'.repeat(32)}"`,
        }),
      ),
    ));
    const Objects = [{ Key: key }, { Key: copyKey }];
    const batchDelete = await accepts(client.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects } })));
    return {
      writeOnce,
      copyIfMatch,
      batchDelete,
      lifecycle: await hasLifecycle(bucket),
      cors: await hasCors(bucket, origins),
    };
  } finally {
    await Promise.allSettled([deleteOne(bucket, key), deleteOne(bucket, copyKey)]);
  }
}

/** True if the service stores a new object under the condition: one that does not know the condition refuses every such request. */
function acceptsCondition({ client, name: Bucket }: Bucket, key: string): Promise<boolean> {
  return accepts(client.send(new PutObjectCommand({ Bucket, Key: key, Body: 'probe', IfNoneMatch: '*' })));
}
