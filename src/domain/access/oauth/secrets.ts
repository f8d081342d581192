import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

/** What each secret starts with, so that a leaked one is recognized, and one in the wrong place refused at sight. */
const prefixes = {
  access: 'ink_at_',
  refresh: 'ink_rt_',
  code: 'ink_ac_',
  client: 'ink_cs_',
  consent: 'ink_cr_',
} as const;
export type OAuthSecretKind = keyof typeof prefixes;

/** A new secret: its prefix and 256 random bits in base64url. Shown once; only `hashSecret` of it is stored. */
export function newOAuthSecret(kind: OAuthSecretKind): string {
  return prefixes[kind] + randomBytes(32).toString('base64url');
}

/** False for what cannot be a secret of ours of this kind: refused before any database read. */
export function looksLikeOAuthSecret(kind: OAuthSecretKind, secret: string): boolean {
  const prefix = prefixes[kind];
  return secret.startsWith(prefix) && /^[\w-]{43}$/.test(secret.slice(prefix.length));
}

/** What is stored and looked up: SHA-256, lower-case hexadecimal. */
export function hashSecret(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}

/** Whether a secret is the one with this hash, in a time that tells nothing. */
export function secretMatches(hash: string, secret: string): boolean {
  const [stored, given] = [Buffer.from(hash), Buffer.from(hashSecret(secret))];
  return stored.length === given.length && timingSafeEqual(stored, given);
}
