import { describe, expect, test } from 'vitest';
import { decodeCursor, encodeCursor } from '#src/domain/cursor.ts';
import { flippedText } from '#test/support/integrity/altered.ts';

const secret = Buffer.from('a secret of this service');
const binding = '["org_a",["prj_a"],{}]';
const position = { createdAt: new Date('2026-01-01T00:00:00.123Z'), id: 'doc_0123456789abcdefghijkl' };

const code = (work: () => unknown): string => {
  try {
    work();
    return 'none';
  } catch (error) {
    return error instanceof Error && 'code' in error ? String(error.code) : String(error);
  }
};

describe('Cursors', () => {
  test('come back as the position they were made of', () => {
    expect(decodeCursor(secret, binding, encodeCursor(secret, binding, position))).toEqual(position);
  });

  test('are text that a query string carries as it is', () => {
    const cursor = encodeCursor(secret, binding, position);
    expect(encodeURIComponent(cursor)).toBe(cursor);
  });

  test('are of no use in another list, for another tenant, or with another secret', () => {
    const cursor = encodeCursor(secret, binding, position);
    for (const other of [
      '["org_b",["prj_a"],{}]',
      '["org_a",["prj_b"],{}]',
      '["org_a",["prj_a"],{"apiKeyId":"k"}]',
      '',
    ])
      expect(code(() => decodeCursor(secret, other, cursor))).toBe('request.cursor_invalid');
    expect(code(() => decodeCursor(Buffer.from('other'), binding, cursor))).toBe('request.cursor_invalid');
  });

  test('with any bit of any byte of the signature or of the position flipped are refused', () => {
    const [body = '', signature = ''] = encodeCursor(secret, binding, position).split('.');
    const altered = [
      ...flippedText(signature, 'base64url').map((one) => `${body}.${one}`),
      ...flippedText(body, 'base64url').map((one) => `${one}.${signature}`),
    ];
    expect(altered.length).toBe((16 + Buffer.from(body, 'base64url').length) * 8);
    for (const cursor of altered)
      expect(
        code(() => decodeCursor(secret, binding, cursor)),
        cursor,
      ).toBe('request.cursor_invalid');
  });

  test('with a shorter or a longer signature are refused', () => {
    const [body = '', signature = ''] = encodeCursor(secret, binding, position).split('.');
    const bytes = Buffer.from(signature, 'base64url');
    for (let length = 0; length < bytes.length; length += 1) {
      const cursor = `${body}.${bytes.subarray(0, length).toString('base64url')}`;
      expect(code(() => decodeCursor(secret, binding, cursor))).toBe('request.cursor_invalid');
    }
    const longer = Buffer.concat([bytes, Buffer.of(0)]).toString('base64url');
    expect(code(() => decodeCursor(secret, binding, `${body}.${longer}`))).toBe('request.cursor_invalid');
  });

  test.each(['', '.', '..', 'a', 'a.b', 'a.b.c', '=.=', '\0.\0', 'é.é', '🦄', 'x'.repeat(1_000)])(
    '%j is refused',
    (cursor) => {
      expect(code(() => decodeCursor(secret, binding, cursor))).toBe('request.cursor_invalid');
    },
  );
});
