import type { AuthOptions, BetterAuth } from '#src/adapters/sessions/better-auth.ts';
import type { LiveSession, Sessions } from '#src/domain/ports/sessions.ts';

export interface AuthService extends Sessions {
  /** Requests below `/api/auth`, which the facade lets through: sign-in, sign-up, sign-out and the choice of an organization. */
  handle(request: Request): Promise<Response>;
  /** Makes a user, as sign-up does; answers the id. */
  signUp(person: { email: string; password: string; name: string }): Promise<string>;
}

/** The library is loaded when somebody first needs a session, when the address of the API is known. */
export function createSessions(options: Omit<AuthOptions, 'baseUrl'> & { baseUrl(): string }): AuthService {
  let made: Promise<BetterAuth> | null = null;
  const auth = (): Promise<BetterAuth> => {
    made ??= import('#src/adapters/sessions/better-auth.ts').then(({ createBetterAuth }) =>
      createBetterAuth({ ...options, baseUrl: options.baseUrl() }),
    );
    return made;
  };
  return {
    async read(cookie) {
      if (cookie === undefined || !cookie.includes('app.session_token=')) return null;
      const found = await (await auth()).api.getSession({ headers: new Headers({ cookie }) });
      return found === null ? null : live(found);
    },
    async handle(request) {
      return (await auth()).handler(request);
    },
    async signUp(person) {
      const { user } = await (await auth()).api.signUpEmail({ body: person });
      return user.id;
    },
  };
}

type Found = NonNullable<Awaited<ReturnType<BetterAuth['api']['getSession']>>>;

function live({ session, user }: Found): LiveSession {
  return {
    sessionId: session.id,
    userId: user.id,
    email: user.email,
    name: user.name,
    activeOrganizationId: session.activeOrganizationId ?? null,
    expiresAt: session.expiresAt,
  };
}
