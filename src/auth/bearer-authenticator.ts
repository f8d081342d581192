import { AppError } from '#src/domain/app-error.ts';
import type { Principal } from '#src/domain/access/principal.ts';
import type { Authenticator } from '#src/auth/authenticate.ts';

/** Access token to Principal. null for any token that does not open this resource, for any reason. */
export interface TokenAuthenticator {
  byToken(token: string): Promise<Principal | null>;
}

interface Parts {
  readonly keys: Pick<Authenticator, 'byKey'>;
  /** null: only keys are accepted. */
  readonly tokens: TokenAuthenticator | null;
}

const keyPrefix = /^ink_(svc|wf)_/;

/** One response for missing, malformed, unknown, expired and revoked tokens, and tokens for another resource. */
function unauthorized(): AppError {
  return new AppError(
    'auth.unauthorized',
    'Send an access token for this resource, or a service API key, as a Bearer token.',
  );
}

/**
 * `Authorization: Bearer` to Principal: an access token, or a service API key. Errors: `auth.unauthorized` (one body for every cause),
 * `auth.forbidden` for a workflow key, `service.unavailable` when the issuer of tokens does not respond. Source: RFC 6750 §2.1.
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
