import { connect } from 'node:net';
import { endpointOf, USER } from './endpoint.ts';
import { Inbox, MAX_MESSAGE_SIZE } from './inbox.ts';

const cString = (text: string): Buffer => Buffer.from(`${text}\0`);

/** Types of BSON that the probe writes and reads. */
const DOUBLE = 1;
const STRING = 2;
const BINARY = 5;
const INT = 16;

const int = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32LE(value);
  return bytes;
};
const field = (type: number, name: string, ...value: Buffer[]): Buffer =>
  Buffer.concat([Buffer.of(type), cString(name), ...value]);
const text = (value: string): Buffer[] => [int(Buffer.byteLength(value) + 1), cString(value)];

/**
 * The message that signs in: OP_MSG with one document. Written here, without bson, since every process of the service probes, and those with
 * the driver have the other copy of bson, the driver's.
 */
function signIn(password: string): Buffer {
  const payload = Buffer.from(`\0${USER}\0${password}`);
  const fields = Buffer.concat([
    field(INT, 'saslStart', int(1)),
    field(STRING, 'mechanism', ...text('PLAIN')),
    field(BINARY, 'payload', int(payload.length), Buffer.of(0), payload),
    field(STRING, '$db', ...text('$external')),
    Buffer.of(0),
  ]);
  const body = Buffer.concat([int(0), Buffer.of(0), int(fields.length + 4), fields]);
  return Buffer.concat([int(16 + body.length), int(1), int(0), int(2013), body]);
}

/** True for a reply whose `ok` is 1. It is a field of the document itself: the replies to the sign-in hold no other document. */
function isOk(message: Buffer): boolean {
  const one = Buffer.alloc(8);
  one.writeDoubleLE(1);
  return message.includes(field(DOUBLE, 'ok', one)) || message.includes(field(INT, 'ok', int(1)));
}

/** True when an engine with this password answers: another program may have taken the address since. */
export async function probe(address: string, password: string): Promise<boolean> {
  const socket = connect(endpointOf(address));
  try {
    socket.setTimeout(1000, () => socket.destroy(new Error('timeout')));
    socket.write(signIn(password));
    const inbox = new Inbox();
    for await (const chunk of socket)
      for (const message of inbox.take(chunk as Buffer, MAX_MESSAGE_SIZE)) return isOk(message);
    return false;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
