import { parentPort, workerData } from 'node:worker_threads';
import { startEngine } from './start.ts';

const port = parentPort;
if (!port) throw new Error('embedded/worker.ts runs as a worker thread');
const { dataDir, listenOn } = workerData as { dataDir: string; listenOn: number };

try {
  const engine = await startEngine(dataDir, listenOn, (error) => {
    throw error;
  });
  // A thread that only found another's engine has nothing to keep running.
  if (engine.owned) {
    port.once('message', () => {
      void engine.close().then(() => port.close());
    });
  }
  port.postMessage({ uri: engine.uri, owned: engine.owned });
} catch (error) {
  port.postMessage({ refused: (error as Error).message });
}
