import { own } from '#src/contracts/own.ts';
import { createSecretKey } from 'node:crypto';
import { writeFile } from 'node:fs/promises';

import { AppError } from '#src/domain/app-error.ts';
import type { DiskState, ObjectStore } from '#src/domain/ports/object-store.ts';

import { assertObjectKey } from '../key.ts';

import type { BodyPace } from './listener/body.ts';
import { BlobCollector } from './collector.ts';
import { copyRecord, storeBody } from './commit.ts';
import { removeFile } from './files.ts';
import { FreshUploads } from './fresh-uploads.ts';
import { createListener, type ListenerGate, startListening, stopListening } from './listener/server.ts';
import { assertContentType } from '../presign-fields.ts';
import { getPath, putPath } from './presign.ts';
import { readBytes, readObject } from './read.ts';
import { readRecord } from './record.ts';
import { removeRecords } from './remove.ts';
import { openFolders, type StoreFolders, tempFile } from './folders.ts';
import { DiskSpace, type DiskSpaceOptions } from './space.ts';
import { sweep } from './sweep.ts';

export interface DiskObjectStoreOptions {
  /** Folder whose `objects` subfolder holds the objects; its file system must have hard links. */
  readonly dataDir: string;
  /** From `loadObjectSecret`, shared by all processes on the folder. At least 32 bytes. */
  readonly secret: Buffer;
  readonly host: string;
  /** 0 = any free port. */
  readonly port: number;
  /** Public origin and path prefix of the listener. Default: `http://host:port`. */
  readonly publicUrl?: string | undefined;
  /** Largest upload, in bytes. */
  readonly maxBytes: number;
  /** False is for tests and benchmarks. */
  readonly fsync?: boolean;
  readonly clock?: () => Date;
  readonly pace?: BodyPace;
  /** Free space below which uploads are refused. Default: never. */
  readonly space?: Omit<DiskSpaceOptions, 'path'>;
  /** Called for failures of the server, for the log. */
  readonly onError?: (error: unknown, requestId: string) => void;
}

export interface DiskObjectStore extends ObjectStore {
  disk(): Promise<DiskState>;
  /** Serves signed addresses. A process may use the store without it. Rejects with the error of the system. */
  listen(gate?: ListenerGate | null): Promise<{ url: string; port: number }>;
  close(): Promise<void>;
  /** Removes leftovers of writes and deletes that are older than `olderThanMs` (at least a minute). Returns the number of files. */
  sweepOrphans(olderThanMs: number): Promise<number>;
}

const defaultPace: BodyPace = { idleMs: 30_000, minBytesPerSecond: 32 * 1024 };
const closeGraceMs = 5_000;

/** Replaces a wildcard, which is for binding only, by an address that clients on this machine can use. */
function originOf(host: string, port: number): string {
  const wildcard: Record<string, string> = { '0.0.0.0': '127.0.0.1', '::': '::1' };
  const name = own(wildcard, host) ?? host;
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`;
}

async function checkWritable(folders: StoreFolders): Promise<void> {
  const probe = tempFile(folders);
  try {
    await writeFile(probe, 'ok', { flag: 'wx', mode: 0o600 });
    await removeFile(probe);
  } catch (cause) {
    throw new AppError(
      'service.unavailable',
      'The object folder cannot be written. Check its permissions and the free space.',
      { cause },
    );
  }
}

async function* single(body: Buffer): AsyncGenerator<Buffer> {
  yield body;
}

interface StorageParts {
  readonly folders: StoreFolders;
  readonly collector: BlobCollector;
  readonly space: DiskSpace;
  readonly clock: () => Date;
  readonly fresh: FreshUploads;
}

function storage({
  folders,
  collector,
  space,
  clock,
  fresh,
}: StorageParts): Omit<DiskObjectStore, 'presignPut' | 'presignGet' | 'listen' | 'close' | 'sweepOrphans'> {
  return {
    writeOnce: true,
    async head(key) {
      assertObjectKey(key);
      return readRecord(folders, key);
    },
    async get(key, options = {}) {
      assertObjectKey(key);
      return readBytes(folders, key, { start: 0, end: Number.POSITIVE_INFINITY, ifMatch: options.ifMatch });
    },
    async read(key) {
      assertObjectKey(key);
      return fresh.take(key) ?? readObject(folders, key, { start: 0, end: Number.POSITIVE_INFINITY });
    },
    async getRange(key, start, end) {
      assertObjectKey(key);
      return readBytes(folders, key, { start, end });
    },
    async put(key, body, contentType) {
      assertObjectKey(key);
      assertContentType(contentType);
      await space.assertRoom(body.length);
      const head = await storeBody(folders, { key, contentType, sizeBytes: body.length }, single(body));
      if (head === null) throw new AppError('service.internal', 'The object was not stored.');
      return head;
    },
    async copy(from, to, ifMatch) {
      assertObjectKey(from);
      assertObjectKey(to);
      return copyRecord(folders, from, to, ifMatch);
    },
    async delete(key) {
      assertObjectKey(key);
      fresh.forget([key]);
      await removeRecords(folders, [key], clock());
    },
    async deleteAll(keys) {
      for (const key of keys) assertObjectKey(key);
      fresh.forget(keys);
      collector.add(await removeRecords(folders, keys, clock()));
    },
    check: () => checkWritable(folders),
    disk: () => space.state(),
  };
}

/**
 * An ObjectStore on a folder, with an HTTP listener for its signed addresses. Several stores, in one process or many, may share the
 * folder. Source: docs/decisions/0006, 0007.
 */
export async function createDiskObjectStore(options: DiskObjectStoreOptions): Promise<DiskObjectStore> {
  const { host, maxBytes, clock = () => new Date(), pace = defaultPace, onError = () => undefined } = options;
  if (options.secret.length < 32) throw new Error('The secret of the object store must have at least 32 bytes.');
  // Made once: HMAC over a Buffer makes a key of it each time.
  const secret = createSecretKey(options.secret);
  const folders = await openFolders(options.dataDir, options.fsync ?? true);
  const space = new DiskSpace({ path: options.dataDir, minFreeBytes: 0, ...options.space });
  const collector = new BlobCollector({ folders, clock, onError: (error) => onError(error, 'sweep') });
  let gate: ListenerGate | null = null;
  const fresh = new FreshUploads();
  const server = createListener({ folders, fresh, space, secret, maxBytes, clock, pace, onError, gate: () => gate });
  let port = options.port;
  const origin = (): string => {
    if (options.publicUrl !== undefined) return options.publicUrl.replace(/\/+$/, '');
    if (port === 0) throw new Error('Object addresses need listen(), a fixed port, or publicUrl.');
    return originOf(host, port);
  };
  return {
    ...storage({ folders, collector, space, clock, fresh }),
    async presignPut(request) {
      const url = origin() + putPath(secret, request, maxBytes);
      await space.assertRoom(request.contentLength);
      return {
        url,
        headers: {
          ...(request.signContentType === true && { 'content-type': request.contentType }),
          ...(request.contentMd5 !== undefined && { 'content-md5': request.contentMd5 }),
        },
      };
    },
    async presignGet(request) {
      return origin() + getPath(secret, request);
    },
    async listen(limits = null) {
      gate = limits;
      gate?.attach(server);
      port = await startListening(server, host, options.port);
      return { url: origin(), port };
    },
    async close() {
      await stopListening(server, closeGraceMs);
      await collector.close();
    },
    sweepOrphans: (olderThanMs) => sweep(folders, olderThanMs, clock()),
  };
}
