import { createHash, timingSafeEqual } from 'node:crypto';
import { Binary } from 'bson';
import type { Document } from '../bson/value.ts';
import { CommandError } from '../errors.ts';
import { USER } from './endpoint.ts';

/** SASL PLAIN (RFC 4616): the one mechanism, since the wire never leaves this machine. Returns saslStart's reply. */
export function startPlain(body: Document, password: string): Document {
  if (body['mechanism'] !== 'PLAIN') {
    throw new CommandError(
      2,
      `Received authentication for mechanism ${String(body['mechanism'])} which is not enabled`,
    );
  }
  const payload = body['payload'];
  const text = payload instanceof Binary ? Buffer.from(payload.value()).toString() : '';
  const [, user = '', given = ''] = text.split('\0');
  const sameUser = sameText(user, USER);
  if (!sameText(given, password) || !sameUser) throw new CommandError(18, 'Authentication failed.');
  return { conversationId: 1, done: true, payload: new Binary(new Uint8Array()), ok: 1 };
}

/** Over digests, so that neither length nor content shows in the time taken. */
function sameText(a: string, b: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(a), digest(b));
}
