import { DiskSpace } from '#src/adapters/objects/disk/space.ts';
import { createDiskObjectStore, type DiskObjectStore } from '#src/adapters/objects/disk/store.ts';
import type { S3Abilities, S3Settings } from '#src/adapters/objects/s3/settings.ts';
import type { S3ObjectStore } from '#src/adapters/objects/s3/store.ts';
import { configuredAddresses } from '#app/compose/addresses.ts';
import type { Config } from '#src/config/config.ts';
import { ConfigError } from '#src/config/env.ts';
import { AppError } from '#src/domain/app-error.ts';
import type { Logger } from '#src/domain/ports/logger.ts';
import type { DiskState, ObjectStore } from '#src/domain/ports/object-store.ts';

/** The object store of this process. */
export interface Objects {
  readonly objects: ObjectStore;
  /** The store on this machine's disk, which answers signed addresses itself. null: a service does. */
  readonly disk: Pick<DiskObjectStore, 'listen' | 'sweepOrphans'> | null;
  /** Abilities of the S3 service. null: it has not answered yet, or the store is on the disk. */
  readonly abilities: () => S3Abilities | null;
}

/** Opens S3 where a bucket is configured, else a folder. `stack` closes it. Throws ConfigError for a bucket that cannot be used. */
export async function openObjects(
  config: Config,
  { secret, logger }: { readonly secret: Buffer; readonly logger: Logger },
  stack: AsyncDisposableStack,
): Promise<Objects> {
  const space = {
    minFreeBytes: config.uploads.minFreeBytes,
    onFull: (state: DiskState) =>
      logger.error(state, 'uploads are refused: the disk of DATA_DIR is nearly full. Free some space'),
  };
  if (config.s3 !== null) {
    const objects = await openBucket(config, config.s3, stack);
    const { bucket } = config.s3;
    if (objects.abilities === null)
      logger.error(
        { bucket },
        'the object store does not respond: uploads and pictures are refused until it does. If this lasts, check S3_ENDPOINT',
      );
    else logger.info({ bucket, ...objects.abilities }, 'uploads are stored in S3');
    // The embedded database is on the disk of DATA_DIR: results of uploads need room there.
    const watched =
      config.mongodbUri === null ? withRoom(objects, new DiskSpace({ path: config.dataDir, ...space })) : objects;
    return { objects: watched, disk: null, abilities: () => objects.abilities };
  }
  const disk = await createDiskObjectStore({
    dataDir: config.dataDir,
    secret,
    host: config.host,
    port: config.ports.objects,
    publicUrl: config.objectsUrl ?? undefined,
    maxBytes: config.uploads.maxBytes,
    space,
    onError: (error, requestId) => logger.error({ err: error, requestId }, 'object request failed'),
  });
  stack.defer(() => disk.close());
  return { objects: disk, disk, abilities: () => null };
}

/** A store elsewhere that takes no uploads while a disk of this machine is nearly full. Errors: `storage.full`. */
function withRoom(objects: ObjectStore, space: DiskSpace): ObjectStore {
  return {
    ...objects,
    async presignPut(request) {
      await space.assertRoom(0);
      return objects.presignPut(request);
    },
    disk: () => space.state(),
  };
}

async function openBucket(config: Config, settings: S3Settings, stack: AsyncDisposableStack): Promise<S3ObjectStore> {
  // The SDK takes memory and time to load: only where it is used.
  const { createS3ObjectStore } = await import('#src/adapters/objects/s3/store.ts');
  try {
    const store = await createS3ObjectStore({
      settings,
      maxBytes: config.uploads.maxBytes,
      origins: uploadOrigins(config),
    });
    stack.defer(() => store.close());
    return store;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    throw new ConfigError(`S3_BUCKET cannot be used: ${error.detail}`, { cause: error });
  }
}

/** Origins of pages that upload: the API's own, and those of DASHBOARD_ORIGINS. */
function uploadOrigins(config: Config): readonly string[] {
  return [new URL(configuredAddresses(config).api).origin, ...config.dashboard.origins];
}

/** Tries a bucket as the start of the product does. Returns what its service can do. Throws ConfigError, also without an answer. */
export async function tryBucket(config: Config, settings: S3Settings): Promise<S3Abilities> {
  await using stack = new AsyncDisposableStack();
  const { abilities } = await openBucket(config, settings, stack);
  if (abilities !== null) return abilities;
  throw new ConfigError('S3_BUCKET cannot be used: its service does not respond. Check S3_ENDPOINT and the network.');
}
