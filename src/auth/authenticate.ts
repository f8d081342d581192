import { hashKey, keyIsLive, looksLikeKey, scopesOf, type ApiKeyRecord } from '#src/domain/access/api-key.ts';
import { AppError } from '#src/domain/app-error.ts';
import type { Logger } from '#src/domain/ports/logger.ts';
import type { Principal, PrincipalKind } from '#src/domain/access/principal.ts';
import type { ApiKeyStore } from '#src/stores/api-keys.ts';

const touchEveryMs = 60_000;

/** One response for missing, malformed, unknown, revoked and expired keys, so that it reveals nothing. */
function unauthorized(): AppError {
  return new AppError(
    'auth.unauthorized',
    'Send a valid API key in the x-api-key header. `npm run seed` or `npm run keys` prints one.',
  );
}

function principalOf(key: ApiKeyRecord): Principal {
  return {
    kind: key.kind === 'workflow' ? 'workflow-key' : 'service-key',
    actorId: key._id,
    actorName: key.name,
    keyId: key._id,
    session: null,
    organizationId: key.organizationId,
    projectIds: [key.projectId],
    scopes: scopesOf(key),
    ratePerSecond: key.ratePerSecond ?? null,
    agentGraphId: key.agentGraphId,
    callbackUrl: key.callbackUrl ?? null,
    languages: key.languages ?? null,
  };
}

/**
 * Key secret to Principal. Every call reads the key without a cache, so that revocation works at once. Errors: `auth.unauthorized` (one
 * body for every cause), `auth.forbidden` for a live key of another family. Source: `auth.each_call`, docs/decisions/0017.
 */
export class Authenticator {
  readonly #keys: ApiKeyStore;
  readonly #logger: Logger;

  constructor(keys: ApiKeyStore, logger: Logger) {
    this.#keys = keys;
    this.#logger = logger;
  }

  async byKey(secret: string | undefined, family: PrincipalKind): Promise<Principal> {
    if (secret === undefined || !looksLikeKey(secret)) throw unauthorized();
    const key = await this.#keys.findByHash(hashKey(secret));
    const now = new Date();
    if (key === null || !keyIsLive(key, now)) throw unauthorized();
    this.#touch(key, now);
    const principal = principalOf(key);
    if (principal.kind !== family)
      throw new AppError(
        'auth.forbidden',
        `This endpoint does not accept this kind of credential. Send a ${family.replace('-', ' ')}.`,
      );
    return principal;
  }

  /** Writes `lastUsedAt` at most once a minute, and does not wait for the write. */
  #touch(key: ApiKeyRecord, now: Date): void {
    if (key.lastUsedAt !== null && now.getTime() - key.lastUsedAt.getTime() < touchEveryMs) return;
    this.#keys.touch(key.organizationId, key._id, now).catch((error: unknown) => {
      this.#logger.warn({ err: error, keyId: key._id }, 'last use of a key could not be stored');
    });
  }
}
