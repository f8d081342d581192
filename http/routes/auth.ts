import type { Request, RequestHandler, Response, Router } from 'express';
import * as contract from '#src/contracts/auth.ts';
import { PasskeySignIn } from '#src/contracts/passkeys.ts';
import { limits } from '#src/contracts/fields.ts';
import { endOfProof, requireRecentSignIn } from '#src/domain/access/recent-sign-in.ts';
import type { Affiliate } from '#tools/members/affiliate.ts';
import { AppError } from '#src/domain/app-error.ts';
import type { AccountMails } from '#src/domain/ports/account-mail.ts';
import type {
  Accounts,
  AccountAction,
  AccountBody,
  AccountReply,
  LiveSession,
  Proof,
  SecondFactorAction,
} from '#src/domain/ports/sessions.ts';
import { checked } from '#tools/call.ts';
import { callOf } from '#http/account-call.ts';
import {
  asksForCode,
  confirmSecondFactor,
  secondFactorRequest,
  verifySecondFactor,
} from '#http/routes/second-factor.ts';
import { passkeyRows, requireSignedOut } from '#http/passkeys/rows.ts';
import { inSession, type Facade, jsonBodyOf } from '#http/bind.ts';
import { refuseForeignTargets } from '#http/guard/own-path.ts';
import { heldBack, welcome } from '#http/guard/strangers.ts';
import { isEmpty, sameSite } from '#http/guard/same-site.ts';

/** Dependencies of the API and pages of sign-in. */
export interface AuthHandler extends Accounts {
  readonly affiliate: Affiliate;
  readonly formSecret: Buffer;
  /** Steps that a mail confirms; null: no mail is configured. */
  readonly mails: AccountMails | null;
}

/** Error: `mail.not_configured`. */
export function requireMails({ mails }: Pick<AuthHandler, 'mails'>): AccountMails {
  if (mails !== null) return mails;
  throw new AppError('mail.not_configured', 'No mail is sent here: SMTP_URL is not set. Ask the operator for help.');
}

/** Empties the cache of the browser: pictures of documents stay in it for up to an hour. */
export function forgetPictures(response: Response): void {
  response.setHeader('clear-site-data', '"cache"');
}

/** A request without a body counts as one with an empty object. */
const bodyIn = ({ body }: Request): unknown => body ?? {};

/** Limits of guesses and of passwords that wait to be hashed. */
const isLimit = (error: unknown): boolean =>
  error instanceof AppError && (error.code === 'request.rate_limited' || error.isLogged);

/** Performs an account action for the sender of the request. Limits that strangers hit are told late. */
export async function perform(
  auth: Accounts,
  action: AccountAction,
  body: AccountBody,
  request: Request,
): Promise<AccountReply> {
  try {
    return await auth.perform(action, body, callOf(request));
  } catch (error) {
    const isOfStrangers = action === 'sign-in/email' || action === 'sign-up/email';
    if (isOfStrangers && isLimit(error) && request.res !== undefined) await heldBack(request.res);
    throw error;
  }
}

/** Proves that the person of the session is present. */
export function reauthenticate(auth: Accounts, session: LiveSession, proof: Proof, request: Request): Promise<Date> {
  return auth.reauthenticate(session, proof, callOf(request));
}

/** Rows that need a recent sign-in, like tools with `recentSignIn`. */
const recentRows: ReadonlySet<string> = new Set([
  'POST change-password',
  'POST revoke-session',
  'POST revoke-other-sessions',
  'POST two-factor/disable',
  'POST two-factor/backup-codes',
  'GET passkey/generate-register-options',
  'POST passkey/verify-registration',
  'POST passkey/delete-passkey',
]);

/** The public fields of a user. Session tokens are never sent: the cookie is for the browser only. */
const person = (body: unknown): object | null => {
  const user = (body as { user?: { id: string; email: string; name: string } } | null)?.user;
  return user === undefined ? null : { id: user.id, email: user.email, name: user.name };
};
const next = (callbackURL: string | undefined): object =>
  callbackURL === undefined ? { redirect: false } : { redirect: true, url: callbackURL };

function sessionOf(body: unknown): object | null {
  if (body === null) return null;
  const { session } = body as { session: Record<string, unknown> };
  const { id, userId, createdAt, expiresAt, activeOrganizationId = null } = session;
  return { session: { id, userId, createdAt, expiresAt, activeOrganizationId }, user: person(body) };
}

type Work = (request: Request, response: Response) => Promise<object | null>;
type MemberWork = (session: LiveSession, request: Request, response: Response) => Promise<object>;

/** Account endpoints, with the library's names. No other endpoint of the library is exposed. Source: docs/decisions/0034. */
function accountRows(auth: AuthHandler): Record<string, Work> {
  const through = async (action: AccountAction, body: AccountBody, request: Request, response: Response) => {
    const reply = await perform(auth, action, body, request);
    if (reply.cookies.length > 0) response.setHeader('set-cookie', [...reply.cookies]);
    return reply.body;
  };
  return {
    async 'POST sign-up/email'(request, response) {
      const { callbackURL, ...body } = checked(contract.SignUp, bodyIn(request));
      const user = person(await through('sign-up/email', body, request, response));
      // With mail, the response is the same for an address that has an account.
      return { user, ...(auth.mails === null ? {} : { verification: 'mail' }), ...next(callbackURL) };
    },
    async 'POST sign-in/email'(request, response) {
      const { callbackURL, ...body } = checked(contract.SignIn, bodyIn(request));
      const reply = await through('sign-in/email', body, request, response);
      // The cookie of the answer is a sign-in that waits for the code; there is no session yet.
      return asksForCode(reply)
        ? { user: null, secondFactorRequired: true, redirect: false }
        : { user: person(reply), ...next(callbackURL) };
    },
    async 'POST two-factor/verify'(request, response) {
      const { callbackURL, ...body } = checked(contract.SecondFactorSignIn, bodyIn(request));
      return { user: person(await verifySecondFactor(auth, body, request, response)), ...next(callbackURL) };
    },
    // Also for a session, whose challenge proves presence at `reauthenticate`.
    'GET passkey/generate-authenticate-options': async (request, response) =>
      (await through('passkey/generate-authenticate-options', {}, request, response)) as object,
    async 'POST passkey/verify-authentication'(request, response) {
      const { callbackURL, ...body } = checked(PasskeySignIn, bodyIn(request));
      await requireSignedOut(auth, request);
      return {
        user: person(await through('passkey/verify-authentication', body, request, response)),
        ...next(callbackURL),
      };
    },
    async 'POST request-password-reset'(request) {
      const { email } = checked(contract.PasswordResetRequest, bodyIn(request));
      await requireMails(auth).requestReset(email, callOf(request));
      return { success: true };
    },
    async 'POST reset-password'(request) {
      await requireMails(auth).reset(checked(contract.PasswordReset, bodyIn(request)), callOf(request));
      return { success: true };
    },
    async 'POST confirm-sign-up'(request, response) {
      const wanted = checked(contract.SignUpConfirmation, bodyIn(request));
      const { body, cookies, invitationId } = await requireMails(auth).confirmSignUp(wanted, callOf(request));
      response.setHeader('set-cookie', [...cookies]);
      return { user: person(body), invitationId };
    },
    async 'POST sign-out'(request, response) {
      checked(contract.SignOut, bodyIn(request));
      await through('sign-out', {}, request, response);
      forgetPictures(response);
      return { success: true };
    },
    'GET get-session': async (request, response) => sessionOf(await through('get-session', {}, request, response)),
  };
}

/** Endpoints that need a session. */
function memberRows(auth: AuthHandler): Record<string, MemberWork> {
  const { affiliate } = auth;
  const actor = (session: LiveSession, { ip }: Request) => ({ session, ip: ip ?? null });
  return {
    async 'GET list-sessions'({ userId, sessionId }) {
      const sessions = await auth.list(userId);
      return { sessions: sessions.map((one) => ({ ...one, current: one.id === sessionId })) };
    },
    async 'POST revoke-session'({ userId }, request) {
      const { sessionId } = checked(contract.SessionChoice, bodyIn(request));
      if (!(await auth.end(userId, sessionId)))
        throw new AppError(
          'session.not_found',
          'No session with this id belongs to you. Take an id from list-sessions.',
        );
      return { success: true };
    },
    async 'POST revoke-other-sessions'({ userId, sessionId }, request) {
      checked(contract.Nothing, bodyIn(request));
      return { revoked: await auth.endOthers(userId, sessionId) };
    },
    async 'POST send-verification-email'(session, request) {
      checked(contract.Nothing, bodyIn(request));
      await requireMails(auth).requestVerification(session, callOf(request));
      return { success: true };
    },
    async 'POST confirm-address'(session, request) {
      const { token } = checked(contract.AddressConfirmation, bodyIn(request));
      await requireMails(auth).confirmAddress(token, session, callOf(request));
      return { success: true };
    },
    async 'POST reauthenticate'(session, request) {
      const proof = checked(contract.Reauthentication, bodyIn(request));
      const provedAt = await reauthenticate(auth, session, proof, request);
      return { provedAt, validUntil: endOfProof(provedAt) };
    },
    async 'POST change-password'({ userId, sessionId }, request) {
      const { revokeOtherSessions, ...body } = checked(contract.PasswordChange, bodyIn(request));
      await perform(auth, 'change-password', body, request);
      return { success: true, revoked: revokeOtherSessions ? await auth.endOthers(userId, sessionId) : 0 };
    },
    async 'GET organization/list'(session) {
      const found = await affiliate.organizationsOf(session);
      const organizations = found.map(({ organizationId: id, name, role }) => ({ id, name, role }));
      return { organizations, activeOrganizationId: session.activeOrganizationId };
    },
    async 'POST organization/create'(session, request) {
      const wanted = checked(contract.NewOrganization, bodyIn(request));
      const { organizationId, ...made } = await affiliate.create(actor(session, request), wanted);
      return { id: organizationId, ...made };
    },
    async 'POST organization/set-active'(session, request) {
      const { organizationId } = checked(contract.OrganizationChoice, bodyIn(request));
      await affiliate.choose(actor(session, request), organizationId);
      return { activeOrganizationId: organizationId };
    },
    async 'POST organization/accept-invitation'(session, request) {
      const { invitationToken } = checked(contract.InvitationChoice, bodyIn(request));
      const joined = await affiliate.accept(actor(session, request), invitationToken);
      const { invitationId, organizationId, role, pendingRole } = joined;
      return { invitationId, organizationId, role, pendingRole };
    },
    async 'POST organization/reject-invitation'(session, request) {
      const { invitationToken } = checked(contract.InvitationChoice, bodyIn(request));
      await affiliate.decline(actor(session, request), invitationToken);
      return { rejected: true };
    },
  };
}

/** Endpoints of a signed-in person's second factor. */
function secondFactorRows(auth: AuthHandler): Record<string, MemberWork> {
  const withPassword = (action: SecondFactorAction, request: Request, response: Response) =>
    secondFactorRequest(auth, action, checked(contract.PasswordProof, bodyIn(request)), { request, response });
  return {
    'GET two-factor': async ({ usesCodes }) => ({ enabled: usesCodes }),
    async 'POST two-factor/enable'(_session, request, response) {
      const { totpURI, backupCodes } = await withPassword('two-factor/enable', request, response);
      return { totpUri: totpURI, backupCodes };
    },
    async 'POST two-factor/confirm'(session, request, response) {
      const { code } = checked(contract.SecondFactorConfirmation, bodyIn(request));
      return { enabled: true, revoked: await confirmSecondFactor(auth, session, code, { request, response }) };
    },
    async 'POST two-factor/disable'(_session, request, response) {
      await withPassword('two-factor/disable', request, response);
      return { enabled: false };
    },
    async 'POST two-factor/backup-codes'(_session, request, response) {
      const { backupCodes } = await withPassword('two-factor/generate-backup-codes', request, response);
      return { backupCodes };
    },
  };
}

const readBody = jsonBodyOf(limits.accountBodyBytes);

/** Mounts the JSON API of accounts, sessions and organizations. */
export function mountAuth(router: Router, auth: AuthHandler, facade: Facade): void {
  const { sessions, limiters } = facade;
  const origins = () => facade.origins();
  const guard = sameSite(origins);
  const targets: RequestHandler = (request, response, proceed) => {
    response.setHeader('cache-control', 'no-store');
    refuseForeignTargets(request.body, origins());
    proceed();
  };
  const read: RequestHandler = (request, response, proceed) => {
    if (isEmpty(request)) proceed();
    else readBody(request, response, proceed);
  };
  const mount = (name: string, work: Work): void => {
    const [method, path] = name.split(' ');
    router[method === 'GET' ? 'get' : 'post'](
      `/api/auth/${path}`,
      guard,
      read,
      targets,
      async (request: Request, response: Response) => {
        response.json(await inSession(response, () => work(request, response)));
      },
    );
  };
  for (const [name, work] of Object.entries(accountRows(auth))) mount(name, work);
  for (const [name, work] of Object.entries({ ...memberRows(auth), ...secondFactorRows(auth), ...passkeyRows(auth) }))
    mount(name, async (request, response) => {
      const session = await sessions.session(request.headers.cookie);
      welcome(response, session.sessionId);
      await limiters?.usual.take(session.sessionId, response);
      if (recentRows.has(name)) requireRecentSignIn(session);
      return work(session, request, response);
    });
}
