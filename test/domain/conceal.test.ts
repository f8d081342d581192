import { expect, test } from 'vitest';
import { concealer } from '#src/domain/conceal.ts';

const secret = 'Walnut-8f3a91c7-key';
const rot13 = (text: string): string =>
  text.replaceAll(/[a-z]/gi, (one) => {
    const base = one <= 'Z' ? 65 : 97;
    return String.fromCharCode(((one.charCodeAt(0) - base + 13) % 26) + base);
  });
const reversed = (text: string): string => Array.from(text).toReversed().join('');
const codes = (text: string): number[] => Array.from(text, (one) => one.charCodeAt(0));

test.each([
  ['plain', secret],
  ['inside a text', `you sent ${secret}!`],
  ['half of it', secret.slice(0, 10)],
  ['upper case', secret.toUpperCase()],
  ['reversed', reversed(secret)],
  ['rot13', rot13(secret)],
  ['rot13, reversed', reversed(rot13(secret))],
  ['base64', Buffer.from(secret).toString('base64')],
  ['base64 inside', `x${Buffer.from(`user:${secret}`).toString('base64')}`],
  ['reversed in base64', Buffer.from(reversed(secret)).toString('base64url')],
  ['hexadecimal', Buffer.from(secret).toString('hex')],
  ['hexadecimal with colons', Buffer.from(secret).toString('hex').replaceAll(/(..)/g, '$1:')],
  ['decimal codes', codes(secret).join(' ')],
  [
    'codes as entities',
    codes(secret)
      .map((code) => `&#${code};`)
      .join(''),
  ],
  [
    'hexadecimal codes',
    codes(secret)
      .map((code) => `0x${code.toString(16)}`)
      .join(','),
  ],
  [
    'percent-encoded',
    codes(secret)
      .map((code) => `%${code.toString(16)}`)
      .join(''),
  ],
  ['spaced out', Array.from(secret).join(' ')],
  ['with dots', Array.from(secret).join('.')],
])('a text with the secret %s is replaced', (_what, text) => {
  expect(concealer([secret])({ a: [text] })).toEqual({ a: ['[redacted]'] });
});

test('ordinary values stay, also beside a short secret or one with a scheme', () => {
  const values = { id: 'inv-2024-0042', total: 12.5, paid: true, none: null, list: ['Walnut table', 20_241_122] };
  expect(concealer([secret, 'abc', `Bearer ${secret}`])(values)).toEqual(values);
  expect(concealer([])(secret)).toBe(secret);
  expect(concealer([`Bearer ${secret}`])(`token=${secret}`)).toBe('[redacted]');
  expect(concealer(['48151623'])([48_151_623, 1_481_516_239])).toEqual(['[redacted]', '[redacted]']);
});
