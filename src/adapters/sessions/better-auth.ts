import { betterAuth } from 'better-auth';
import { mongodbAdapter } from 'better-auth/adapters/mongodb';
import { createAuthMiddleware } from 'better-auth/api';
import type { Db } from 'mongodb';
import { attemptRules, createAttempts } from '#src/adapters/sessions/attempts.ts';
import type { Watch } from '#src/adapters/sessions/watch.ts';
import { AppError } from '#src/domain/app-error.ts';
import { newId, type IdKind } from '#src/domain/ids.ts';
import type { SessionStore } from '#src/domain/ports/sessions.ts';

/** In the place of the library's, which is scrypt with N = 16384, r = 16, p = 1 and a salt of 16 bytes. */
export interface PasswordHashing {
  /** What is stored. */
  hash(password: string): Promise<string>;
  verify(kept: { hash: string; password: string }): Promise<boolean>;
}

export interface LibraryOptions {
  readonly db: Db;
  /** Guarded; null: the database alone. */
  readonly store: SessionStore | null;
  /** Counts attempts, past the guard. */
  readonly counter: SessionStore | null;
  readonly watch: Watch;
  /** Signs cookies. */
  readonly secret: string;
  /** Public address of the API. */
  readonly baseUrl: string;
  readonly rateLimits: boolean;
  readonly passwords?: PasswordHashing | undefined;
  /** False: nobody without an invitation that waits for the address (small letters). */
  maySignUp(email: string, invitationId: string | null): Promise<boolean>;
  /** Takes away what a sign-up of this address (small letters) left that was cut short. */
  clearUnfinished(email: string): Promise<void>;
  /** Where a new session begins; null: in no organization. */
  firstOrganization(userId: string): Promise<string | null>;
}

export const authPath = '/api/auth';
/** What the facade says of the caller's address; never what the caller says. */
export const clientIpHeader = 'x-app-client-ip';
/** The invitation that somebody signs up with; from us as well. */
export const invitationHeader = 'x-app-invitation';

const kinds: Readonly<Record<string, IdKind>> = {
  user: 'user',
  users: 'user',
  session: 'session',
  sessions: 'session',
  account: 'account',
  accounts: 'account',
};

function cookies(baseUrl: string) {
  return {
    cookiePrefix: 'app',
    // Otherwise the name gains `__Secure-` on https, and breaks the specification.
    useSecureCookies: false,
    defaultCookieAttributes: { secure: baseUrl.startsWith('https:'), httpOnly: true, sameSite: 'lax' as const },
  };
}

/** The library tells its log what it swallows. */
function watched(watch: Watch) {
  return {
    logger: {
      level: 'error' as const,
      log(_level: string, _message: string, ...more: unknown[]) {
        for (const one of more) watch.note(one);
      },
    },
    // Otherwise what is thrown would go to the console.
    onAPIError: { throw: true },
  };
}

/** After the limit on attempts, before anything is looked up or made. Error: `auth.forbidden`. */
function beforeSignUp(options: LibraryOptions) {
  return createAuthMiddleware(async ({ path, body, headers }) => {
    if (path !== '/sign-up/email') return;
    const email = String((body as { email?: unknown }).email).toLowerCase();
    // Seeds and commands sign people up outside of a call.
    if (
      options.watch.changes !== undefined &&
      !(await options.maySignUp(email, headers?.get(invitationHeader) ?? null))
    )
      throw new AppError(
        'auth.forbidden',
        'Accounts are by invitation here: open the link of an invitation that waits for your address.',
      );
    await options.clearUnfinished(email);
  });
}

/**
 * The authentication library as docs/decisions/0034 says: cookie `app.session_token`, string ids, our collections, no cookie cache, no
 * bearer tokens, the caller's address from the facade only. What it would read from the environment is said here instead.
 */
export function createBetterAuth(options: LibraryOptions) {
  const { db, store, watch, secret, baseUrl, passwords } = options;
  return betterAuth({
    appName: 'Inkgraph',
    // A path in it would take the place of the base path.
    baseURL: new URL(baseUrl).origin,
    basePath: authPath,
    secrets: [{ version: 1, value: secret }],
    secret,
    // With a client it would want transactions.
    database: mongodbAdapter(db, { transaction: false }),
    ...(store === null ? {} : { secondaryStorage: store }),
    user: { modelName: 'users' },
    account: { modelName: 'accounts' },
    verification: { modelName: 'verifications', storeInDatabase: true },
    session: {
      modelName: 'sessions',
      storeSessionInDatabase: true,
      // A revoked session would still answer.
      cookieCache: { enabled: false },
      additionalFields: { activeOrganizationId: { type: 'string', required: false, input: false } },
    },
    hooks: { before: beforeSignUp(options) },
    databaseHooks: {
      session: {
        create: {
          before: async (session) => ({
            data: { ...session, activeOrganizationId: await options.firstOrganization(session.userId) },
          }),
        },
      },
    },
    emailAndPassword: {
      enabled: true,
      minPasswordLength: 10,
      maxPasswordLength: 128,
      ...(passwords === undefined ? {} : { password: passwords }),
    },
    rateLimit: {
      enabled: options.rateLimits,
      window: 60,
      max: 300,
      customRules: attemptRules,
      customStorage: createAttempts(options.counter),
    },
    advanced: {
      ...cookies(baseUrl),
      database: { generateId: ({ model }) => newId(kinds[model] ?? 'verification'), joins: true },
      ipAddress: { ipAddressHeaders: [clientIpHeader] },
      // The facade has done both for every address, and passes no address of the caller's on.
      disableCSRFCheck: true,
      disableOriginCheck: true,
    },
    telemetry: { enabled: false },
    ...watched(watch),
  });
}
export type BetterAuth = ReturnType<typeof createBetterAuth>;
