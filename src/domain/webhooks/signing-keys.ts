import { createHmac } from 'node:crypto';
import { webhookSecret } from '#src/domain/webhooks/sign.ts';

/** Name of a key, which reveals nothing about it. */
const idOf = (key: Buffer): string =>
  createHmac('sha256', key).update('inkgraph webhooks key').digest('hex').slice(0, 16);

/**
 * Secrets of webhooks, which derive from keys of the installation: the current one, and earlier ones whose secrets receivers may still
 * have. Source: `webhooks.first_key`, docs/decisions/0284.
 */
export function createSigningKeys(current: Buffer, earlier: readonly Buffer[]) {
  const keys = [current, ...earlier];
  const currentId = idOf(current);
  const secretsOf = (name: string): readonly string[] => keys.map((key) => webhookSecret(key, name));
  return {
    /** Names the current key. */
    currentId,
    /** Secret under the current key, `whsec_...`. */
    secretOf: (name: string): string => webhookSecret(current, name),
    /** Secrets under every key, the current one first. */
    secretsOf,
    /** Secrets under the current key and under the one that `keyId` names. Without it, under every key. */
    secretsMadeBy(keyId: string | undefined, name: string): readonly string[] {
      if (keyId === undefined) return secretsOf(name);
      return keys.filter((key) => key === current || idOf(key) === keyId).map((key) => webhookSecret(key, name));
    },
  };
}

export type SigningKeys = ReturnType<typeof createSigningKeys>;
