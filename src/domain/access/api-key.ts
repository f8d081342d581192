import { createHash, randomBytes } from 'node:crypto';
import { grantedScopes, type Scope } from '#src/contracts/scopes.ts';

export type KeyKind = 'workflow' | 'service';

/** An API key as stored: never the secret, only its SHA-256. Source: identity.md "API keys"; specification §5. */
export interface ApiKeyRecord {
  readonly _id: string;
  readonly hash: string;
  /** The first characters, to recognize a key by. */
  readonly prefix: string;
  readonly kind: KeyKind;
  readonly name: string;
  readonly organizationId: string;
  readonly projectId: string;
  readonly deviceId: string | null;
  /** Required for workflow keys: the workflow that uploads run. */
  readonly agentGraphId: string | null;
  /** Null, or missing in keys of older versions: what the kind has. */
  readonly scopes?: readonly Scope[] | null;
  /** Requests a second; null, or missing in keys of older versions: the limit that all keys have. */
  readonly ratePerSecond?: number | null;
  readonly createdBy: string;
  /** Of a key that a program made for a person: it stops working when what the person granted to the program does. */
  readonly grantId?: string | null;
  readonly createdAt: Date;
  readonly expiresAt: Date | null;
  readonly lastUsedAt: Date | null;
  readonly revokedAt: Date | null;
  readonly replacedBy: string | null;
  /** A rotated key works until then. */
  readonly graceUntil: Date | null;
}

const ofKind: Readonly<Record<KeyKind, readonly Scope[]>> = {
  workflow: ['uploads:write'],
  service: ['workflows:read', 'runs:execute', 'documents:write'],
};
const grantedTo = { workflow: grantedScopes(ofKind.workflow), service: grantedScopes(ofKind.service) };

/** What a key may do: what its kind has, and what it was given beside. */
export function scopesOf({ kind, scopes }: Pick<ApiKeyRecord, 'kind' | 'scopes'>): ReadonlySet<Scope> {
  return scopes ? grantedScopes([...ofKind[kind], ...scopes]) : grantedTo[kind];
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
      // 248 is the largest multiple of 62 below 256: a plain remainder would favour the first letters.
      if (byte < 248 && text.length < length) text += alphabet[byte % 62];
    }
  }
  return text;
}

/** A new secret: `ink_wf_` or `ink_svc_`, 32 random base62 characters, 6 of CRC32. Shown once. */
export function newKeySecret(kind: KeyKind): string {
  const body = headers[kind] + randomBase62(32);
  return body + checkDigits(body);
}

/** False for anything that cannot be a key of ours, typos included: refused before any database read. */
export function looksLikeKey(secret: string): boolean {
  const match = form.exec(secret);
  return match !== null && checkDigits(secret.slice(0, -6)) === match[3];
}

/** What is stored and looked up: SHA-256, lower-case hexadecimal. */
export function hashKey(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}

/** Usable now: not revoked, not expired, not rotated beyond its grace. */
export function keyIsLive(key: ApiKeyRecord, now: Date): boolean {
  if (key.revokedAt !== null) return false;
  if (key.expiresAt !== null && key.expiresAt <= now) return false;
  return key.replacedBy === null || (key.graceUntil !== null && key.graceUntil > now);
}
