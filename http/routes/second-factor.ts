import type { Request, Response } from 'express';
import { AppError } from '#src/domain/app-error.ts';
import type {
  AccountAction,
  AccountBody,
  Accounts,
  LiveSession,
  SecondFactorAction,
} from '#src/domain/ports/sessions.ts';
import { callOf } from '#http/account-call.ts';

interface Exchange {
  readonly request: Request;
  readonly response: Response;
}

interface SetUp {
  readonly totpURI?: string;
  readonly backupCodes?: readonly string[];
}

/** True for the answer to a right password that a code has to follow. */
export const asksForCode = (body: unknown): boolean =>
  typeof body === 'object' && body !== null && 'twoFactorRedirect' in body;

/** Performs an account action for the sender of the request, and passes its cookies on. */
export async function send(
  auth: Accounts,
  action: AccountAction,
  body: AccountBody,
  { request, response }: Exchange,
): Promise<{ body: unknown; cookies: readonly string[] }> {
  const reply = await auth.perform(action, body, callOf(request));
  if (reply.cookies.length > 0) response.setHeader('set-cookie', [...reply.cookies]);
  return reply;
}

/** Second step of a sign-in, with a code of the app or a backup code. Errors: `request.invalid`, `auth.unauthorized`, `request.rate_limited`. */
export async function verifySecondFactor(
  auth: Accounts,
  { code, trustDevice }: { readonly code: string; readonly trustDevice: boolean },
  request: Request,
  response: Response,
): Promise<unknown> {
  // With a session the library would check the code for that person, and count no failure.
  if ((await auth.read(request.headers.cookie)) !== null)
    throw new AppError('request.invalid', 'You are signed in already. There is nothing left to do.');
  const action = /^\d{6}$/.test(code) ? 'two-factor/verify-totp' : 'two-factor/verify-backup-code';
  return (await send(auth, action, { code, trustDevice }, { request, response })).body;
}

/** Performs an action that takes the password. */
export async function secondFactorRequest(
  auth: Accounts,
  action: SecondFactorAction,
  proof: { readonly password: string },
  exchange: Exchange,
): Promise<SetUp> {
  try {
    return (await send(auth, action, proof, exchange)).body as SetUp;
  } catch (error) {
    const isPassword = error instanceof AppError && error.errors.some(({ pointer }) => pointer === '/currentPassword');
    if (!isPassword) throw error;
    throw new AppError('request.invalid', 'The password is wrong.', {
      errors: [{ pointer: '/password', code: 'wrong', message: 'type the password that you sign in with' }],
    });
  }
}

/** Turns the second factor on with its first code, and ends the person's other sessions, which had none. Returns their number. */
export async function confirmSecondFactor(
  auth: Accounts,
  session: LiveSession,
  code: string,
  exchange: Exchange,
): Promise<number> {
  if (session.usesCodes)
    throw new AppError('request.invalid', 'Your account has a second factor. Turn it off before you set up another.');
  const { cookies } = await send(auth, 'two-factor/verify-totp', { code }, exchange);
  const renewed = await auth.read(cookies.map((line) => line.slice(0, line.indexOf(';'))).join('; '));
  return auth.endOthers(session.userId, renewed?.sessionId ?? session.sessionId);
}
