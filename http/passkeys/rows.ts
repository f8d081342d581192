import type { Request, Response } from 'express';
import * as contract from '#src/contracts/passkeys.ts';
import { AppError } from '#src/domain/app-error.ts';
import type { Accounts, LiveSession, PasskeyAction } from '#src/domain/ports/sessions.ts';
import { checked } from '#tools/call.ts';
import { send } from '#http/routes/second-factor.ts';

interface Exchange {
  readonly request: Request;
  readonly response: Response;
}
type MemberWork = (session: LiveSession, request: Request, response: Response) => Promise<object>;

/** The same for an unknown passkey and for that of another account. Error: `passkey.not_found`. */
async function requireOwn(auth: Accounts, { userId }: LiveSession, id: string): Promise<void> {
  if ((await auth.passkeys.list(userId)).some((one) => one.id === id)) return;
  throw new AppError(
    'passkey.not_found',
    'No passkey with this id belongs to you. Take an id from list-user-passkeys.',
  );
}

export async function renamePasskey(
  auth: Accounts,
  session: LiveSession,
  sent: unknown,
  exchange: Exchange,
): Promise<void> {
  const change = checked(contract.PasskeyChange, sent);
  await requireOwn(auth, session, change.id);
  await send(auth, 'passkey/update-passkey', change, exchange);
}

/** Callers require a recent sign-in. */
export async function deletePasskey(
  auth: Accounts,
  session: LiveSession,
  sent: unknown,
  exchange: Exchange,
): Promise<void> {
  const choice = checked(contract.PasskeyChoice, sent);
  await requireOwn(auth, session, choice.id);
  await send(auth, 'passkey/delete-passkey', choice, exchange);
}

/** Refuses a sign-in inside a session: the challenge of a session proves presence, and opens nothing. Error: `request.invalid`. */
export async function requireSignedOut(auth: Accounts, { headers }: Request): Promise<void> {
  if ((await auth.read(headers.cookie)) !== null)
    throw new AppError(
      'request.invalid',
      'You are signed in already. To prove that you are present, send the passkey to /api/auth/reauthenticate.',
    );
}

/** Endpoints of a signed-in person's passkeys, with the names of the library's plugin. Source: docs/decisions/0102. */
export function passkeyRows(auth: Accounts): Record<string, MemberWork> {
  const library = async (action: PasskeyAction, body: object, exchange: Exchange) =>
    (await send(auth, action, { ...body }, exchange)).body as Readonly<Record<string, unknown>>;
  return {
    'GET passkey/generate-register-options': (_session, request, response) =>
      library('passkey/generate-register-options', {}, { request, response }),
    async 'POST passkey/verify-registration'(_session, request, response) {
      const sent = checked(contract.PasskeyRegistration, request.body ?? {});
      const { id, name } = await library('passkey/verify-registration', sent, { request, response });
      return { id, name };
    },
    'GET passkey/list-user-passkeys': async ({ userId }) => ({ passkeys: await auth.passkeys.list(userId) }),
    async 'POST passkey/update-passkey'(session, request, response) {
      await renamePasskey(auth, session, request.body ?? {}, { request, response });
      return { success: true };
    },
    async 'POST passkey/delete-passkey'(session, request, response) {
      await deletePasskey(auth, session, request.body ?? {}, { request, response });
      return { success: true };
    },
  };
}
