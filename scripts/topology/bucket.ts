import { findProgram, radosGateway } from '#scripts/check/programs.ts';
import { UsageError } from '#scripts/cli/with-app.ts';
import { startCeph } from '#scripts/servers/ceph.ts';
import { S3Line } from '#scripts/topology/s3-line.ts';
import type { S3Settings } from '#src/adapters/objects/s3/settings.ts';

/** A bucket that all processes share, behind a line that can break. */
export interface Bucket extends AsyncDisposable {
  /** Settings of the processes. */
  readonly env: Readonly<Record<string, string>>;
  readonly line: S3Line;
}

/** Opens the bucket of the environment, or one on a Ceph of this machine. null: none is wanted. Throws UsageError without Ceph. */
export async function openBucket(configured: S3Settings | null, wantsCeph: boolean): Promise<Bucket | null> {
  if (configured === null && !wantsCeph) return null;
  await using opening = new AsyncDisposableStack();
  const settings = configured ?? opening.use(await ceph()).settings;
  if (settings.endpoint === null)
    throw new UsageError('S3_BUCKET needs S3_ENDPOINT here: Amazon S3 takes no other address.');
  const line = opening.use(new S3Line(settings.endpoint));
  const { accessKeyId = '', secretAccessKey = '' } = settings.credentials ?? {};
  const env = {
    S3_BUCKET: settings.bucket,
    S3_REGION: settings.region,
    S3_ENDPOINT: await line.listen(),
    S3_ACCESS_KEY_ID: accessKeyId,
    S3_SECRET_ACCESS_KEY: secretAccessKey,
    S3_FORCE_PATH_STYLE: 'true',
  };
  const stack = opening.move();
  return { env, line, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

async function ceph() {
  if (findProgram(radosGateway) === null) throw new UsageError(`This machine has no Ceph. ${radosGateway.advice}`);
  return startCeph();
}
