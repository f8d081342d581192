/** A session that stands: its cookie is signed, it is stored, and its time is not over. */
export interface LiveSession {
  readonly sessionId: string;
  readonly userId: string;
  readonly email: string;
  readonly name: string;
  /** As chosen by the user; the membership is not checked here. */
  readonly activeOrganizationId: string | null;
  readonly expiresAt: Date;
}

/**
 * Sessions of people, issued by the authentication library. Looked up on every call with no cookie cache, so that ending one works at
 * once. Errors: `service.unavailable` when the database is down. Source: `auth.session.cookie`, docs/decisions/0034.
 */
export interface Sessions {
  /** The session that the header `Cookie` carries; null for none, a forged, an ended or an expired one. */
  read(cookie: string | undefined): Promise<LiveSession | null>;
}

/** What somebody does with an account, at the authentication library. */
export type AccountAction = 'sign-up/email' | 'sign-in/email' | 'sign-out' | 'get-session' | 'change-password';

/** As the contracts of the action's address have it. */
export type AccountBody = Readonly<Record<string, unknown>>;

/** Where an action comes from. `ip` is the facade's word, never the caller's. */
export interface AccountCall {
  readonly cookie: string | undefined;
  readonly ip: string | undefined;
  readonly userAgent: string | undefined;
}

export interface AccountReply {
  /** JSON of the library: `{ user }`, `{ session, user }` or null. It may carry session tokens. */
  readonly body: unknown;
  /** Lines of `Set-Cookie`. */
  readonly cookies: readonly string[];
}

/** A session as its owner sees it. */
export interface SessionInfo {
  readonly id: string;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  readonly ipAddress: string;
  readonly userAgent: string;
}

/**
 * Accounts and their sessions. Reads go on from the database when the session store is down; what would change a session there is
 * `service.unavailable` then, and has changed nothing that the caller was told of.
 */
export interface Accounts extends Sessions {
  /**
   * `invitationId` is what a sign-up goes by where accounts are by invitation. A user that an earlier sign-up left without a password
   * makes room for the next sign-up after a minute. Errors: `auth.unauthorized`, one for an unknown address and a wrong password;
   * `auth.email_taken`; `auth.forbidden` for an address that may not sign up; `request.invalid`; `request.rate_limited`;
   * `service.unavailable`.
   */
  perform(action: AccountAction, body: AccountBody, call: AccountCall): Promise<AccountReply>;
  /** Newest first, those whose time is not over. */
  list(userId: string): Promise<readonly SessionInfo[]>;
  /** Ends one session of the user; false when there is none with this id. */
  end(userId: string, sessionId: string): Promise<boolean>;
  /** Ends every other session of the user; answers how many. */
  endOthers(userId: string, keptSessionId: string): Promise<number>;
  /** The session's active organization from now on. Who may choose it is the caller's affair. */
  choose(session: LiveSession, organizationId: string): Promise<void>;
}

/**
 * Where sessions are looked up first, in front of the database; Redis beyond one process. Held by
 * test/conformance/session-store.ts. Source: `auth.session.secondary_store`.
 */
export interface SessionStore {
  get(key: string): Promise<string | null>;
  /** `ttlSeconds` absent: until it is deleted. */
  set(key: string, value: string, ttlSeconds?: number): Promise<void>;
  delete(key: string): Promise<void>;
  getAndDelete(key: string): Promise<string | null>;
  /** Adds one and answers the sum; begins a window of `ttlSeconds` where there is none. */
  increment(key: string, ttlSeconds: number): Promise<number>;
}
