import { firstScopes, grantScopes, offlineAccess, type GrantScope } from '#src/contracts/scopes.ts';
import { OAuthError } from '#src/domain/access/oauth/oauth-error.ts';
import { redirectHost } from '#src/domain/access/oauth/redirect.ts';
import { namesResource } from '#src/domain/access/oauth/resource.ts';
import type { OAuthClient } from '#src/domain/access/oauth/records.ts';

/** A query as it was parsed: what is sent twice is a list. */
export type AuthorizationQuery = Readonly<Record<string, unknown>>;

/** What a client asks a person for, in order. */
export interface AuthorizationRequest {
  readonly codeChallenge: string;
  /** Those that exist; the read scopes where it named none. */
  readonly scopes: readonly GrantScope[];
  readonly offline: boolean;
  readonly resource: string;
  /** `prompt=none`: answer without asking anybody. */
  readonly silent: boolean;
}

/** 32 bytes as base64url without padding: what SHA-256 gives. */
const challengeForm = /^[A-Za-z0-9_-]{43}$/;
const scopeForm = /^[\x21\x23-\x5b\x5d-\x7e]+( +[\x21\x23-\x5b\x5d-\x7e]+)*$/;
const mostScopeCharacters = 1_000;

/** What has no value counts as left out (RFC 6749 §3.1). Problem: `invalid_request` for what is sent twice. */
function one(query: AuthorizationQuery, name: string): string | null {
  const value = query[name];
  if (value === undefined || value === '') return null;
  if (typeof value === 'string') return value;
  throw new OAuthError('invalid_request', `${name} is sent more than once`);
}

/** Scopes that nobody here knows are left out, as RFC 6749 §3.3 allows: clients ask several servers with one list. */
function readScopes(text: string | null): Pick<AuthorizationRequest, 'scopes' | 'offline'> {
  if (text === null) return { scopes: firstScopes, offline: false };
  if (text.length > mostScopeCharacters || !scopeForm.test(text))
    throw new OAuthError('invalid_scope', 'scope is not a list of scopes with spaces between');
  const named = new Set(text.split(/ +/));
  const offline = named.delete(offlineAccess);
  if (named.size === 0) return { scopes: firstScopes, offline };
  const scopes = grantScopes.filter((scope) => named.has(scope));
  if (scopes.length === 0)
    throw new OAuthError('invalid_scope', `no scope of it is known: there are ${grantScopes.join(' ')}`);
  return { scopes, offline };
}

/** RFC 8707 §2: it may be named several times, and each time has to be ours. Left out, it is ours. */
function readResource(value: unknown, ours: string): string {
  if (value === undefined || value === '') return ours;
  const isOurs = (given: unknown): boolean => typeof given === 'string' && namesResource(given, ours);
  if ([value].flat().every(isOurs)) return ours;
  throw new OAuthError('invalid_target', `resource has to be ${ours}`);
}

function readChallenge(query: AuthorizationQuery): string {
  const challenge = one(query, 'code_challenge');
  if (challenge === null) throw new OAuthError('invalid_request', 'code_challenge is missing: PKCE is required');
  // Left out, the method would be plain (RFC 7636 §4.3).
  if (one(query, 'code_challenge_method') !== 'S256')
    throw new OAuthError('invalid_request', 'code_challenge_method has to be S256');
  if (!challengeForm.test(challenge))
    throw new OAuthError('invalid_request', 'code_challenge has to be 43 characters of base64url');
  return challenge;
}

function isSilent(prompt: string | null): boolean {
  const wishes = prompt === null ? [] : prompt.split(' ');
  if (!wishes.includes('none')) return false;
  if (wishes.length > 1) throw new OAuthError('invalid_request', 'prompt none goes with no other value');
  return true;
}

/**
 * What a known client asks for, to an address of its own. Problems, all told to the client: `invalid_request`,
 * `unsupported_response_type`, `unauthorized_client`, `invalid_scope`, `invalid_target`. Source: RFC 6749 §4.1.1; RFC 7636; RFC 8707;
 * mcp.md "OAuth 2.1 authorization server".
 */
export function readAuthorization(
  client: Pick<OAuthClient, 'grantTypes'>,
  query: AuthorizationQuery,
  resource: string,
): AuthorizationRequest {
  const responseType = one(query, 'response_type');
  if (responseType === null) throw new OAuthError('invalid_request', 'response_type is missing: it has to be code');
  if (responseType !== 'code') throw new OAuthError('unsupported_response_type', 'response_type has to be code');
  if (!['query', null].includes(one(query, 'response_mode')))
    throw new OAuthError('invalid_request', 'response_mode has to be query');
  if (query['request'] !== undefined || query['request_uri'] !== undefined)
    throw new OAuthError('invalid_request', 'request objects are not read here: send the parameters themselves');
  if (!client.grantTypes.includes('authorization_code'))
    throw new OAuthError('unauthorized_client', 'this client is not registered for authorization codes');
  one(query, 'state');
  return {
    codeChallenge: readChallenge(query),
    ...readScopes(one(query, 'scope')),
    resource: readResource(query['resource'], resource),
    silent: isSilent(one(query, 'prompt')),
  };
}

/** Where the answer goes: the redirect address as it was registered, with its own query, and what is answered behind that. */
export function answerAddress(redirectUri: string, answer: Readonly<Record<string, string | null>>): string {
  const said = Object.entries(answer).filter((pair): pair is [string, string] => pair[1] !== null);
  const between = redirectUri.includes('?') ? (/[?&]$/.test(redirectUri) ? '' : '&') : '?';
  return `${redirectUri}${between}${new URLSearchParams(said).toString()}`;
}

/** As a parsed address has it, whichever way it was written. */
const thisComputer = /^((.+\.)?localhost\.?|127(\.\d+){3}|0\.0\.0\.0|\[::1?\])$/;

/** What a person is told of where an answer goes. */
export interface Destination {
  /** Host with its port; of a private scheme, the scheme. */
  readonly host: string;
  /** `computer`: this very machine; `program`: whichever program of the machine took the scheme. */
  readonly kind: 'site' | 'computer' | 'program';
}

/** `redirectUri` is one that a client may have. */
export function destinationOf(redirectUri: string): Destination {
  const host = redirectHost(redirectUri);
  if (host.endsWith(':')) return { host, kind: 'program' };
  return { host, kind: thisComputer.test(new URL(redirectUri).hostname) ? 'computer' : 'site' };
}
