import { parentPort, workerData } from 'node:worker_threads';
import { startEngine } from './start.ts';

const port = parentPort;
if (!port) throw new Error('This file is the worker thread of openEmbeddedDatabase: call that instead.');
const { dataDir, address } = workerData as { dataDir: string; address: string };

try {
  const engine = await startEngine(dataDir, address, (error) => {
    throw error;
  });
  // A thread that only found another's engine has nothing to keep running.
  if (engine.owned) port.once('message', () => void engine.close().then(() => port.close()));
  const { uri, address: at, pid, owned } = engine;
  port.postMessage({ uri, address: at, pid, owned });
} catch (error) {
  port.postMessage({ refused: (error as Error).message });
}
