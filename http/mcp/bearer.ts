import type { Request, Response } from 'express';
import type { BearerAuthenticator } from '#src/auth/bearer-authenticator.ts';
import { firstScopes, type Scope } from '#src/contracts/scopes.ts';
import type { Principal } from '#src/domain/access/principal.ts';
import { AppError } from '#src/domain/app-error.ts';
import { stepUpScopes } from '#mcp/rights.ts';
import { welcome } from '#http/guard/strangers.ts';
import { holderOf } from '#http/mcp/session-holder.ts';
import type { StreamCredential } from '#http/mcp/open-streams.ts';
import { metadataUrl, type ProtectedResource } from '#http/mcp/resource-metadata.ts';

const bearer = /^Bearer +([\w.~+/=-]+) *$/i;

/** Returns the token of `Authorization: Bearer`; undefined without one. */
function bearerOf({ headers }: Pick<Request, 'headers'>): string | undefined {
  return bearer.exec(headers.authorization ?? '')?.[1];
}

interface Asked {
  readonly resource: ProtectedResource | null;
  /** Host header of the request. */
  readonly host: string | undefined;
}

function challenge({ resource, host }: Asked, scopes: readonly string[], error?: string): string {
  const parts = [
    'realm="inkgraph"',
    ...(error === undefined ? [] : [`error="${error}"`]),
    ...(resource === null ? [] : [`resource_metadata="${metadataUrl(resource, host)}"`]),
    `scope="${scopes.join(' ')}"`,
  ];
  return `Bearer ${parts.join(', ')}`;
}

/** `resource` is null where only keys are accepted. */
export interface BearerParts {
  readonly authenticator: Pick<BearerAuthenticator, 'byBearer'>;
  readonly resource: ProtectedResource | null;
}

/**
 * Authenticates the credential of `Authorization: Bearer`. Errors: `auth.unauthorized`, with one body for every cause and a challenge that
 * says where to get a token; `auth.forbidden` for a workflow key; `service.unavailable`. Source: RFC 6750 §2.1, §3; RFC 9728 §5.1.
 */
export async function bearerPrincipal(
  { authenticator, resource }: BearerParts,
  request: Request,
  response: Response,
): Promise<Principal> {
  try {
    const principal = await authenticator.byBearer(bearerOf(request));
    welcome(response, principal.keyId ?? principal.actorId);
    return principal;
  } catch (error) {
    if (error instanceof AppError && error.code === 'auth.unauthorized') {
      // RFC 6750 §3.1: a request without a credential gets a challenge without an error code.
      const { authorization = '', host } = request.headers;
      const code = /^Bearer\b/i.test(authorization) ? 'invalid_token' : undefined;
      response.setHeader('www-authenticate', challenge({ resource, host }, firstScopes, code));
    }
    throw error;
  }
}

/** Older revisions whose rules say what a program does on 403. Source: MCP 2025-06-18 and 2025-11-25, Authorization. */
const steppingUp: ReadonlySet<unknown> = new Set(['2025-06-18', '2025-11-25']);

/**
 * True for a program of an older generation that asks its person again on 403. With a refresh token it would refresh, get the same scopes,
 * and give up. Source: docs/decisions/0154.
 */
export function asksAgain({ grant }: Principal, { headers }: Pick<Request, 'headers'>): boolean {
  return grant?.person === true && grant.isRefreshed === false && steppingUp.has(headers['mcp-protocol-version']);
}

/** Creates the step-up error. Its challenge names all scopes: the granted and the missing ones. Source: RFC 6750 §3.1. */
export function insufficientScope(
  principal: Principal,
  missing: readonly Scope[],
  { resource, response }: { resource: ProtectedResource | null; response: Response },
): AppError {
  const { host } = response.req.headers;
  const scopes = stepUpScopes(principal, missing);
  response.setHeader('www-authenticate', challenge({ resource, host }, scopes, 'insufficient_scope'));
  return new AppError(
    'auth.forbidden',
    `This credential lacks the scope ${missing.join(' ')}. Reconnect and grant it, or use a key that has it.`,
  );
}

/** Returns the credential that a long-lived stream was opened with, to be checked again later. */
export function credentialOf(
  authenticator: Pick<BearerAuthenticator, 'byBearer'>,
  principal: Principal,
  request: Pick<Request, 'headers'>,
): StreamCredential {
  const holder = holderOf(principal);
  const secret = bearerOf(request);
  return {
    name: `${holder}\n${secret}`,
    async isValid() {
      try {
        const now = await authenticator.byBearer(secret);
        const keepsProjects = principal.projectIds.every((id) => now.projectIds.includes(id));
        return (
          holderOf(now) === holder && keepsProjects && [...principal.scopes].every((scope) => now.scopes.has(scope))
        );
      } catch (error) {
        if (error instanceof AppError && error.row.status < 500) return false;
        throw error;
      }
    },
  };
}
