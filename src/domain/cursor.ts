import { createHmac, timingSafeEqual, type KeyObject } from 'node:crypto';
import { AppError } from '#src/domain/app-error.ts';

/** Position in a list that is sorted from new to old: the next page holds strictly older items. */
export interface ListPosition {
  readonly createdAt: Date;
  readonly id: string;
}

const sign = (secret: Buffer | KeyObject, payload: string, binding: string): Buffer =>
  createHmac('sha256', secret).update(`${binding}\n${payload}`).digest().subarray(0, 16);

/** Encodes a signed cursor. `binding` holds tenant and filters, which makes the cursor invalid for other lists. */
export function encodeCursor(secret: Buffer | KeyObject, binding: string, position: ListPosition): string {
  const payload = `${position.createdAt.getTime()}.${position.id}`;
  return `${Buffer.from(payload).toString('base64url')}.${sign(secret, payload, binding).toString('base64url')}`;
}

/** Decodes a cursor. Errors: `request.cursor_invalid` for a cursor of another list or a changed one. */
export function decodeCursor(secret: Buffer | KeyObject, binding: string, cursor: string): ListPosition {
  const error = new AppError(
    'request.cursor_invalid',
    'The cursor does not belong to this list. Use the nextCursor of the same list with the same filters.',
    {
      errors: [{ pointer: '/cursor', code: 'cursor_invalid', message: 'not a cursor of this list' }],
    },
  );
  const [body, signature, ...rest] = cursor.split('.');
  if (body === undefined || signature === undefined || rest.length > 0) throw error;
  const payload = Buffer.from(body, 'base64url').toString();
  const given = Buffer.from(signature, 'base64url');
  const expected = sign(secret, payload, binding);
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) throw error;
  const [time, id] = payload.split('.');
  return { createdAt: new Date(Number(time)), id: id ?? '' };
}
