import { hashPassword } from 'better-auth/crypto';
import { expect, test } from 'vitest';
import { scryptPasswords } from '#src/adapters/accounts/password-hashing.ts';

test('a password of an older version still opens its account, and no other does', async () => {
  const hash = await hashPassword('correct horse battery');
  expect(await scryptPasswords.verify({ hash, password: 'correct horse battery' })).toBe(true);
  expect(await scryptPasswords.verify({ hash, password: 'correct horse batterx' })).toBe(false);
});

test('a hash without its parts opens nothing', async () => {
  for (const hash of ['', ':', 'scrypt-32768-8-3::', 'scrypt-32768-8-3:salt:', 'salt:'])
    expect(await scryptPasswords.verify({ hash, password: '' })).toBe(false);
});
