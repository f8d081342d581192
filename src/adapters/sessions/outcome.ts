import { own } from '#src/contracts/own.ts';
import { passkeysMax } from '#src/contracts/passkeys.ts';
import { isDuplicateKey } from '#src/stores/connect.ts';
import { AppError } from '#src/domain/app-error.ts';
import { isOutage } from '#src/outage.ts';
import type { AccountReply } from '#src/domain/ports/sessions.ts';

const emailTaken = (): AppError =>
  new AppError('auth.email_taken', 'An account with this e-mail address exists. Sign in, or use another address.', {
    errors: [{ pointer: '/email', code: 'taken', message: 'sign in, or use another address' }],
  });
/** Error for a sign-up without an invitation where it needs one. */
export const signUpClosed = (): AppError =>
  new AppError(
    'auth.forbidden',
    'Sign-up needs an invitation here. Open the link of an invitation to your e-mail address.',
  );
const unauthorized = (): AppError => new AppError('auth.unauthorized', 'This call needs a session. Sign in.');

const wrongCode = (): AppError =>
  new AppError('request.invalid', 'The code is wrong, or is a backup code that was used before.', {
    errors: [{ pointer: '/code', code: 'wrong', message: 'type the code that the app shows now, or a backup code' }],
  });
/** Error code of ours for a code that was accepted before. */
export const codeUsed = 'CODE_USED';
const usedCode = (): AppError =>
  new AppError('request.invalid', 'The code was used before. Wait until the app shows the next one.', {
    errors: [{ pointer: '/code', code: 'used', message: 'wait until the app shows the next code' }],
  });
const startAgain = (): AppError =>
  new AppError('auth.unauthorized', 'This sign-in has ended. Sign in again with your password.');
const noSecondFactor = (): AppError =>
  new AppError('request.invalid', 'Your account has no second factor. Set it up first.');

const wrongResponse = (code: string, detail: string): (() => AppError) => {
  const [message = detail] = detail.split(': ').slice(-1);
  return () => new AppError('request.invalid', detail, { errors: [{ pointer: '/response', code, message }] });
};
/** One error for unknown, removed and copied passkeys, wrong signatures and other origins. */
const wrongPasskey = (): AppError => new AppError('auth.unauthorized', 'This passkey opens no account here.');

/** The passkey was deleted since it was looked up. */
const passkeyNotFound = (): AppError =>
  new AppError('passkey.not_found', 'No passkey with this id belongs to you. Take an id from list-user-passkeys.');

/** Error codes of the passkey plugin, and of our checks around it. */
export const passkeyCodes = {
  CHALLENGE_NOT_FOUND: wrongResponse(
    'challenge',
    'The challenge was used already, has expired, or belongs to another session: begin again with new options',
  ),
  FAILED_TO_VERIFY_REGISTRATION: wrongResponse(
    'wrong',
    'The response does not belong to the challenge, the origin or the host name of this service: send what the browser returns',
  ),
  ATTESTATION_UNWANTED: wrongResponse(
    'attestation',
    'The response has an attestation with certificates: register with attestation "none"',
  ),
  USER_NOT_VERIFIED: wrongResponse(
    'user_verification',
    'The authenticator did not verify the person: set up a PIN, fingerprint or face for it',
  ),
  CREDENTIAL_TAKEN: wrongResponse('taken', 'A passkey with this id exists: register a new one'),
  TOO_MANY_PASSKEYS: wrongResponse('too_many', `An account has at most ${passkeysMax} passkeys: delete one first`),
  AUTHENTICATION_FAILED: wrongPasskey,
  PASSKEY_NOT_FOUND: wrongPasskey,
  PRESENCE_PROVED: () => new AppError('service.internal', 'A proof of presence opens no session.'),
} as const satisfies Readonly<Record<string, () => AppError>>;

/** Error codes of the library that valid requests can cause. */
const known: Readonly<Record<string, () => AppError>> = {
  INVALID_EMAIL_OR_PASSWORD: () => new AppError('auth.unauthorized', 'The e-mail address or the password is wrong.'),
  USER_ALREADY_EXISTS: emailTaken,
  USER_ALREADY_EXISTS_USE_ANOTHER_EMAIL: emailTaken,
  INVALID_PASSWORD: () =>
    new AppError('request.invalid', 'The current password is wrong.', {
      errors: [{ pointer: '/currentPassword', code: 'wrong', message: 'type the password you signed in with' }],
    }),
  ...passkeyCodes,
  INVALID_CODE: wrongCode,
  [codeUsed]: usedCode,
  INVALID_BACKUP_CODE: wrongCode,
  INVALID_TWO_FACTOR_COOKIE: startAgain,
  TOO_MANY_ATTEMPTS_REQUEST_NEW_CODE: startAgain,
  ACCOUNT_TEMPORARILY_LOCKED: () =>
    new AppError('request.rate_limited', 'Too many wrong codes. Wait 15 minutes before you try again.', {
      retryAfterSeconds: 900,
    }),
  TOTP_ALREADY_ENABLED: () =>
    new AppError('request.invalid', 'Your account has a second factor. Turn it off before you set up another one.'),
  TOTP_NOT_ENABLED: noSecondFactor,
  TWO_FACTOR_NOT_ENABLED: noSecondFactor,
  BACKUP_CODES_NOT_ENABLED: noSecondFactor,
};

/** True for the end of a call with a passkey that proved presence. */
export const isPresenceProved = (error: unknown): boolean =>
  (error as { readonly body?: { readonly code?: unknown } } | null)?.body?.code === 'PRESENCE_PROVED';

/** Error to report for a refused proof of presence; an error of another kind is returned as it is. */
export function proofError(error: unknown): unknown {
  const { status, body } = (error ?? {}) as { readonly status?: unknown; readonly body?: { readonly code?: unknown } };
  if (body?.code === 'INVALID_PASSWORD')
    return new AppError('request.invalid', 'The password is wrong.', {
      errors: [{ pointer: '/password', code: 'wrong', message: 'type the password that you sign in with' }],
    });
  if (body?.code === 'INVALID_CODE') return wrongCode();
  if (body?.code === codeUsed) return usedCode();
  const refusedPasskey = own(passkeyCodes, String(body?.code));
  if (refusedPasskey === passkeyCodes.CHALLENGE_NOT_FOUND) return refusedPasskey();
  if (refusedPasskey !== undefined)
    return new AppError('request.invalid', 'The passkey is not one of your account, or was not accepted.', {
      errors: [
        { pointer: '/passkey', code: 'wrong', message: 'use a passkey of the account that you are signed in to' },
      ],
    });
  return status === 'UNAUTHORIZED' ? unauthorized() : error;
}

/** Returns the error to report for collected failures; null when there is none, or when the response reports it. */
export function errorOf(failures: readonly Error[]): AppError | null {
  const appError = failures.find((failure) => failure instanceof AppError);
  if (appError !== undefined) return appError;
  const outage = failures.find(isOutage);
  if (outage !== undefined)
    return new AppError('service.unavailable', 'The database does not respond. Retry in a few seconds.', {
      cause: outage,
    });
  const taken = failures.find(isDuplicateKey);
  if (taken === undefined) return null;
  return /\.passkeys /.test(taken.message) ? passkeyCodes.CREDENTIAL_TAKEN() : emailTaken();
}

function refusal(response: Response, body: unknown, failures: readonly Error[]): AppError {
  const { status } = response;
  const code = typeof body === 'object' && body !== null && 'code' in body ? String(body.code) : '';
  if (code === 'PASSKEY_NOT_FOUND' && status === 404) return passkeyNotFound();
  const appError = own(known, code)?.();
  if (appError !== undefined) return appError;
  if (status === 429)
    return new AppError('request.rate_limited', 'Too many attempts from your address. Wait before you try again.', {
      retryAfterSeconds: Number(response.headers.get('x-retry-after') ?? 60),
    });
  if (status === 401) return unauthorized();
  if (status === 403) return new AppError('auth.forbidden', 'Your account does not have this right.');
  if (status < 500) return new AppError('request.invalid', 'The request has invalid fields.');
  return new AppError('service.internal', 'The server failed. Report the requestId to the operator.', {
    cause: failures[0] ?? new Error(`the authentication library answered ${status} ${code}`),
  });
}

function parsed(text: string): unknown {
  if (text === '') return null;
  try {
    return JSON.parse(text);
  } catch {
    // The body may be plain text, such as "Not Found". The status counts.
    return null;
  }
}

/** Maps a response of the library. Throws the error that it reports or that the library only logged, even beside a status of 200. */
export async function replyOf(response: Response, failures: readonly Error[]): Promise<AccountReply> {
  const appError = errorOf(failures);
  if (appError !== null) throw appError;
  const body = parsed(await response.text());
  if (!response.ok) throw refusal(response, body, failures);
  return { body, cookies: response.headers.getSetCookie() };
}
