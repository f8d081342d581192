import { AppError } from '#src/domain/app-error.ts';
import type { Principal } from '#src/domain/access/principal.ts';
import type { Authenticator } from '#src/auth/authenticate.ts';

/** Access token to Principal; null for any that does not open this resource, whatever is wrong with it. */
export interface TokenAuthenticator {
  byToken(token: string): Promise<Principal | null>;
}

interface Parts {
  readonly keys: Pick<Authenticator, 'byKey'>;
  /** null: only keys are taken. */
  readonly tokens: TokenAuthenticator | null;
}

const keyPrefix = /^ink_(svc|wf)_/;

/** Missing, malformed, unknown, expired, revoked, for another resource: one answer. */
function unauthorized(): AppError {
  return new AppError(
    'auth.unauthorized',
    'Send an access token for this resource, or a service API key, as a Bearer token.',
  );
}

/**
 * What comes as `Authorization: Bearer` to Principal: an access token, or a service API key. Errors: `auth.unauthorized` (one body for
 * every cause), `auth.forbidden` for a workflow key, `service.unavailable` where the issuer of tokens does not answer. Source: RFC
 * 6750 §2.1.
 */
export class BearerAuthenticator {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  async byBearer(secret: string | undefined): Promise<Principal> {
    if (secret === undefined) throw unauthorized();
    if (keyPrefix.test(secret)) return this.#byKey(secret);
    const principal = await this.#parts.tokens?.byToken(secret);
    if (!principal) throw unauthorized();
    return principal;
  }

  async #byKey(secret: string): Promise<Principal> {
    try {
      return await this.#parts.keys.byKey(secret, 'service-key');
    } catch (error) {
      throw error instanceof AppError && error.code === 'auth.unauthorized' ? unauthorized() : error;
    }
  }
}
