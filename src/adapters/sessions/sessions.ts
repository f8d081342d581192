import type { Db } from 'mongodb';
import { limitOf } from '#src/adapters/sessions/attempts.ts';
import { createBackupCodes } from '#src/adapters/sessions/backup-codes.ts';
import type { BetterAuth, LibraryOptions } from '#src/adapters/sessions/better-auth.ts';
import {
  decoded,
  sessionCookie,
  signedCookie,
  signedToken,
  tokenOf,
  withSigned,
} from '#src/adapters/sessions/cookie.ts';
import { createDirectory, type Directory } from '#src/adapters/sessions/directory.ts';
import { guardStore } from '#src/adapters/sessions/guarded-store.ts';
import { createRehash } from '#src/adapters/sessions/rehash.ts';
import { createSessionRows } from '#src/adapters/sessions/session-rows.ts';
import { createSeededSession } from '#src/adapters/sessions/seeded-session.ts';
import { createUnfinished } from '#src/adapters/sessions/unfinished.ts';
import { createPasskeyStore, type PasskeyStore } from '#src/stores/passkeys.ts';
import { collectionsOf } from '#src/stores/collections.ts';
import { passkeysUnavailable, relyingPartyOf } from '#src/domain/access/relying-party.ts';
import { Watch } from '#src/adapters/sessions/watch.ts';
import { AppError } from '#src/domain/app-error.ts';
import type { Logger } from '#src/domain/ports/logger.ts';
import type {
  Accounts,
  AccountAction,
  AccountBody,
  AccountCall,
  AccountReply,
  LiveSession,
  SessionStore,
} from '#src/domain/ports/sessions.ts';

export interface AccountsOptions extends Pick<
  LibraryOptions,
  'secret' | 'rateLimits' | 'passwords' | 'maySignUp' | 'firstOrganization' | 'sessionStarts'
> {
  readonly db: Db;
  /** Session store; null: the database alone. */
  readonly store: SessionStore | null;
  readonly logger: Logger;
  /** Public address of the API, known once it listens. */
  baseUrl(): string;
  /** Token of the seeded session, raw or signed; its cookie may have either. null: there is none. */
  readonly seededToken: string | null;
}

export interface AccountService extends Accounts {
  readonly directory: Directory;
  /** Creates a user as sign-up does, even where sign-up is closed. Returns the id. */
  signUp(person: { email: string; password: string; name: string }): Promise<string>;
  /** Opens the seeded session for this user. Returns its cookie: `app.session_token=...`. */
  openSeeded(owner: { email: string; organizationId: string }): Promise<string>;
  /** Ends a seeded session of an earlier start. */
  closeSeeded(): Promise<void>;
}

interface Library {
  readonly auth: BetterAuth;
  readonly path: string;
  readonly ipHeader: string;
  readonly invitationHeader: string;
  errorOf: (failures: readonly Error[]) => AppError | null;
  replyOf: (response: Response, failures: readonly Error[]) => Promise<AccountReply>;
  proofError: (error: unknown) => unknown;
  isPresenceProved: (error: unknown) => boolean;
}

/** Loads the library, which is heavy, on first use. By then the address of the API is known. */
async function load(options: LibraryOptions): Promise<Library> {
  const [
    { createBetterAuth, authPath, clientIpHeader, invitationHeader },
    { errorOf, replyOf, proofError, isPresenceProved },
  ] = await Promise.all([import('#src/adapters/sessions/better-auth.ts'), import('#src/adapters/sessions/outcome.ts')]);
  const headers = { ipHeader: clientIpHeader, invitationHeader };
  return {
    auth: createBetterAuth(options),
    path: authPath,
    ...headers,
    errorOf,
    replyOf,
    proofError,
    isPresenceProved,
  };
}

function headersOf({ ip, userAgent }: AccountCall, cookie: string | undefined, ipHeader: string): Headers {
  const headers = new Headers({ 'content-type': 'application/json' });
  if (cookie !== undefined) headers.set('cookie', cookie);
  if (userAgent !== undefined) headers.set('user-agent', userAgent);
  if (ip !== undefined) headers.set(ipHeader, ip);
  return headers;
}

type Change = (session: LiveSession, fields: Record<string, unknown>) => Promise<void>;

/** Checks proofs of presence. `limit` counts the attempts of a person; null: without a limit. */
function createProofs(parts: {
  readonly watch: Watch;
  readonly limit: ((userId: string) => Promise<void>) | null;
  readonly library: () => Promise<Library>;
  readonly accept: (cookie: string) => string;
  readonly change: Change;
  /** Throws where there are no passkeys. */
  readonly needParty: () => void;
}): Accounts['reauthenticate'] {
  const { watch, limit, library, accept, change, needParty } = parts;
  return async (session, proof, call) => {
    await limit?.(session.userId);
    if ('passkey' in proof) needParty();
    if ('code' in proof && !session.usesCodes)
      throw new AppError('request.invalid', 'Your account has no second factor. Send your password.');
    const { auth, ipHeader, errorOf, proofError, isPresenceProved } = await library();
    const headers = headersOf(call, call.cookie === undefined ? undefined : accept(call.cookie), ipHeader);
    const prove = async (): Promise<unknown> => {
      if ('code' in proof) return auth.api.verifyTOTP({ body: { code: proof.code }, headers });
      if ('password' in proof) return auth.api.verifyPassword({ body: { password: proof.password }, headers });
      watch.proves(session.userId);
      return auth.api.verifyPasskeyAuthentication({ body: { response: proof.passkey }, headers });
    };
    const { result, failures } = await watch.run(false, () =>
      prove().then(
        () => null,
        (error: unknown) => ({ error }),
      ),
    );
    if (result !== null && !isPresenceProved(result.error)) throw errorOf(failures) ?? proofError(result.error);
    const provedAt = new Date();
    const at = provedAt.toISOString();
    await change(session, 'passkey' in proof ? { provedAt: at, passkeyAt: at } : { provedAt: at });
    return provedAt;
  };
}

/** Hashes a backup code before the library compares it. */
function bodyFor({ hash }: ReturnType<typeof createBackupCodes>) {
  return (action: AccountAction, body: AccountBody): AccountBody => {
    const { code } = body;
    return action === 'two-factor/verify-backup-code' && typeof code === 'string'
      ? { ...body, code: hash(code) }
      : body;
  };
}

/** Signs the token of the seeded session, which a cookie may have raw. */
function seededCookie(seededToken: string | null, secret: string): (cookie: string) => string {
  if (seededToken === null) return (cookie) => cookie;
  const token = tokenOf(seededToken);
  return (cookie) => withSigned(cookie, [token, decoded(seededToken)], signedCookie(token, secret));
}

/** Options of a sign-in in which the authenticator must verify the person. The library always says `preferred`. */
const verifying = ({ body, cookies }: AccountReply): AccountReply => ({
  body: { ...(body as object), userVerification: 'required' },
  cookies,
});

/** Sends account actions through the library. */
function createPerform(parts: {
  readonly options: AccountsOptions;
  readonly watch: Watch;
  readonly guarded: SessionStore | null;
  readonly library: () => Promise<Library>;
  readonly accept: (cookie: string) => string;
  /** Throws where there are no passkeys. */
  readonly needParty: () => void;
}): Accounts['perform'] {
  const { options, watch, guarded, library, accept, needParty } = parts;
  const { db, secret, logger, passwords } = options;
  const rehash = passwords === undefined ? null : createRehash({ db, passwords, logger });
  const sentBody = bodyFor(createBackupCodes(secret));
  return async (action, { invitationToken, ...body }, call) => {
    const { auth, path, ipHeader, invitationHeader, replyOf } = await library();
    // Fails before a user is created: without a session, a second attempt would find the address taken.
    if (action === 'sign-up/email') await guarded?.set('sign-up', '1', 1);
    const reads = action === 'get-session';
    if (action.startsWith('passkey/') && action !== 'passkey/delete-passkey' && action !== 'passkey/update-passkey')
      needParty();
    const isGet = reads || action.startsWith('passkey/generate-');
    const cookie = call.cookie === undefined ? undefined : accept(call.cookie);
    const headers = headersOf(call, cookie, ipHeader);
    // Secrets have no other characters, and some do not fit into a header.
    if (typeof invitationToken === 'string' && /^[\w-]+$/.test(invitationToken))
      headers.set(invitationHeader, invitationToken);
    const request = new Request(new URL(`${path}/${action}`, options.baseUrl()), {
      method: isGet ? 'GET' : 'POST',
      headers,
      body: isGet ? null : JSON.stringify(sentBody(action, body)),
    });
    const { result, failures, outdated } = await watch.run(!reads, () =>
      auth.handler(request).catch((error: unknown) => {
        watch.note(error);
        return new Response(null, { status: 500 });
      }),
    );
    const reply = await replyOf(result, failures);
    if (outdated !== null && action === 'sign-in/email')
      await rehash?.(String(body['email']), String(body['password']), outdated);
    return action === 'passkey/generate-authenticate-options' ? verifying(reply) : reply;
  };
}

export function createAccounts(options: AccountsOptions): AccountService {
  const { db, secret, store, logger, seededToken } = options;
  const watch = new Watch();
  const guarded = store === null ? null : guardStore(store, watch, logger);
  const rows = createSessionRows(db, guarded);
  const seeded = createSeededSession(db, guarded);
  const clearUnfinished = createUnfinished(db);
  const passkeys = createPasskeyStore(collectionsOf(db));
  const party = () => relyingPartyOf(options.baseUrl());
  const unavailable = () => passkeysUnavailable(options.baseUrl());
  const needParty = (): void => {
    if (party() === null) throw unavailable();
  };
  let loading: Promise<Library> | null = null;
  const library = (): Promise<Library> =>
    (loading ??= load({
      ...options,
      store: guarded,
      counter: store,
      watch,
      clearUnfinished,
      baseUrl: options.baseUrl(),
      passkeys: { store: passkeys, party: relyingPartyOf(options.baseUrl()) },
    }));
  const token = seededToken === null ? null : tokenOf(seededToken);
  const accept = seededCookie(seededToken, secret);

  const limit = options.rateLimits ? limitOf(store, '/reauthenticate') : null;
  const change: Change = async ({ sessionId, userId }, fields) => {
    const chosen = await rows.token(userId, sessionId);
    if (chosen === null) throw new AppError('auth.unauthorized', 'Your session has ended. Sign in again.');
    const { internalAdapter } = await (await library()).auth.$context;
    await watch.run(true, () => internalAdapter.updateSession(chosen, fields));
  };

  return {
    directory: createDirectory({ db, watch, library, clearUnfinished, rows }),
    async read(cookie) {
      const given = cookie === undefined ? null : signedToken(accept(cookie), secret);
      if (given === null) return null;
      const { auth, errorOf } = await library();
      const { internalAdapter } = await auth.$context;
      const { result, failures } = await watch.run(false, () =>
        stored(internalAdapter, given).catch((error: unknown) => ({ error })),
      );
      if (result !== null && 'error' in result) {
        const { error } = result;
        throw errorOf(error instanceof Error ? [...failures, error] : failures) ?? error;
      }
      return result === null ? null : live(result, seeded.is, passkeys);
    },
    passkeys: { party, unavailable, list: (userId) => passkeys.ofUser(userId) },
    perform: createPerform({ options, watch, guarded, library, accept, needParty }),
    list: (userId) => rows.list(userId),
    end: (userId, sessionId) => rows.end(userId, sessionId),
    endOthers: (userId, keptSessionId) => rows.endOthers(userId, keptSessionId),
    choose: (session, activeOrganizationId) => change(session, { activeOrganizationId }),
    reauthenticate: createProofs({ watch, limit, library, accept, change, needParty }),
    async signUp(person) {
      const { user } = await (await library()).auth.api.signUpEmail({ body: person });
      // Sign-up also opened a session, whose cookie nobody has.
      await rows.endOthers(user.id, '');
      return user.id;
    },
    async openSeeded(owner) {
      if (token === null) throw new Error('There is no seeded session. Set API_DEBUG=true.');
      await seeded.open(token, owner);
      return `${sessionCookie}=${signedCookie(token, secret)}`;
    },
    closeSeeded: () => seeded.close(),
  };
}

type Found = NonNullable<Awaited<ReturnType<BetterAuth['api']['getSession']>>>;
type InternalAdapter = Awaited<BetterAuth['$context']>['internalAdapter'];

/** Session of a token, as the library finds it; null: there is none, or it has expired. */
async function stored(internalAdapter: InternalAdapter, token: string): Promise<Found | null> {
  const found = await internalAdapter.findSession(token);
  if (found === null || found.session.expiresAt >= new Date()) return found as Found | null;
  await internalAdapter.deleteSession(token);
  return null;
}

async function live(
  { session, user }: Found,
  isSeeded: (sessionId: string) => boolean,
  passkeys: Pick<PasskeyStore, 'hasAny'>,
): Promise<LiveSession> {
  const { id, provedAt, passkeyAt, createdAt } = session;
  const usesCodes = user.twoFactorEnabled === true;
  return {
    sessionId: id,
    userId: user.id,
    email: user.email,
    name: user.name,
    activeOrganizationId: session.activeOrganizationId ?? null,
    expiresAt: session.expiresAt,
    signedInAt: isSeeded(id) ? new Date() : createdAt,
    usesCodes,
    hasSecondFactor: usesCodes || (Boolean(passkeyAt) && (await passkeys.hasAny(user.id))),
    provedAt: isSeeded(id) ? new Date() : provedAt ? new Date(provedAt) : createdAt,
  };
}
