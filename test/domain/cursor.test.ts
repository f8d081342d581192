import { describe, expect, test } from 'vitest';
import { decodeCursor, encodeCursor } from '#src/domain/cursor.ts';

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

  test('with any one character changed are refused', () => {
    const cursor = encodeCursor(secret, binding, position);
    for (let at = 0; at < cursor.length; at += 1) {
      const changed = cursor.slice(0, at) + (cursor[at] === 'A' ? 'B' : 'A') + cursor.slice(at + 1);
      // The last character of base64url may hold bits that do not count.
      const decoded = code(() => expect(decodeCursor(secret, binding, changed)).toEqual(position));
      expect(['request.cursor_invalid', 'none']).toContain(decoded);
    }
  });

  test.each(['', '.', '..', 'a', 'a.b', 'a.b.c', '=.=', '\0.\0', 'é.é', '🦄', 'x'.repeat(1_000)])(
    '%j is refused',
    (cursor) => {
      expect(code(() => decodeCursor(secret, binding, cursor))).toBe('request.cursor_invalid');
    },
  );
});
