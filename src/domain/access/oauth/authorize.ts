import { firstScopes, grantScopes, offlineAccess, type GrantScope } from '#src/contracts/scopes.ts';
import { OAuthError } from '#src/domain/access/oauth/oauth-error.ts';
import { redirectHost } from '#src/domain/access/oauth/redirect.ts';
import { namesResource } from '#src/domain/access/oauth/resource.ts';
import type { OAuthClient } from '#src/domain/access/oauth/records.ts';

/** A parsed query string; repeated parameters are lists. */
export type AuthorizationQuery = Readonly<Record<string, unknown>>;

/** A valid authorization request. */
export interface AuthorizationRequest {
  readonly codeChallenge: string;
  /** Requested scopes that exist; the read scopes if the request names none. */
  readonly scopes: readonly GrantScope[];
  readonly offline: boolean;
  readonly resource: string;
  /** `prompt=none`: respond without showing a page. */
  readonly silent: boolean;
}

/** A SHA-256 hash in base64url without padding. */
const challengeForm = /^[A-Za-z0-9_-]{43}$/;
const scopeForm = /^[\x21\x23-\x5b\x5d-\x7e]+( +[\x21\x23-\x5b\x5d-\x7e]+)*$/;
const mostScopeCharacters = 1_000;

/** Reads a parameter; an empty value counts as absent (RFC 6749 §3.1). Error: `invalid_request` if it is repeated. */
function one(query: AuthorizationQuery, name: string): string | null {
  const value = query[name];
  if (value === undefined || value === '') return null;
  if (typeof value === 'string') return value;
  throw new OAuthError('invalid_request', `${name} is sent more than once: send it once`);
}

/** Ignores unknown scopes, as RFC 6749 §3.3 allows, since clients use one list for several servers. */
function readScopes(text: string | null): Pick<AuthorizationRequest, 'scopes' | 'offline'> {
  if (text === null) return { scopes: firstScopes, offline: false };
  if (text.length > mostScopeCharacters || !scopeForm.test(text))
    throw new OAuthError('invalid_scope', 'scope must be a list of scopes separated by spaces');
  const named = new Set(text.split(/ +/));
  const offline = named.delete(offlineAccess);
  if (named.size === 0) return { scopes: firstScopes, offline };
  const scopes = grantScopes.filter((scope) => named.has(scope));
  if (scopes.length === 0)
    throw new OAuthError('invalid_scope', `scope has no known scope: use some of ${grantScopes.join(' ')}`);
  return { scopes, offline };
}

/** Checks `resource`, which can be repeated or absent (RFC 8707 §2). */
function readResource(value: unknown, ours: string): string {
  if (value === undefined || value === '') return ours;
  const isOurs = (given: unknown): boolean => typeof given === 'string' && namesResource(given, ours);
  if ([value].flat().every(isOurs)) return ours;
  throw new OAuthError('invalid_target', `resource must be ${ours}`);
}

function readChallenge(query: AuthorizationQuery): string {
  const challenge = one(query, 'code_challenge');
  if (challenge === null) throw new OAuthError('invalid_request', 'code_challenge is missing: PKCE is required');
  // An absent method would mean plain (RFC 7636 §4.3).
  if (one(query, 'code_challenge_method') !== 'S256')
    throw new OAuthError('invalid_request', 'code_challenge_method must be S256');
  if (!challengeForm.test(challenge))
    throw new OAuthError('invalid_request', 'code_challenge must be 43 characters of base64url');
  return challenge;
}

function isSilent(prompt: string | null): boolean {
  const wishes = prompt === null ? [] : prompt.split(' ');
  if (!wishes.includes('none')) return false;
  if (wishes.length > 1) throw new OAuthError('invalid_request', 'prompt none cannot be combined with other values');
  return true;
}

/**
 * Parses the request of a known client with a valid redirect URI. Errors, which the client receives: `invalid_request`,
 * `unsupported_response_type`, `unauthorized_client`, `invalid_scope`, `invalid_target`. Source: RFC 6749 §4.1.1, RFC 7636, RFC 8707,
 * docs/decisions/0043.
 */
export function readAuthorization(
  client: Pick<OAuthClient, 'grantTypes'>,
  query: AuthorizationQuery,
  resource: string,
): AuthorizationRequest {
  const responseType = one(query, 'response_type');
  if (responseType === null) throw new OAuthError('invalid_request', 'response_type is missing: send code');
  if (responseType !== 'code') throw new OAuthError('unsupported_response_type', 'response_type must be code');
  if (!['query', null].includes(one(query, 'response_mode')))
    throw new OAuthError('invalid_request', 'response_mode must be query');
  if (query['request'] !== undefined || query['request_uri'] !== undefined)
    throw new OAuthError('invalid_request', 'request objects are not supported: send the parameters themselves');
  if (!client.grantTypes.includes('authorization_code'))
    throw new OAuthError('unauthorized_client', 'this client is not registered for the grant type authorization_code');
  one(query, 'state');
  return {
    codeChallenge: readChallenge(query),
    ...readScopes(one(query, 'scope')),
    resource: readResource(query['resource'], resource),
    silent: isSilent(one(query, 'prompt')),
  };
}

/** Redirect URL of a response: the registered URI with its own query, followed by the parameters of the response. */
export function answerAddress(redirectUri: string, answer: Readonly<Record<string, string | null>>): string {
  const said = Object.entries(answer).filter((pair): pair is [string, string] => pair[1] !== null);
  const between = redirectUri.includes('?') ? (/[?&]$/.test(redirectUri) ? '' : '&') : '?';
  return `${redirectUri}${between}${new URLSearchParams(said).toString()}`;
}

/** Matches host names of this machine, as the URL parser normalizes them. */
const thisComputer = /^((.+\.)?localhost\.?|127(\.\d+){3}|0\.0\.0\.0|\[::1?\])$/;

/** Target of a redirect, as the consent page shows it. */
export interface Destination {
  /** Host with port, or the scheme of a private-use URI. */
  readonly host: string;
  /** `computer`: a server on the user's machine; `program`: an installed program that registered the scheme. */
  readonly kind: 'site' | 'computer' | 'program';
}

/** Describes a redirect URI that `isRedirectAllowed` accepts. */
export function destinationOf(redirectUri: string): Destination {
  const host = redirectHost(redirectUri);
  if (host.endsWith(':')) return { host, kind: 'program' };
  return { host, kind: thisComputer.test(new URL(redirectUri).hostname) ? 'computer' : 'site' };
}
