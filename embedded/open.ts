import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

export interface EmbeddedDatabase {
  /** `mongodb://inkgraph:<password>@127.0.0.1:<port>/?directConnection=true&authMechanism=PLAIN&...` */
  uri: string;
  /** false: another process runs the engine on this data folder and we only connect to it. */
  owned: boolean;
  /** Resolves with the reason when an engine of ours dies by itself; stays pending otherwise. */
  failed: Promise<Error>;
  close(): Promise<void>;
}

type Started = { uri: string; owned: boolean } | { refused: string };

/**
 * Starts the engine in a worker thread on a loopback port (0 = any free) over `<dataDir>/database/`, or, when another process
 * already runs it on this folder, returns that one's uri. Throws when the database file is damaged: it is never replaced.
 */
export async function openEmbeddedDatabase(options: { dataDir: string; port?: number }): Promise<EmbeddedDatabase> {
  const worker = new Worker(new URL('./worker.ts', import.meta.url), {
    workerData: { dataDir: options.dataDir, listenOn: options.port ?? 0 },
    execArgv: ['--disable-warning=ExperimentalWarning'],
  });
  const exited = once(worker, 'exit').catch(() => undefined);
  const [started] = (await once(worker, 'message')) as [Started];
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
