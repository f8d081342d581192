import { once } from 'node:events';
import { setFlagsFromString } from 'node:v8';
import { Worker } from 'node:worker_threads';
import { SilentEngineError, type EngineAddress } from './find.ts';

/** A message to the thread. */
export type Order = { open: { dataDir: string; address: string; failPoints: boolean } } | { close: { end: boolean } };
/** Its answer: to `open` the engine or a reason, to `close` that it is closed. */
export type Report = EngineAddress | Refused | { closed: true };

interface Refused {
  refused: string;
  /** The process that holds the folder lives, and does not answer. */
  isSilent: boolean;
}

/** A running engine of ours, or another's. */
export interface EmbeddedDatabase extends EngineAddress {
  /** Resolves with the reason when an engine of ours dies by itself; stays pending otherwise. */
  failed: Promise<Error>;
  close(): Promise<void>;
}

export const never = new Promise<never>(() => undefined);

interface Running {
  readonly worker: Worker;
  readonly exited: Promise<unknown>;
}

function startWorker(): Running {
  // The built package holds JavaScript, the repository TypeScript.
  const isBuilt = import.meta.filename.endsWith('.js');
  const program = isBuilt ? new URL('./worker.js', import.meta.url) : new URL('./worker.ts', import.meta.url);
  // For releaseMemoryWhenIdle. Threads do not take it from `execArgv`.
  setFlagsFromString('--expose-gc');
  const worker = new Worker(program, {
    execArgv: ['--disable-warning=ExperimentalWarning'],
  });
  return { worker, exited: once(worker, 'exit').catch(() => undefined) };
}

/** Settles when the thread dies, until `signal` aborts. */
function deathOf(worker: Worker, signal: AbortSignal): Promise<Error> {
  const { promise, resolve } = Promise.withResolvers<Error>();
  const onExit = (code: number): void =>
    resolve(new Error(`The embedded engine stopped by itself (exit code ${code})`));
  worker.once('error', resolve).once('exit', onExit);
  signal.addEventListener('abort', () => void worker.off('error', resolve).off('exit', onExit), { once: true });
  return promise;
}

/** A worker thread that runs one engine at a time. A second engine starts in a fraction of the time, on code that is loaded. */
export class EngineThread {
  #running: Running | undefined;
  /** Ends the thread with its engine. */
  readonly #endsWithEngine: boolean;

  constructor({ endsWithEngine = false }: { endsWithEngine?: boolean } = {}) {
    this.#endsWithEngine = endsWithEngine;
  }

  /** Only while no other engine runs in this thread. Throws when the engine cannot run on this folder. */
  async open(dataDir: string, address: string, failPoints = false): Promise<EmbeddedDatabase> {
    const running = (this.#running ??= startWorker());
    const { worker } = running;
    worker.ref();
    order(running, { open: { dataDir, address, failPoints } });
    const [started] = (await once(worker, 'message')) as [EngineAddress | Refused];
    if ('refused' in started) {
      await this.#close(running);
      throw started.isSilent ? new SilentEngineError(started.refused) : new Error(started.refused);
    }
    if (!started.owned) return { ...started, failed: never, close: () => this.#close(running) };
    const watch = new AbortController();
    let closing: Promise<void> | undefined;
    const close = async (): Promise<void> => {
      watch.abort();
      await this.#close(running);
    };
    return { ...started, failed: deathOf(worker, watch.signal), close: () => (closing ??= close()) };
  }

  async #close(running: Running): Promise<void> {
    const { worker, exited } = running;
    const ended = this.#endsWithEngine
      ? exited
      : Promise.race([once(worker, 'message').catch(() => undefined), exited]);
    order(running, { close: { end: this.#endsWithEngine } });
    await ended;
    // A thread without an engine does not keep its process.
    worker.unref();
  }
}

function order({ worker }: Running, message: Order): void {
  worker.postMessage(message);
}
