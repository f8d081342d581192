import { isDuplicateKey } from '#src/stores/connect.ts';
import { AppError } from '#src/domain/app-error.ts';
import { isOutage } from '#src/outage.ts';
import type { AccountReply } from '#src/domain/ports/sessions.ts';

const emailTaken = (): AppError =>
  new AppError('auth.email_taken', 'There is an account with this address: sign in, or use another address.', {
    errors: [{ pointer: '/email', code: 'taken', message: 'sign in, or use another address' }],
  });
const unauthorized = (): AppError => new AppError('auth.unauthorized', 'Sign in: this address needs a session.');

/** The library's codes that a request which the facade let through can still earn. */
const known: Readonly<Record<string, () => AppError>> = {
  INVALID_EMAIL_OR_PASSWORD: () => new AppError('auth.unauthorized', 'The e-mail address or the password is wrong.'),
  USER_ALREADY_EXISTS: emailTaken,
  USER_ALREADY_EXISTS_USE_ANOTHER_EMAIL: emailTaken,
  INVALID_PASSWORD: () =>
    new AppError('request.invalid', 'The current password is wrong.', {
      errors: [{ pointer: '/currentPassword', code: 'wrong', message: 'type the password you signed in with' }],
    }),
};

/** null where nothing went wrong, or nothing that the answer does not say. */
export function errorOf(failures: readonly Error[]): AppError | null {
  const fault = failures.find((failure) => failure instanceof AppError);
  if (fault !== undefined) return fault;
  const outage = failures.find(isOutage);
  if (outage !== undefined)
    return new AppError('service.unavailable', 'The database does not answer: try again soon.', { cause: outage });
  return failures.some(isDuplicateKey) ? emailTaken() : null;
}

function refusal(response: Response, body: unknown, failures: readonly Error[]): AppError {
  const { status } = response;
  if (status === 429)
    return new AppError('request.rate_limited', 'Too many attempts from your address: wait a little.', {
      retryAfterSeconds: Number(response.headers.get('x-retry-after') ?? 60),
    });
  const code = typeof body === 'object' && body !== null && 'code' in body ? String(body.code) : '';
  const fault = known[code]?.();
  if (fault !== undefined) return fault;
  if (status === 401) return unauthorized();
  if (status === 403) return new AppError('auth.forbidden', 'Your account may not do that.');
  if (status < 500) return new AppError('request.invalid', 'The request has invalid fields.');
  return new AppError('service.internal', 'Something went wrong here. Tell the operator the requestId.', {
    cause: failures[0] ?? new Error(`the authentication library answered ${status} ${code}`),
  });
}

function parsed(text: string): unknown {
  if (text === '') return null;
  try {
    return JSON.parse(text);
  } catch {
    // The library says "Not Found" in words; the status is what counts.
    return null;
  }
}

/** What the library answered, or the fault it amounts to: also where it answered 200 and only told its log what failed. */
export async function replyOf(response: Response, failures: readonly Error[]): Promise<AccountReply> {
  const fault = errorOf(failures);
  if (fault !== null) throw fault;
  const body = parsed(await response.text());
  if (!response.ok) throw refusal(response, body, failures);
  return { body, cookies: response.headers.getSetCookie() };
}
