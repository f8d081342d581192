import { once } from 'node:events';
import { randomInt } from 'node:crypto';
import { createServer, type Server } from 'node:net';

/** Below the ports that Linux gives to outgoing connections and to port 0 (32768 and up), of which one could be taken before its server starts. */
const lowest = 16_384;
const limit = 32_768;

/** Ports that nothing listens at, for servers that take no port 0. All differ. */
export async function freePorts(count: number): Promise<readonly number[]> {
  const held = new Map<number, Server>();
  while (held.size < count) {
    const port = randomInt(lowest, limit);
    const probe = held.has(port) ? null : await listener(port);
    if (probe) held.set(port, probe);
  }
  await Promise.all([...held.values()].map((probe) => once(probe.close(), 'close')));
  return [...held.keys()];
}

/** Null for a port that is taken. */
async function listener(port: number): Promise<Server | null> {
  const probe = createServer().listen(port, '127.0.0.1');
  return once(probe, 'listening').then(
    () => probe,
    () => null,
  );
}
