import type { Response } from 'express';
import { answerAddress } from '#src/domain/access/oauth/authorize.ts';
import type { Consents } from '#tools/oauth/consent.ts';
import type { Facade } from '#http/bind.ts';
import type { OAuthParts } from '#http/oauth/mount-oauth.ts';
import type { PageGuard } from '#http/pages/page-guard.ts';
import type { AuthHandler } from '#http/routes/auth.ts';
import type { OAuthClient } from '#src/domain/access/oauth/records.ts';

/** What the pages of consent are mounted with. */
export interface AuthorizeParts extends Pick<OAuthParts, 'clients' | 'issuer' | 'resource'> {
  readonly auth: AuthHandler;
  readonly facade: Facade;
  readonly consents: Consents;
}

/** What they stand on. */
export interface ConsentParts extends Pick<OAuthParts, 'clients' | 'issuer' | 'resource'> {
  readonly desk: PageGuard;
  readonly consents: Consents;
  readonly limiters: Facade['limiters'];
}

/** Who asks, and where the answer goes: checked, so that anything may be answered there. */
export interface Asker {
  readonly client: OAuthClient;
  readonly redirectUri: string;
  readonly state: string | null;
}

/** Answers the client through the browser. Source: RFC 6749 §4.1.2; RFC 9207 §2; RFC 9700 §4.12 for the status. */
export function answer(
  response: Response,
  issuer: string,
  { redirectUri, state }: Pick<Asker, 'redirectUri' | 'state'>,
  said: Readonly<Record<string, string>>,
): void {
  response.setHeader('cache-control', 'no-store');
  response.setHeader('referrer-policy', 'no-referrer');
  response.setHeader('location', answerAddress(redirectUri, { ...said, state, iss: issuer }));
  response.status(303).end();
}
