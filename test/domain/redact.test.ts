import { expect, test } from 'vitest';
import { redactJson, redactor } from '#src/domain/redact.ts';

const secret = 'wal"nut-4711/ö+key';
const bytes = Buffer.from(secret);

test.each([
  ['as it is', secret],
  ['in JSON', JSON.stringify({ a: secret })],
  ['in a URL', `https://x/?k=${encodeURIComponent(secret)}`],
  [
    'in a URL with small digits',
    encodeURIComponent(secret).replaceAll('%2F', '%2f').replaceAll('%22', '%22').toLowerCase(),
  ],
  ['in hexadecimal', bytes.toString('hex')],
  ['in large hexadecimal', bytes.toString('hex').toUpperCase()],
  ['in base64', bytes.toString('base64')],
  ['in base64url', bytes.toString('base64url')],
  ['in base64 after one character', Buffer.from(`:${secret}:`).toString('base64')],
  ['in base64 after two characters', Buffer.from(`u:${secret}`).toString('base64')],
  ['in base64 after many', Buffer.from(`{"user":"abc","key":${secret}}}`).toString('base64')],
  ['twice', `${secret} and ${secret}`],
])('a secret %s is taken out', (_where, text) => {
  const clean = redactor([secret])(text);
  expect(clean).toContain('[redacted]');
  for (const form of [secret, encodeURIComponent(secret), bytes.toString('hex'), bytes.toString('base64').slice(4, -4)])
    expect(clean.toLowerCase()).not.toContain(form.toLowerCase());
});

test('the token behind a scheme, and a value around which there is white space, count by themselves', () => {
  const redact = redactor(['Bearer abc.def-123', ' padded-secret\n']);
  expect(redact('token=abc.def-123 and padded-secret.')).toBe('token=[redacted] and [redacted].');
});

test('the longest value wins where one is part of another, and characters of patterns mean themselves', () => {
  expect(redactor(['secret', 'secret-and-more'])('a secret-and-more b')).toBe('a [redacted] b');
  expect(redactor(['a.c+(d)*'])('abccdd a.c+(d)*')).toBe('abccdd [redacted]');
});

test('values shorter than 6 characters stay, as does other text', () => {
  expect(redactor(['abcde', '', 'Bearer x'])('abcde Bearer x')).toBe('abcde [redacted]');
  expect(redactor([])('text')).toBe('text');
});

test('in JSON every text and every name is looked at, and the rest stays what it was', () => {
  const value = { 'a secret': ['secret', 1, null, { deep: 'x-secret-y' }], b: true };
  expect(redactJson(value, redactor(['secret']))).toEqual({
    'a [redacted]': ['[redacted]', 1, null, { deep: 'x-[redacted]-y' }],
    b: true,
  });
});
