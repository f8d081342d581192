import { chmodSync, mkdirSync, rmSync, statSync } from 'node:fs';
import { connect, type Server } from 'node:net';
import { dirname } from 'node:path';

/** The one user. */
export const USER = 'inkgraph';

/** An address is `127.0.0.1:<port>`, or the absolute path of a unix socket: what `connect` and `listen` of node:net take for it. */
export function endpointOf(address: string): { path: string } | { host: string; port: number } {
  return address.startsWith('/')
    ? { path: address }
    : { host: '127.0.0.1', port: Number(address.slice(address.lastIndexOf(':') + 1)) };
}

/** Listens there and gives the address it got. A socket is the owner's alone, and one left by a killed engine is replaced. */
export async function listenAt(server: Server, address: string): Promise<string> {
  const endpoint = endpointOf(address);
  if ('path' in endpoint) await clearSocket(endpoint.path);
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(explained(error, address)));
    server.listen(endpoint, resolve);
  });
  if ('path' in endpoint) chmodSync(endpoint.path, 0o600);
  const bound = server.address();
  return bound && typeof bound === 'object' ? `${bound.address}:${bound.port}` : address;
}

function explained(error: NodeJS.ErrnoException, address: string): Error {
  const why = error.code === 'EADDRINUSE' ? 'another program uses it' : error.message;
  return new Error(`The embedded engine cannot listen on ${address}: ${why}`, { cause: error });
}

/** Limit of a socket path: 108 bytes on Linux, 104 elsewhere. The system cuts longer paths silently. */
const LONGEST_PATH = 103;

async function clearSocket(path: string): Promise<void> {
  const folder = dirname(path);
  if (Buffer.byteLength(path) > LONGEST_PATH)
    throw new Error(`The socket path ${path} is longer than ${LONGEST_PATH} bytes`);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  if ((statSync(folder).mode & 0o077) !== 0)
    throw new Error(`The socket's folder ${folder} is open to others: use one of its own, or chmod 700 it`);
  if (statSync(path, { throwIfNoEntry: false })?.isSocket() && !(await answers(path))) rmSync(path);
}

async function answers(path: string): Promise<boolean> {
  const socket = connect(path);
  try {
    return await new Promise((resolve) => {
      socket.once('connect', () => resolve(true));
      socket.once('error', () => resolve(false));
    });
  } finally {
    socket.destroy();
  }
}
