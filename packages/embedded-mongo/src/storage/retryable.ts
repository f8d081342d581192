import { type Binary, deserialize, Long } from 'bson';
import { encode } from '../bson/encode.ts';
import type { Document } from '../bson/value.ts';
import { CommandError } from '../errors.ts';
import type { Database } from './database.ts';

const KEPT_MS = 60 * 60 * 1000;

/** A retryable write's name: the session's id and its transaction number. */
export interface WriteId {
  session: Uint8Array;
  number: number;
}

export function writeIdOf(body: Document): WriteId | undefined {
  if (!Long.isLong(body['txnNumber'])) return undefined;
  const id = (body['lsid'] as { id?: Binary } | undefined)?.id;
  if (!id) throw new CommandError(72, 'Transaction number given without a session');
  return { session: id.value(), number: body['txnNumber'].toNumber() };
}

/** Runs a write once: a repetition gets the reply that was stored in the same commit as the write. */
export function runOnce(database: Database, write: WriteId, run: () => Document): Document {
  const stored = database.get('SELECT txn, reply FROM retryable WHERE session = ?', write.session);
  if (stored && stored[0] === write.number) return deserialize(stored[1] as Uint8Array, { promoteValues: false });
  if (stored && (stored[0] as number) > write.number) {
    throw new CommandError(
      225,
      `Retryable write with txnNumber ${write.number} is prohibited: a newer write of the session has started`,
    );
  }
  const reply = run();
  database.run(
    'INSERT OR REPLACE INTO retryable (session, txn, reply, at) VALUES (?, ?, ?, ?)',
    write.session,
    write.number,
    encode(reply),
    Date.now(),
  );
  return reply;
}

export function forgetOldWrites(database: Database, now: number): void {
  database.run('DELETE FROM retryable WHERE at < ?', now - KEPT_MS);
}
