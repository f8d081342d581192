import { createClientDirectory } from '#src/adapters/oauth/client-directory.ts';
import { askedAddresses } from '#app/compose/access/asked-addresses.ts';
import type { Core } from '#app/compose/core.ts';
import type { Config } from '#src/config/config.ts';
import { Consents } from '#tools/oauth/consent.ts';
import type { ApiParts } from '#http/api/app.ts';
import type { LimitLog } from '#http/guard/limit-log.ts';
import { RateLimiter, type Rate } from '#http/guard/rate-limit.ts';

/** Limits for each address. Programs register once and ask for tokens once an hour, and one address may serve a whole office. */
const rates = {
  tokens: { requests: 100, seconds: 10 },
  registrations: { requests: 30, seconds: 300 },
} as const satisfies Record<string, Rate>;

/** Built-in authorization server. null when the operator configured an external one. */
export function createOAuth({ oauthIssuer, rateLimits }: Config, core: Core, log?: LimitLog): ApiParts['oauth'] {
  if (oauthIssuer !== null) return null;
  const { deps, documents, outside, sessions, sharedCounts: shared } = core;
  const { oauth: store, members, organizations, audit, logger } = deps;
  return {
    store,
    members,
    logger,
    clients: createClientDirectory({ store, outbound: outside.anyPublic, logger, documents }),
    documents,
    engine: {
      // The library is for the first token.
      async exchange(request) {
        const { createTokenEngine } = await import('#tools/oauth/token-engine.ts');
        return createTokenEngine({ store, members, audit }).exchange(request);
      },
    },
    consents: new Consents({
      store,
      organizations,
      audit,
      organizationsOf: (session) => sessions.affiliate.organizationsOf(session),
    }),
    ...askedAddresses(core, 'api'),
    limiters:
      rateLimits !== null
        ? {
            tokens: new RateLimiter(rates.tokens, { kind: 'OAuth requests of an address', log, shared }),
            registrations: new RateLimiter(rates.registrations, {
              kind: 'OAuth registrations of an address',
              log,
              shared,
            }),
          }
        : null,
  };
}
