import { hash, randomBytes } from 'node:crypto';
import { grantedScopes, keyScopes, kindScopes, type Scope } from '#src/contracts/scopes.ts';

export type KeyKind = 'workflow' | 'service';

/** An API key as stored: only the SHA-256 of its secret. Source: `resource.key.hash`, docs/decisions/0017. */
export interface ApiKeyRecord {
  readonly _id: string;
  readonly hash: string;
  /** First characters of the secret, to recognize the key. */
  readonly prefix: string;
  readonly kind: KeyKind;
  readonly name: string;
  readonly organizationId: string;
  readonly projectId: string;
  readonly deviceId: string | null;
  /** Required for workflow keys: the workflow that uploads start. */
  readonly agentGraphId: string | null;
  /** null, or absent in keys of older versions: the scopes of the kind. */
  readonly scopes?: readonly Scope[] | null;
  /** `scopes` are all that the key has; absent: they add to those of the kind, which has no effect unless an older version made the key. */
  readonly scopesReplace?: true;
  /** Requests a second; null, or missing in keys of older versions: the limit that all keys have. */
  readonly ratePerSecond?: number | null;
  /** Workflow keys: URL that is told when the run of an upload has ended; absent: none. */
  readonly callbackUrl?: string;
  /** Languages of uploads that name none; absent: none. */
  readonly languages?: readonly string[];
  readonly createdBy: string;
  /** OAuth grant of the program that created the key for a user; the key ends with the grant. */
  readonly grantId?: string | null;
  readonly createdAt: Date;
  readonly expiresAt: Date | null;
  readonly lastUsedAt: Date | null;
  readonly revokedAt: Date | null;
  readonly replacedBy: string | null;
  /** Last moment at which a rotated key works. */
  readonly graceUntil: Date | null;
}

const grantedTo = { workflow: grantedScopes(kindScopes.workflow), service: grantedScopes(kindScopes.service) };

type Scoped = Pick<ApiKeyRecord, 'kind' | 'scopes' | 'scopesReplace'>;

/** Scopes of a key with those that they imply: the given ones, or else those of its kind. Source: `resource.key.scopes`, docs/decisions/0281. */
export function scopesOf({ kind, scopes, scopesReplace }: Scoped): ReadonlySet<Scope> {
  if (!scopes) return grantedTo[kind];
  return grantedScopes(scopesReplace ? scopes : [...kindScopes[kind], ...scopes]);
}

/** Scopes of a key as lists show them. */
export function shownScopes(key: Scoped): (typeof keyScopes)[number][] {
  const held = scopesOf(key);
  return keyScopes.filter((scope) => held.has(scope));
}

/** True if these scopes lack some of the kind. */
export function areNarrow(kind: KeyKind, scopes: readonly Scope[]): boolean {
  const held = grantedScopes(scopes);
  return [...grantedTo[kind]].some((scope) => !held.has(scope));
}

/** True for a key of an older version that can do more than the scopes that it was given. */
export function addsScopesOfKind(key: Scoped): boolean {
  return Boolean(key.scopes) && scopesOf(key).size > grantedScopes(key.scopes ?? []).size;
}

/** True if the key only reads. */
export function onlyReads(key: Scoped): boolean {
  return [...scopesOf(key)].every((scope) => scope.endsWith(':read'));
}

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const headers: Readonly<Record<KeyKind, string>> = { workflow: 'ink_wf_', service: 'ink_svc_' };
const form = /^(ink_wf_|ink_svc_)([0-9A-Za-z]{32})([0-9A-Za-z]{6})$/;

const crcTable = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? 0xedb88320 ^ (value >>> 1) : value >>> 1;
  return value;
});

function crc32(text: string): number {
  let value = 0xffffffff;
  for (let index = 0; index < text.length; index += 1)
    value = (crcTable[(value ^ text.charCodeAt(index)) & 0xff] ?? 0) ^ (value >>> 8);
  return (value ^ 0xffffffff) >>> 0;
}

function checkDigits(text: string): string {
  let value = crc32(text);
  let digits = '';
  for (let index = 0; index < 6; index += 1) {
    digits = alphabet[value % 62] + digits;
    value = Math.floor(value / 62);
  }
  return digits;
}

function randomBase62(length: number): string {
  let text = '';
  while (text.length < length) {
    for (const byte of randomBytes(length)) {
      // 248 is the largest multiple of 62 below 256; without the bound, the remainder would favour the first letters.
      if (byte < 248 && text.length < length) text += alphabet[byte % 62];
    }
  }
  return text;
}

/** Part of the checksum of a narrow key: versions that would add the scopes of the kind take it for mistyped. Source: docs/decisions/0281. */
const narrowMark = ' narrow';

/** Creates a secret: `ink_wf_` or `ink_svc_`, 32 random base62 characters, 6 characters of CRC32. `isNarrow`: as `areNarrow` says. */
export function newKeySecret(kind: KeyKind, isNarrow = false): string {
  const body = headers[kind] + randomBase62(32);
  return body + checkDigits(isNarrow ? body + narrowMark : body);
}

/** Checks form and checksum, which rejects mistyped keys without a database read. Source: `auth.key.format`. */
export function looksLikeKey(secret: string): boolean {
  const check = form.exec(secret)?.[3];
  const body = secret.slice(0, -6);
  return check !== undefined && (checkDigits(body) === check || checkDigits(body + narrowMark) === check);
}

/** SHA-256 of a secret in lower-case hexadecimal, for storage and lookup. */
export function hashKey(secret: string): string {
  return hash('sha256', secret, 'hex');
}

/** True if the key is not revoked, not expired, and not rotated longer ago than its grace time. */
export function keyIsLive(key: ApiKeyRecord, now: Date): boolean {
  if (key.revokedAt !== null) return false;
  if (key.expiresAt !== null && key.expiresAt <= now) return false;
  return key.replacedBy === null || (key.graceUntil !== null && key.graceUntil > now);
}
