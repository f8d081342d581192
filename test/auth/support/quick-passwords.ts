import { randomBytes, scryptSync } from 'node:crypto';
import { scryptPasswords } from '#src/adapters/accounts/password-hashing.ts';
import type { PasswordHashing } from '#src/adapters/sessions/better-auth.ts';

const mark = 'quick:';
const keyOf = (password: string, salt: string): string =>
  scryptSync(password, salt, 32, { N: 16, r: 1, p: 1 }).toString('hex');

/**
 * Passwords that cost a test app nothing, where the product's cost 200 ms each by intent (test/auth/accounts.test.ts). Those of another
 * process on the same data, a command or a service, are verified as the product does.
 */
export const quickPasswords: PasswordHashing = {
  async hash(password) {
    const salt = randomBytes(16).toString('hex');
    return `${mark}${salt}:${keyOf(password, salt)}`;
  },
  async verify({ hash, password }) {
    if (!hash.startsWith(mark)) return scryptPasswords.verify({ hash, password });
    const [salt = '', key] = hash.slice(mark.length).split(':');
    return keyOf(password, salt) === key;
  },
};
