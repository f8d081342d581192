import type { Request, Response } from 'express';
import type { Authenticator } from '#src/auth/authenticate.ts';
import { Fault } from '#src/domain/fault.ts';
import type { Principal } from '#src/domain/access/principal.ts';

const bearer = /^Bearer +([\w.~+/=-]+) *$/i;

/**
 * The service API key of `Authorization: Bearer`, and nothing else, to its principal. Faults: `auth.unauthorized`, with one body
 * and one challenge for every cause; `auth.forbidden` for a workflow key. Source: RFC 6750 §2.1, §3; attacks.md 66.
 */
export async function bearerPrincipal(
  authenticator: Authenticator,
  request: Request,
  response: Response,
): Promise<Principal> {
  const secret = bearer.exec(request.headers.authorization ?? '')?.[1];
  try {
    return await authenticator.byKey(secret, 'service-key');
  } catch (error) {
    if (error instanceof Fault && error.code === 'auth.unauthorized')
      response.setHeader('www-authenticate', 'Bearer realm="inkgraph"');
    throw error;
  }
}

/** The step-up challenge names the complete set: what is granted and what is missing. Source: RFC 6750 §3.1; attacks.md 68. */
export function insufficientScope(principal: Principal, missing: string, response: Response): Fault {
  const scopes = [...principal.scopes, missing].join(' ');
  response.setHeader('www-authenticate', `Bearer realm="inkgraph", error="insufficient_scope", scope="${scopes}"`);
  return new Fault('auth.forbidden', `This credential lacks the scope ${missing}.`);
}
