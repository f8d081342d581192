import { hash as digest, randomBytes, timingSafeEqual } from 'node:crypto';

/** Prefix of each kind of secret: scanners recognize a leaked secret, and a secret of the wrong kind is rejected early. */
const prefixes = {
  access: 'ink_at_',
  refresh: 'ink_rt_',
  code: 'ink_ac_',
  client: 'ink_cs_',
  consent: 'ink_cr_',
} as const;
export type OAuthSecretKind = keyof typeof prefixes;

/** Creates a secret: its prefix and 256 random bits in base64url. Store only its `hashSecret`. */
export function newOAuthSecret(kind: OAuthSecretKind): string {
  return prefixes[kind] + randomBytes(32).toString('base64url');
}

/** Checks prefix and form, which rejects other values without a database read. */
export function looksLikeOAuthSecret(kind: OAuthSecretKind, secret: string): boolean {
  const prefix = prefixes[kind];
  return secret.startsWith(prefix) && /^[\w-]{43}$/.test(secret.slice(prefix.length));
}

/** SHA-256 of a secret in lower-case hexadecimal, for storage and lookup. */
export function hashSecret(secret: string): string {
  return digest('sha256', secret, 'hex');
}

/** Compares a secret with a hash in constant time. */
export function secretMatches(hash: string, secret: string): boolean {
  const [stored, given] = [Buffer.from(hash), Buffer.from(hashSecret(secret))];
  return stored.length === given.length && timingSafeEqual(stored, given);
}
