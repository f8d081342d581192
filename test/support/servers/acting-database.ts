import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { BSON, type Document } from 'mongodb';

const opReply = 1;
const opQuery = 2004;
const opMsg = 2013;
const headerBytes = 16;

/** Answers a command in the place of the database; null: the database answers. */
export type Act = (command: Document) => Document | null | Promise<Document | null>;

export interface ActingDatabase extends AsyncDisposable {
  readonly uri: string;
}

/** The command of a message; null for one that has none of its own. */
function commandIn(message: Buffer): Document | null {
  const code = message.readInt32LE(12);
  if (code === opMsg && message[20] === 0) return BSON.deserialize(message.subarray(21, 21 + message.readInt32LE(21)));
  if (code !== opQuery) return null;
  const at = message.indexOf(0, 20) + 9;
  return BSON.deserialize(message.subarray(at, at + message.readInt32LE(at)));
}

function replyTo(message: Buffer, reply: Document): Buffer {
  const document = BSON.serialize(reply);
  const isMessage = message.readInt32LE(12) === opMsg;
  // OP_MSG: flags and the kind of the section. OP_REPLY: flags, cursor, start, number of documents.
  const before = Buffer.alloc(isMessage ? 5 : 20);
  if (!isMessage) before.writeInt32LE(1, 16);
  const header = Buffer.alloc(headerBytes);
  header.writeInt32LE(headerBytes + before.length + document.length, 0);
  header.writeInt32LE(message.readInt32LE(4), 8);
  header.writeInt32LE(isMessage ? opMsg : opReply, 12);
  return Buffer.concat([header, before, document]);
}

/** Splits what a client sends into messages, which may come in pieces. */
async function* messagesOf(socket: Socket): AsyncGenerator<Buffer> {
  let rest = Buffer.alloc(0);
  for await (const chunk of socket as AsyncIterable<Buffer>) {
    rest = Buffer.concat([rest, chunk]);
    while (rest.length >= headerBytes && rest.length >= rest.readInt32LE(0)) {
      const length = rest.readInt32LE(0);
      yield rest.subarray(0, length);
      rest = rest.subarray(length);
    }
  }
}

/** A server of the database's protocol that answers some commands as `act` says, and leaves the others to the database at `uri`. */
export async function actingDatabase(uri: string, act: Act): Promise<ActingDatabase> {
  const target = new URL(uri);
  const sockets = new Set<Socket>();
  const serve = async (client: Socket): Promise<void> => {
    const upstream = connect(Number(target.port), target.hostname);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        sockets.delete(socket);
        client.destroy();
        upstream.destroy();
      });
    }
    upstream.on('data', (bytes: Buffer) => client.write(bytes));
    for await (const message of messagesOf(client)) {
      const command = commandIn(message);
      const reply = command === null ? null : await act(command);
      if (reply === null) upstream.write(message);
      else client.write(replyTo(message, reply));
    }
  };
  const server = createServer((client) => {
    // A connection that is cut ends its loop.
    serve(client).catch(() => client.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    uri: uri.replace(target.host, `127.0.0.1:${port}`),
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

/** The refusal of a server that does not know a command or stage. */
export const refusal = (code: number, codeName: string, errmsg: string): Document => ({
  ok: 0,
  code,
  codeName,
  errmsg,
});
