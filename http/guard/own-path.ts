import { AppError } from '#src/domain/app-error.ts';

/** Page that people come to when they have signed in. */
export const home = '/';

const somewhere = 'http://here.invalid';
/** Long enough for an authorization request, which carries its redirect and state. */
const mostCharacters = 4_000;

/** Normalizes a path of this service, with its query, as a browser would; null for anything that leads to another origin. */
export function ownPath(value: unknown): string | null {
  if (
    typeof value !== 'string' ||
    value.length > mostCharacters ||
    !/^\/(?![/\\])[^\\\u0000-\u001f\u007f]*$/.test(value)
  )
    return null;
  if (!URL.canParse(value, somewhere)) return null;
  const { origin, pathname, search, hash } = new URL(value, somewhere);
  // Resolving dot segments may have produced two leading slashes, which name another host.
  return origin === somewhere && !pathname.startsWith('//') ? pathname + search + hash : null;
}

const targets = ['callbackURL', 'redirectTo', 'errorCallbackURL', 'newUserCallbackURL'] as const;

/** Refuses redirect targets in a body that lead to another origin. Error: `auth.forbidden`. */
export function refuseForeignTargets(body: unknown, origins: readonly string[]): void {
  if (typeof body !== 'object' || body === null) return;
  for (const name of targets) {
    const value: unknown = (body as Record<string, unknown>)[name];
    if (value === undefined || ownPath(value) !== null) continue;
    if (typeof value === 'string' && URL.canParse(value) && origins.includes(new URL(value).origin)) continue;
    throw new AppError(
      'auth.forbidden',
      `${name} leads to another site. Send a path of this service, such as /organizations.`,
      {
        errors: [{ pointer: `/${name}`, code: 'foreign', message: 'must be a path of this service' }],
      },
    );
  }
}
