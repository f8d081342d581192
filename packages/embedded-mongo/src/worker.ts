import { flushCompileCache } from 'node:module';
import { parentPort, type MessagePort } from 'node:worker_threads';
import { SilentEngineError } from './find.ts';
import { releaseMemoryWhenIdle } from './release-memory.ts';
import { startEngine, type RunningEngine } from './start.ts';
import type { Order, Report } from './thread.ts';

type OpenOrder = Extract<Order, { open: unknown }>['open'];

/** Opens and closes engines, one at a time, as the other end of `port` orders. */
function serve(port: MessagePort): void {
  const report = (said: Report): void => port.postMessage(said);
  let engine: RunningEngine | undefined;
  const open = async ({ dataDir, ...wanted }: OpenOrder): Promise<Report> => {
    try {
      engine = await startEngine(dataDir, wanted, (error) => {
        throw error;
      });
      const { uri, address: at, pid, owned } = engine;
      return { uri, address: at, pid, owned };
    } catch (error) {
      return { refused: (error as Error).message, isSilent: error instanceof SilentEngineError };
    }
  };
  const close = async (end: boolean): Promise<void> => {
    await engine?.close();
    engine = undefined;
    if (end) port.close();
    else report({ closed: true });
  };
  const opened = (said: Report): void => {
    report(said);
    // A process that is killed keeps the compiled code as well.
    flushCompileCache();
  };
  port.on('message', (order: Order) => void ('open' in order ? open(order.open).then(opened) : close(order.close.end)));
}

if (!parentPort) throw new Error('This file is the worker thread of openEmbeddedDatabase: call that instead.');
releaseMemoryWhenIdle();
serve(parentPort);
