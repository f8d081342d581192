import { AppError } from '#src/domain/app-error.ts';

const somewhere = 'http://here.invalid';
/** Authorization requests of programs lead back to themselves, and carry much. */
const mostCharacters = 4_000;

/** A path of this service, with its query, as a browser would read it; null for anything that leads elsewhere. */
export function ownPath(value: unknown): string | null {
  if (
    typeof value !== 'string' ||
    value.length > mostCharacters ||
    !/^\/(?![/\\])[^\\\u0000-\u001f\u007f]*$/.test(value)
  )
    return null;
  if (!URL.canParse(value, somewhere)) return null;
  const { origin, pathname, search, hash } = new URL(value, somewhere);
  // Dots are resolved by now, and may have laid two slashes bare.
  return origin === somewhere && !pathname.startsWith('//') ? pathname + search + hash : null;
}

const targets = ['callbackURL', 'redirectTo', 'errorCallbackURL', 'newUserCallbackURL'] as const;

/** Whatever a body names as the next address is ours. Error: `auth.forbidden`. */
export function refuseForeignTargets(body: unknown, origins: readonly string[]): void {
  if (typeof body !== 'object' || body === null) return;
  for (const name of targets) {
    const value: unknown = (body as Record<string, unknown>)[name];
    if (value === undefined || ownPath(value) !== null) continue;
    if (typeof value === 'string' && URL.canParse(value) && origins.includes(new URL(value).origin)) continue;
    throw new AppError(
      'auth.forbidden',
      `${name}: only addresses of this service are allowed, such as /organizations.`,
      {
        errors: [{ pointer: `/${name}`, code: 'foreign', message: 'name a path of this service' }],
      },
    );
  }
}
