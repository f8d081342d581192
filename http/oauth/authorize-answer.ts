import type { Response } from 'express';
import { answerAddress } from '#src/domain/access/oauth/authorize.ts';
import type { Consents } from '#tools/oauth/consent.ts';
import type { Facade } from '#http/bind.ts';
import type { OAuthParts } from '#http/oauth/mount-oauth.ts';
import type { PageGuard } from '#http/pages/page-guard.ts';
import type { AuthHandler } from '#http/routes/auth.ts';
import type { OAuthClient } from '#src/domain/access/oauth/records.ts';

/** Dependencies of the consent pages. */
export interface AuthorizeParts extends Pick<OAuthParts, 'clients' | 'documents' | 'issuer' | 'resource'> {
  readonly auth: AuthHandler;
  readonly facade: Facade;
  readonly consents: Consents;
}

/** Dependencies of their handlers. */
export interface ConsentParts extends Pick<OAuthParts, 'clients' | 'documents' | 'issuer' | 'resource'> {
  readonly guard: PageGuard;
  readonly consents: Consents;
  readonly limiters: Facade['limiters'];
}

/** The client and its redirect address, validated, so that any response may be sent there. */
export interface ClientRequest {
  readonly client: OAuthClient;
  readonly redirectUri: string;
  readonly state: string | null;
}

/** Redirects the browser to the client. Source: RFC 6749 §4.1.2; RFC 9207 §2; RFC 9700 §4.12 for the status. */
export function answer(
  response: Response,
  issuer: string,
  { redirectUri, state }: Pick<ClientRequest, 'redirectUri' | 'state'>,
  said: Readonly<Record<string, string>>,
): void {
  response.setHeader('cache-control', 'no-store');
  response.setHeader('referrer-policy', 'no-referrer');
  response.setHeader('location', answerAddress(redirectUri, { ...said, state, iss: issuer }));
  response.status(303).end();
}
