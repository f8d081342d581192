import { betterAuth } from 'better-auth';
import { mongodbAdapter } from 'better-auth/adapters/mongodb';
import { APIError, createAuthMiddleware, getSessionFromCtx, isAPIError } from 'better-auth/api';
import { twoFactor } from 'better-auth/plugins/two-factor';
import type { Db } from 'mongodb';
import { createBackupCodes, newBackupCodes } from '#src/adapters/sessions/backup-codes.ts';
import { attemptRules, createAttempts } from '#src/adapters/sessions/attempts.ts';
import {
  beforeCeremony,
  boundChallenge,
  passkeyPlugin,
  type PasskeyParts,
  registrationPath,
  signInPath,
} from '#src/adapters/sessions/passkeys/plugin.ts';
import { codeUsed, signUpClosed } from '#src/adapters/sessions/outcome.ts';
import { createUsedCodes, type UsedCodes } from '#src/adapters/sessions/used-codes.ts';
import type { Watch } from '#src/adapters/sessions/watch.ts';
import { newId, type IdKind } from '#src/domain/ids.ts';
import type { SessionStore } from '#src/domain/ports/sessions.ts';

/** Replaces the hashing of the library, which costs an attacker too little. */
export interface PasswordHashing {
  /** Returns the text to store. */
  hash(password: string): Promise<string>;
  verify(kept: { hash: string; password: string }): Promise<boolean>;
  /** True for a hash that costs less than new ones. */
  isOutdated?(hash: string): boolean;
}

export interface LibraryOptions {
  readonly db: Db;
  /** Guarded session store; null: the database alone. */
  readonly store: SessionStore | null;
  /** Counts attempts; not guarded. */
  readonly counter: SessionStore | null;
  readonly watch: Watch;
  /** Signs cookies. */
  readonly secret: string;
  /** Public address of the API. */
  readonly baseUrl: string;
  readonly rateLimits: boolean;
  readonly passwords?: PasswordHashing | undefined;
  /** Returns false when sign-up needs a pending invitation for this address (lower case) and there is none. */
  maySignUp(email: string, invitationId: string | null): Promise<boolean>;
  /** Removes leftovers of an interrupted sign-up of this address (lower case). */
  clearUnfinished(email: string): Promise<void>;
  /** Active organization of a new session; null: none. */
  firstOrganization(userId: string): Promise<string | null>;
  readonly passkeys: Pick<PasskeyParts, 'store' | 'party'>;
  /** Called before a session is stored. */
  sessionStarts(userId: string, ip: string | null, by: 'passkey' | null): Promise<void>;
}

export const authPath = '/api/auth';
/** Header with the address of the caller, set by the HTTP layer. Headers of the caller are not trusted. */
export const clientIpHeader = 'x-app-client-ip';
/** Header with the invitation of a sign-up, set by the HTTP layer. */
export const invitationHeader = 'x-app-invitation';

const kinds: Readonly<Record<string, IdKind>> = {
  user: 'user',
  users: 'user',
  session: 'session',
  sessions: 'session',
  account: 'account',
  passkey: 'passkey',
  passkeys: 'passkey',
  accounts: 'account',
};

function cookies(baseUrl: string) {
  return {
    cookiePrefix: 'app',
    // Secure cookies of the library have the prefix `__Secure-`; the name is fixed.
    useSecureCookies: false,
    defaultCookieAttributes: { secure: baseUrl.startsWith('https:'), httpOnly: true, sameSite: 'lax' as const },
  };
}

/** Notes a right password whose hash costs less than new ones. */
function noticing(passwords: PasswordHashing, watch: Watch): PasswordHashing {
  return {
    hash: (password) => passwords.hash(password),
    async verify(kept) {
      const isRight = await passwords.verify(kept);
      if (isRight && passwords.isOutdated?.(kept.hash) === true) watch.outdates(kept.hash);
      return isRight;
    },
  };
}

/** Collects the errors that the library swallows and only logs. */
function watched(watch: Watch) {
  return {
    logger: {
      level: 'error' as const,
      log(_level: string, _message: string, ...more: unknown[]) {
        for (const one of more) watch.note(one);
      },
    },
    // The library would print errors to the console.
    onAPIError: { throw: true },
  };
}

const verifyTotp = '/two-factor/verify-totp';

type HookContext = Parameters<Parameters<typeof createAuthMiddleware>[0]>[0];

/** Person that a code is for: of the session, or of the sign-in that waits for the code. null: the library will refuse the call. */
async function codeOwner(ctx: HookContext): Promise<string | null> {
  const session = await getSessionFromCtx(ctx);
  if (session !== null) return session.user.id;
  const { createAuthCookie, secret, internalAdapter } = ctx.context;
  const pending = await ctx.getSignedCookie(createAuthCookie('two_factor').name, secret);
  return pending ? ((await internalAdapter.findVerificationValue(pending))?.value ?? null) : null;
}

/** Claims the code of a call before the library checks it. Source: RFC 6238 §5.2, docs/decisions/0094. */
async function claimCode(ctx: HookContext, used: UsedCodes, watch: Watch): Promise<void> {
  const owner = await codeOwner(ctx);
  if (owner === null) return;
  const id = await used.take(owner, String((ctx.body as { code?: unknown }).code));
  if (id === null) throw new APIError('UNAUTHORIZED', { code: codeUsed, message: 'code used before' });
  watch.claim(id);
}

/** A person who registered a passkey has shown it in this session. */
async function notePasskey({ context: { internalAdapter, session } }: HookContext): Promise<void> {
  if (session !== null)
    await internalAdapter.updateSession(session.session.token, { passkeyAt: new Date().toISOString() });
}

/** Runs after a call of the library. A code that opened nothing stays unused. */
function afterCall(used: UsedCodes, watch: Watch) {
  return createAuthMiddleware(async (ctx) => {
    if (ctx.path === registrationPath && !isAPIError(ctx.context.returned)) await notePasskey(ctx);
    if (ctx.path !== verifyTotp || !isAPIError(ctx.context.returned)) return;
    const id = watch.claimed;
    if (id !== null) await used.giveBack(id);
  });
}

/** Runs after the limit on attempts, before the library reads or writes anything. Error: `auth.forbidden`. */
function beforeCall(options: LibraryOptions, used: UsedCodes) {
  return createAuthMiddleware(async (ctx) => {
    const { path, headers } = ctx;
    const body: unknown = ctx.body;
    if (path === verifyTotp) await claimCode(ctx, used, options.watch);
    await beforeCeremony(ctx);
    if (path !== '/sign-up/email') return;
    const email = String((body as { email?: unknown }).email).toLowerCase();
    // Seeds and commands sign people up outside of a request.
    if (
      options.watch.changes !== undefined &&
      !(await options.maySignUp(email, headers?.get(invitationHeader) ?? null))
    )
      throw signUpClosed();
    await options.clearUnfinished(email);
  });
}

/** TOTP as RFC 6238 has it. Five wrong codes end a sign-in, ten in a row lock the second factor for 15 minutes. Source: docs/decisions/0088. */
function secondFactor(secret: string) {
  const codes = createBackupCodes(secret);
  return twoFactor({
    issuer: 'Inkgraph',
    schema: { twoFactor: { modelName: 'twoFactors' } },
    backupCodeOptions: {
      customBackupCodesGenerate: newBackupCodes,
      storeBackupCodes: { encrypt: async (json) => codes.stored(json), decrypt: async (stored) => stored },
    },
  });
}

/**
 * Keeps the library from creating indexes in the background: src/stores/indexes.ts has them all, and the library prints to the console
 * when one exists under another name.
 */
function withoutIndexSetup(db: Db): Db {
  const collection = (name: string) => Object.assign(db.collection(name), { createIndex: async () => name });
  return Object.assign(Object.create(db) as Db, { collection });
}

/**
 * Configures the authentication library: cookie `app.session_token`, string ids, our collections, no cookie cache, no bearer tokens, the
 * address of the caller from the HTTP layer only. Nothing comes from environment variables of the library. Source: docs/decisions/0034.
 */
export function createBetterAuth(options: LibraryOptions) {
  const { db, store, watch, secret, baseUrl, passwords } = options;
  const used = createUsedCodes(db, secret);
  return betterAuth({
    appName: 'Inkgraph',
    // A path in it would replace the base path.
    baseURL: new URL(baseUrl).origin,
    basePath: authPath,
    secrets: [{ version: 1, value: secret }],
    secret,
    // With a client the adapter uses transactions.
    database: mongodbAdapter(withoutIndexSetup(db), { transaction: false }),
    ...(store === null ? {} : { secondaryStorage: store }),
    user: { modelName: 'users' },
    account: { modelName: 'accounts' },
    verification: { modelName: 'verifications', storeInDatabase: true },
    session: {
      modelName: 'sessions',
      storeSessionInDatabase: true,
      // A revoked session would stay valid in the cookie.
      cookieCache: { enabled: false },
      // A recent sign-in is asked for by us, and a proof of presence counts as one. Source: docs/decisions/0086.
      freshAge: 0,
      additionalFields: {
        activeOrganizationId: { type: 'string', required: false, input: false },
        // As text: the library reads it from two stores, one of which has no dates.
        provedAt: { type: 'string', required: false, input: false },
        passkeyAt: { type: 'string', required: false, input: false },
      },
    },
    hooks: { before: beforeCall(options, used), after: afterCall(used, watch) },
    databaseHooks: {
      session: {
        create: {
          before: async (session, ctx) => {
            const by = ctx?.path === signInPath ? 'passkey' : null;
            const ip = session.ipAddress === '' ? null : (session.ipAddress ?? null);
            await options.sessionStarts(session.userId, ip, by);
            const shown = by === null ? {} : { passkeyAt: new Date().toISOString() };
            // A session that replaces another one keeps its organization.
            const activeOrganizationId =
              session['activeOrganizationId'] ?? (await options.firstOrganization(session.userId));
            return { data: { ...session, ...shown, activeOrganizationId } };
          },
        },
      },
      verification: {
        create: {
          before: async ({ value }, ctx) => {
            const data = await boundChallenge(value, ctx);
            return data === null ? undefined : { data };
          },
        },
      },
    },
    emailAndPassword: {
      enabled: true,
      minPasswordLength: 10,
      maxPasswordLength: 128,
      ...(passwords === undefined ? {} : { password: noticing(passwords, watch) }),
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
      // The HTTP layer checks both for every route, and passes no origin on.
      disableCSRFCheck: true,
      disableOriginCheck: true,
    },
    plugins: [secondFactor(secret), passkeyPlugin({ ...options.passkeys, watch })],
    telemetry: { enabled: false },
    ...watched(watch),
  });
}
export type BetterAuth = ReturnType<typeof createBetterAuth>;
