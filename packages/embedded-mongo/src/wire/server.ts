import { createServer, type Server, type Socket } from 'node:net';
import { encode } from '../bson/encode.ts';
import type { Document } from '../bson/value.ts';
import { dispatch } from '../commands/dispatch.ts';
import { failure } from '../errors.ts';
import type { Connection, Service } from '../commands/request.ts';
import { listenAt } from './endpoint.ts';
import type { FailPoints } from './fail-points.ts';
import { Inbox, MAX_MESSAGE_SIZE } from './inbox.ts';
import { type Message, parseMessage, replyTo } from './message.ts';

/** Limit of a message before authentication. */
const STRANGER_MESSAGE_SIZE = 64 * 1024;

export interface WireServer {
  address: string;
  close(): Promise<void>;
}

interface Served extends Pick<Service, 'engine' | 'password'> {
  /** Only in tests. */
  failPoints?: FailPoints | undefined;
}

export async function listen({ failPoints, ...service }: Served, address: string): Promise<WireServer> {
  const sockets = new Set<Socket>();
  const connections = { current: 0, totalCreated: 0 };
  const shared: Service = { ...service, address: '', connections };
  const server = createServer({ noDelay: true }, (socket) => {
    sockets.add(socket);
    connections.current = sockets.size;
    socket.on('close', () => {
      sockets.delete(socket);
      connections.current = sockets.size;
    });
    serve(socket, shared, ++connections.totalCreated, failPoints);
  });
  shared.address = await listenAt(server, address);
  return { address: shared.address, close: () => closeAll(server, sockets) };
}

function serve(socket: Socket, service: Service, id: number, failPoints: FailPoints | undefined): void {
  const inbox = new Inbox();
  const connection: Connection = {
    id,
    peer: `${socket.remoteAddress}:${socket.remotePort}`,
    authenticated: false,
    waiting: null,
  };
  let sent = 0;
  const take = (message: Message): void => {
    const run = (then: (reply: Document, waited?: boolean) => void): void =>
      dispatch(service, connection, message, then);
    const reply = (document: Document, waited = false): void => answer(message, document, waited);
    if (failPoints === undefined) run(reply);
    else failPoints.pass({ message, connection, run, answer: reply, close: () => socket.destroy() });
  };
  const answer = (message: Message, reply: Document, waited: boolean): void => {
    if (message.silent || socket.destroyed) return;
    const more = waited && message.exhaustAllowed;
    socket.write(replyTo(message, safeEncode(reply), ++sent, more));
    // The next reply answers this one (OP_MSG, exhaustAllowed).
    if (more) take({ ...message, requestId: sent });
  };
  socket.on('error', () => socket.destroy());
  socket.on('close', () => clearTimeout(connection.waiting ?? undefined));
  socket.on('data', (chunk) => {
    try {
      const limit = connection.authenticated ? MAX_MESSAGE_SIZE : STRANGER_MESSAGE_SIZE;
      for (const bytes of inbox.take(chunk, limit)) take(parseMessage(bytes));
    } catch {
      // The bytes are not MongoDB's protocol, so nothing else on this stream can be trusted.
      socket.destroy();
    }
  });
}

function safeEncode(reply: Document): Uint8Array {
  try {
    return encode(reply);
  } catch (error) {
    return encode(failure(error as Error));
  }
}

async function closeAll(server: Server, sockets: ReadonlySet<Socket>): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  for (const socket of sockets) socket.destroySoon();
  await closed;
}
