import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

export interface DatabaseProxy extends AsyncDisposable {
  /** The same database through this proxy. */
  readonly uri: string;
  /** Messages that clients sent so far, but for the driver's own signs of life. */
  messages(): number;
  /** Keeps messages that contain `text` from the database, from now on; settles when the first one was kept. */
  keep(text: string): Promise<void>;
  /** Keeps replies to messages that contain `text` from the client, from now on: the database does the work, and is heard too late. */
  silence(text: string): void;
  /** Breaks every connection and refuses new ones, until `mend`. */
  cut(): Promise<void>;
  mend(): void;
  /** Keeps every connection open, and carries nothing in either direction, until `resume`: a database that hangs. */
  pause(): void;
  resume(): void;
}

/** Stands between the program and its database: counts what is asked, and can cut the line. */
export async function databaseProxy(uri: string): Promise<DatabaseProxy> {
  const target = new URL(uri);
  const sockets = new Set<Socket>();
  /** Both ends of connections that carried more than signs of life. */
  const working = new Set<Socket>();
  let counted = 0;
  let kept = { text: '', seen: Promise.withResolvers<void>() };
  let silenced = '';
  let broken = false;
  let paused = false;

  const server = createServer((client) => {
    if (broken) {
      client.destroy();
      return;
    }
    const upstream = connect(Number(target.port), target.hostname);
    let isSilent = false;
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('close', () => {
        sockets.delete(socket);
        working.delete(socket);
        client.destroy();
        upstream.destroy();
      });
      // Broken on purpose; 'close' follows.
      socket.on('error', () => undefined);
    }
    client.on('data', (bytes: Buffer) => {
      if (!/\b(hello|ismaster|endSessions)\b/i.test(bytes.subarray(0, 200).toString('latin1'))) {
        counted += 1;
        working.add(client).add(upstream);
      }
      isSilent = silenced !== '' && bytes.includes(silenced);
      if (kept.text !== '' && bytes.includes(kept.text)) kept.seen.resolve();
      else upstream.write(bytes);
    });
    upstream.on('data', (bytes: Buffer) => isSilent || client.write(bytes));
    if (paused) for (const socket of [client, upstream]) socket.pause();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const proxied = new URL(uri);
  proxied.port = String((server.address() as AddressInfo).port);

  const cut = async (): Promise<void> => {
    broken = true;
    // The driver's monitor first: mongodb 7.8 waits for ever for an answer when its connection closes while it is asking.
    for (const socket of sockets) if (!working.has(socket)) socket.destroy();
    await new Promise((resolve) => {
      setTimeout(resolve, 20);
    });
    for (const socket of sockets) socket.destroy();
  };
  return {
    uri: proxied.href,
    messages: () => counted,
    keep(text) {
      kept = { text, seen: Promise.withResolvers<void>() };
      return kept.seen.promise;
    },
    silence(text) {
      silenced = text;
    },
    cut,
    mend() {
      broken = false;
    },
    pause() {
      paused = true;
      for (const socket of sockets) socket.pause();
    },
    resume() {
      paused = false;
      for (const socket of sockets) socket.resume();
    },
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close');
      server.close();
      await cut();
      await closed;
    },
  };
}
