import { createRemoteJWKSet, customFetch, errors, jwtVerify, type JWTPayload, type JWTVerifyGetKey } from 'jose';
import { issuerMetadata } from '#src/adapters/oauth/issuer-metadata.ts';
import { AppError } from '#src/domain/app-error.ts';
import type { Outbound } from '#src/domain/ports/outbound.ts';
import { loopbackSpellings } from '#src/domain/access/hosts/loopback-names.ts';
import type { IssuedToken } from '#src/domain/access/oauth/issued-token.ts';

export interface ExternalIssuerOptions {
  /** Value of `iss`, compared exactly. */
  readonly issuer: string;
  /** Value that `aud` must contain, under any name of this machine where it is on loopback. Source: RFC 8707, docs/decisions/0261. */
  resource(): string;
  readonly outbound: Pick<Outbound, 'send'>;
  /** Milliseconds of a clock that does not jump; default: that of the process. */
  readonly now?: () => number;
}

/** Neither `none` nor a shared secret: a service that verifies tokens must not be able to issue them. */
const algorithms = 'RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA Ed25519'.split(' ');
/** RFC 9068 §2.1, and the type that older issuers write. */
const types = new Set(['at+jwt', 'application/at+jwt', 'jwt']);
const clockToleranceSeconds = 30;
const keySetBytes = 256 * 1024;
const withinMs = 5_000;
/** Limits requests for keys, since anybody can invent key ids. */
const askAgainAfterMs = 30_000;
const jwt = /^[\w-]+\.[\w-]+\.[\w-]+$/;

function unavailable(cause: unknown): AppError {
  return new AppError('service.unavailable', 'The issuer of access tokens does not respond. Retry in a few seconds.', {
    cause,
  });
}

const isUnknownKey = (error: unknown): boolean =>
  error instanceof errors.JWKSNoMatchingKey || error instanceof errors.JWKSMultipleMatchingKeys;

/** Keys of the issuer, from the address in its metadata. jose caches them for ten minutes and fetches them again for an unknown key. */
function keysOf({ issuer, outbound, now }: ExternalIssuerOptions): JWTVerifyGetKey {
  const where = issuerMetadata(issuer, outbound, now);
  let known: { readonly at: string; readonly keys: ReturnType<typeof createRemoteJWKSet> } | null = null;
  const load = async (url: string): Promise<Response> => {
    const headers = { accept: 'application/json, application/jwk-set+json' };
    const request = { url, method: 'GET', headers, maxBytes: keySetBytes, timeoutMs: withinMs } as const;
    const { status, body } = await outbound.send(request);
    return new Response(new Uint8Array(body), { status });
  };
  return async (header, token) => {
    try {
      const { jwksUri } = await where();
      if (known?.at !== jwksUri) {
        const options = { timeoutDuration: withinMs, cooldownDuration: askAgainAfterMs, [customFetch]: load };
        known = { at: jwksUri, keys: createRemoteJWKSet(new URL(jwksUri), options) };
      }
      return await known.keys(header, token);
    } catch (error) {
      // A token with an unknown key is not a token of this issuer. Other errors are failures of the issuer, not of the caller.
      throw isUnknownKey(error) ? error : unavailable(error);
    }
  };
}

const text = (value: unknown): string | null =>
  typeof value === 'string' && value !== '' && value.length <= 500 ? value : null;

/** Reads `scope` of RFC 9068, or `scp` as a string or a list. */
function scopesOf({ scope, scp }: JWTPayload): readonly string[] {
  const said: unknown = scope ?? scp;
  if (typeof said === 'string') return said.split(' ');
  return Array.isArray(said) ? said.filter((one): one is string => typeof one === 'string') : [];
}

function projectsOf(claim: unknown): readonly string[] | null | 'wrong' {
  if (claim === undefined || claim === null) return null;
  const strings = Array.isArray(claim) && claim.every((one): one is string => typeof one === 'string');
  return strings ? claim : 'wrong';
}

/** Returns null when a claim that decides about rights is missing or malformed. */
function issued(claims: JWTPayload): IssuedToken | null {
  const subject = text(claims.sub);
  const organizationId = text(claims['organization_id']);
  const projectIds = projectsOf(claims['project_ids']);
  // A token that is bound to a key (DPoP, mTLS) is no bearer token.
  if (subject === null || organizationId === null || projectIds === 'wrong' || claims['cnf'] !== undefined) return null;
  return {
    subject,
    clientId: text(claims['client_id']) ?? text(claims['azp']),
    name: text(claims['name']) ?? text(claims['preferred_username']),
    scopes: scopesOf(claims),
    organizationId,
    projectIds,
  };
}

/**
 * Verifies JWT access tokens of an external authorization server: `iss` and `aud` match exactly, `exp` and `sub` are required,
 * signatures are asymmetric. Source: RFC 9068 §4; RFC 8414 §3; docs/decisions/0043.
 */
export function createExternalIssuer(options: ExternalIssuerOptions) {
  const keys = keysOf(options);
  return {
    /** null: not a valid token of this issuer for this resource. Error: `service.unavailable` when its keys cannot be had. */
    async read(token: string): Promise<IssuedToken | null> {
      if (!jwt.test(token)) return null;
      try {
        const { payload, protectedHeader } = await jwtVerify(token, keys, {
          algorithms,
          issuer: options.issuer,
          audience: [...loopbackSpellings(options.resource())],
          requiredClaims: ['exp', 'sub'],
          clockTolerance: clockToleranceSeconds,
        });
        const { typ } = protectedHeader;
        return typ === undefined || types.has(typ.toLowerCase()) ? issued(payload) : null;
      } catch (error) {
        if (error instanceof errors.JOSEError) return null;
        throw error;
      }
    },
  };
}
