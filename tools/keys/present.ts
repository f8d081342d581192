import type { z } from 'zod';
import type { ApiKey, IssuedApiKey, keyStates } from '#src/contracts/organization/api-key.ts';
import { addsScopesOfKind, keyIsLive, shownScopes, type ApiKeyRecord } from '#src/domain/access/api-key.ts';
import type { IssuedKey } from '#tools/keys/issue-key.ts';

type Shown = z.input<typeof ApiKey>;

function keyState(key: ApiKeyRecord, now: Date): (typeof keyStates)[number] {
  if (key.revokedAt !== null) return 'revoked';
  if (!keyIsLive(key, now)) return 'expired';
  return key.replacedBy === null ? 'live' : 'rotated';
}

const time = (at: Date | null): string | null => at?.toISOString() ?? null;

/** Lists the fields one by one, so that neither the hash nor a field added later is published by accident. */
export function presentKey(key: ApiKeyRecord, now = new Date()): Shown {
  const { _id: id, kind, name, prefix, projectId, deviceId, agentGraphId, createdBy, replacedBy } = key;
  return {
    id,
    kind,
    name,
    prefix,
    state: keyState(key, now),
    projectId,
    deviceId,
    agentGraphId,
    scopes: shownScopes(key),
    addsScopesOfKind: addsScopesOfKind(key),
    ratePerSecond: key.ratePerSecond ?? null,
    callbackUrl: key.callbackUrl ?? null,
    languages: key.languages ? [...key.languages] : null,
    createdBy,
    createdAt: key.createdAt.toISOString(),
    expiresAt: time(key.expiresAt),
    lastUsedAt: time(key.lastUsedAt),
    revokedAt: time(key.revokedAt),
    replacedBy,
    graceUntil: time(key.graceUntil),
  };
}

export function presentIssued({ record, secret }: IssuedKey): z.input<typeof IssuedApiKey> {
  return { key: presentKey(record), secret };
}
