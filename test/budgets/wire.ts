import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** One command with its reply. Bytes are those of the messages. */
export interface Sent {
  /** Name and collection, such as `find documents`. */
  readonly name: string;
  readonly sent: number;
  received: number;
}

export interface Wire extends AsyncDisposable {
  /** The same database through this wire. */
  readonly uri: string;
  /** Commands since the last call, in order. */
  take(): readonly Sent[];
  /** Settles when no command waits for its reply. */
  quiet(): Promise<void>;
}

/** Belong to connections, not to what the service does. */
const ofConnections = /^(hello|ismaster|isMaster|saslStart|saslContinue|ping|endSessions|aggregate admin)\b/;

/** Cuts a stream of the protocol into its messages. */
function messages(take: (message: Buffer) => void): (chunk: Buffer) => void {
  let rest: Buffer = Buffer.alloc(0);
  return (chunk) => {
    rest = Buffer.concat([rest, chunk]);
    while (rest.length >= 16 && rest.length >= rest.readInt32LE(0)) {
      const length = rest.readInt32LE(0);
      take(rest.subarray(0, length));
      rest = rest.subarray(length);
    }
  };
}

/** The first element of the command: its name, and the collection unless the command has none. Drivers send the body first. */
function nameOf(message: Buffer): string {
  const isMessage = message.readInt32LE(12) === 2013;
  if (!isMessage || message[20] !== 0) return 'hello';
  const end = message.indexOf(0, 26);
  const name = message.toString('utf8', 26, end);
  const size = message[25] === 2 ? message.readInt32LE(end + 1) : 0;
  return size === 0 ? name : `${name} ${message.toString('utf8', end + 5, end + 4 + size)}`;
}

/** Stands between the driver and its database, and counts the commands that pass. */
export async function watchWire(uri: string): Promise<Wire> {
  const target = new URL(uri);
  const sockets = new Set<Socket>();
  const waiting = new Map<string, Sent>();
  let passed: Sent[] = [];
  let quiet = Promise.withResolvers<void>();
  let connections = 0;

  const server = createServer({ noDelay: true }, (client) => {
    const upstream = connect({ port: Number(target.port), host: target.hostname, noDelay: true });
    const connection = (connections += 1);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('close', () => {
        sockets.delete(socket);
        client.destroy();
        upstream.destroy();
      });
      // 'close' follows.
      socket.on('error', () => undefined);
    }
    const asked = messages((message) => {
      const name = nameOf(message);
      if (ofConnections.test(name)) return;
      const one = { name, sent: message.length, received: 0 };
      passed.push(one);
      waiting.set(`${connection}/${message.readInt32LE(4)}`, one);
    });
    const replied = messages((message) => {
      const key = `${connection}/${message.readInt32LE(8)}`;
      const one = waiting.get(key);
      if (one === undefined) return;
      one.received = message.length;
      waiting.delete(key);
      if (waiting.size > 0) return;
      quiet.resolve();
      quiet = Promise.withResolvers();
    });
    client.on('data', (chunk: Buffer) => {
      asked(chunk);
      upstream.write(chunk);
    });
    upstream.on('data', (chunk: Buffer) => {
      replied(chunk);
      client.write(chunk);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const watched = new URL(uri);
  watched.port = String((server.address() as AddressInfo).port);
  return {
    uri: watched.href,
    take() {
      const all = passed;
      passed = [];
      return all;
    },
    quiet: async () => (waiting.size === 0 ? undefined : quiet.promise),
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
