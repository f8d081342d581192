import { once } from 'node:events';
import { extname, resolve as absolute } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { EngineAddress } from './start.ts';

export interface EmbeddedDatabase extends EngineAddress {
  /** Resolves with the reason when an engine of ours dies by itself; stays pending otherwise. */
  failed: Promise<Error>;
  close(): Promise<void>;
}

export interface OpenOptions {
  dataDir: string;
  /** On loopback; 0, the default, is any free one. */
  port?: number;
  /** A unix socket in a folder of its own, in place of a port. The password is asked for all the same. */
  socket?: string;
}

/**
 * Starts the engine in a worker thread over `<dataDir>/database/`, or, when another process already runs it on this folder, finds
 * that one, wherever it listens. Throws when the database file is damaged: it is never replaced.
 */
export async function openEmbeddedDatabase({ dataDir, port = 0, socket }: OpenOptions): Promise<EmbeddedDatabase> {
  // The built package holds JavaScript, the repository TypeScript.
  const worker = new Worker(new URL(`./worker${extname(import.meta.filename)}`, import.meta.url), {
    workerData: { dataDir, address: socket === undefined ? `127.0.0.1:${port}` : absolute(socket) },
    execArgv: ['--disable-warning=ExperimentalWarning'],
  });
  const exited = once(worker, 'exit').catch(() => undefined);
  const [started] = (await once(worker, 'message')) as [EngineAddress | { refused: string }];
  if ('refused' in started) {
    await exited;
    throw new Error(started.refused);
  }
  if (!started.owned)
    return { ...started, failed: new Promise(() => undefined), close: () => exited.then(() => undefined) };
  let closing: Promise<void> | undefined;
  const failed = new Promise<Error>((resolve) => {
    worker.once('error', (error) => resolve(error));
    worker.once('exit', (code) => {
      if (!closing) resolve(new Error(`The embedded engine stopped by itself (exit code ${code})`));
    });
  });
  const close = async (): Promise<void> => {
    worker.postMessage('close');
    await exited;
  };
  return { ...started, failed, close: () => (closing ??= close()) };
}
