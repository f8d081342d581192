import { mkdtemp, rm } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { loadObjectSecret } from '#src/adapters/objects/disk/secret.ts';
import {
  createDiskObjectStore,
  type DiskObjectStore,
  type DiskObjectStoreOptions,
} from '#src/adapters/objects/disk/store.ts';

export const megabyte = 1024 * 1024;

export async function temporaryFolder(): Promise<{ path: string; remove: () => Promise<void> }> {
  const path = await mkdtemp(join(tmpdir(), 'inkgraph-'));
  return { path, remove: () => rm(path, { recursive: true, force: true }) };
}

/** A disk store on `dataDir`, any free port; what the options leave open is small and quick. */
export async function diskStore(
  dataDir: string,
  options: Partial<DiskObjectStoreOptions> = {},
): Promise<DiskObjectStore> {
  const secret = await loadObjectSecret(dataDir);
  return createDiskObjectStore({ dataDir, secret, host: '127.0.0.1', port: 0, maxBytes: 8 * megabyte, ...options });
}

export interface ServedStore {
  readonly store: DiskObjectStore;
  readonly dataDir: string;
  readonly url: string;
  readonly port: number;
  /** Failures that the store reported as its own. */
  readonly failures: unknown[];
  dispose(): Promise<void>;
}

/** A listening disk store in a folder of its own. */
export async function servedStore(options: Partial<DiskObjectStoreOptions> = {}): Promise<ServedStore> {
  const folder = await temporaryFolder();
  const failures: unknown[] = [];
  const store = await diskStore(folder.path, { onError: (error) => failures.push(error), ...options });
  const { url, port } = await store.listen();
  const dispose = async (): Promise<void> => {
    await store.close();
    await folder.remove();
  };
  return { store, dataDir: folder.path, url, port, failures, dispose };
}

export function inMinutes(minutes: number, from: Date = new Date()): Date {
  return new Date(from.getTime() + minutes * 60_000);
}

/** An upload address for `length` bytes, valid for five minutes. */
export async function uploadUrl(store: DiskObjectStore, key: string, length: number): Promise<string> {
  const request = { key, contentLength: length, contentType: 'image/png', expiresAt: inMinutes(5) };
  return (await store.presignPut(request)).url;
}

export function downloadUrl(store: DiskObjectStore, key: string): Promise<string> {
  return store.presignGet({ key, expiresAt: inMinutes(5) });
}

/** Path and query of an address, as a request line wants them. */
export function targetOf(url: string): string {
  const { pathname, search } = new URL(url);
  return pathname + search;
}

/** A connection for requests that no HTTP client would send. */
export async function rawConnection(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  socket.once('connect', resolve).once('error', reject);
  await promise;
  return socket;
}

/** Sends the lines of a head and a body as they are; gives everything that came back until the connection closed. */
export async function rawExchange(port: number, head: readonly string[], body: string | Buffer = ''): Promise<string> {
  const socket = await rawConnection(port);
  socket.write(Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`), Buffer.from(body)]));
  return text(socket);
}

export interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly instance: string;
  readonly code: string;
  readonly requestId: string;
}

export async function problemOf(response: Response): Promise<Problem> {
  return (await response.json()) as Problem;
}

/** Error code that an operation ends in; `none` when it succeeds. */
export async function errorCodeOf(operation: Promise<unknown>): Promise<string> {
  return operation.then(
    () => 'none',
    (error: unknown) => (error instanceof Error && 'code' in error ? String(error.code) : String(error)),
  );
}
