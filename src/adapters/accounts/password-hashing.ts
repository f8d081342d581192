import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import type { PasswordHashing } from '#src/adapters/sessions/better-auth.ts';

interface Cost {
  readonly N: number;
  readonly r: number;
  readonly p: number;
}

const derive = promisify<string, string, number, Cost & { maxmem: number }, Buffer>(scrypt);
const keyBytes = 64;
/** 32 MiB for each password, three times over. Source: OWASP ASVS 5.0, appendix C. */
const cost: Cost = { N: 32_768, r: 8, p: 3 };
/** Cost of the library, which hashes of older versions have. They begin with their salt. */
const olderCost: Cost = { N: 16_384, r: 16, p: 1 };
const mark = 'scrypt-32768-8-3';

/** Text of other keyboards and systems can spell one password in several ways: NFKC makes them one. */
const keyOf = (password: string, salt: string, { N, r, p }: Cost): Promise<Buffer> =>
  derive(password.normalize('NFKC'), salt, keyBytes, { N, r, p, maxmem: 256 * N * r });

const isOutdated = (hash: string): boolean => !hash.startsWith(`${mark}:`);

/** Hashes passwords with scrypt as `mark:salt:key`, and verifies those of older versions, `salt:key`. Source: docs/decisions/0096. */
export const scryptPasswords: PasswordHashing = {
  async hash(password) {
    const salt = randomBytes(16).toString('hex');
    return `${mark}:${salt}:${(await keyOf(password, salt, cost)).toString('hex')}`;
  },
  async verify({ hash, password }) {
    const isOlder = isOutdated(hash);
    const [salt = '', key = ''] = (isOlder ? hash : hash.slice(mark.length + 1)).split(':');
    const kept = Buffer.from(key, 'hex');
    const given = await keyOf(password, salt, isOlder ? olderCost : cost);
    return kept.length === given.length && timingSafeEqual(kept, given);
  },
  isOutdated,
};
