import express, { type Request, type Response, type Router } from 'express';
import { Fault } from '#src/domain/fault.ts';
import type { Facade } from '#http/bind.ts';
import { sameSite } from '#http/guard/same-site.ts';

export interface AuthHandler {
  handle(request: globalThis.Request): Promise<globalThis.Response>;
}

/**
 * What of the authentication library is on the wire; members, roles and invitations are changed by tools of ours.
 * Source: identity.md "Sessions".
 */
const addresses = [
  ['POST', '/api/auth/sign-up/email'],
  ['POST', '/api/auth/sign-in/email'],
  ['POST', '/api/auth/sign-out'],
  ['GET', '/api/auth/get-session'],
  ['GET', '/api/auth/list-sessions'],
  ['POST', '/api/auth/revoke-session'],
  ['POST', '/api/auth/revoke-other-sessions'],
  ['POST', '/api/auth/change-password'],
  ['GET', '/api/auth/organization/list'],
  ['POST', '/api/auth/organization/create'],
  ['POST', '/api/auth/organization/set-active'],
  ['GET', '/api/auth/organization/list-user-invitations'],
  ['POST', '/api/auth/organization/accept-invitation'],
  ['POST', '/api/auth/organization/reject-invitation'],
] as const;

const clientIpHeader = 'x-app-client-ip';

/** As the library reads it; the caller's address is ours to tell. */
function toWeb(request: Request, base: string): globalThis.Request {
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers))
    if (typeof value === 'string' && name !== clientIpHeader) headers.set(name, value);
  if (request.ip !== undefined) headers.set(clientIpHeader, request.ip);
  const body: unknown = request.body;
  const text = Buffer.isBuffer(body) && body.length > 0 ? body.toString('utf8') : null;
  return new globalThis.Request(new URL(request.originalUrl, base), { method: request.method, headers, body: text });
}

async function answer(response: Response, given: globalThis.Response): Promise<void> {
  response.status(given.status);
  for (const [name, value] of given.headers) if (name !== 'set-cookie') response.setHeader(name, value);
  const cookies = given.headers.getSetCookie();
  if (cookies.length > 0) response.setHeader('set-cookie', cookies);
  response.setHeader('cache-control', 'no-store');
  response.send(Buffer.from(await given.arrayBuffer()));
}

/** Sign-in and what belongs to it, as JSON. */
export function mountAuth(router: Router, auth: AuthHandler, { origins }: Pick<Facade, 'origins'>): void {
  const guard = sameSite(origins);
  const read = express.raw({ type: 'application/json', limit: 64 * 1024 });
  for (const [method, path] of addresses)
    router[method === 'GET' ? 'get' : 'post'](path, guard, read, async (request, response) => {
      const [base] = origins();
      if (base === undefined) throw new Fault('service.internal', 'The service does not know its own address.');
      await answer(response, await auth.handle(toWeb(request, base)));
    });
}
