import { connect } from 'node:net';
import { Binary } from 'bson';
import { decode } from '../bson/decode.ts';
import { USER } from './auth.ts';
import { endpointOf } from './endpoint.ts';
import { Inbox, MAX_MESSAGE_SIZE } from './inbox.ts';
import { commandMessage, parseMessage } from './message.ts';

/** True when an engine with this password answers: another program may have taken the address since. */
export async function probe(address: string, password: string): Promise<boolean> {
  const socket = connect(endpointOf(address));
  try {
    socket.setTimeout(1000, () => socket.destroy(new Error('timeout')));
    const payload = new Binary(Buffer.from(`\0${USER}\0${password}`));
    socket.write(commandMessage({ saslStart: 1, mechanism: 'PLAIN', payload, $db: '$external' }, 1));
    const inbox = new Inbox();
    for await (const chunk of socket) {
      for (const message of inbox.take(chunk as Buffer, MAX_MESSAGE_SIZE)) {
        return Number(decode(parseMessage(message).body)['ok']) === 1;
      }
    }
    return false;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
