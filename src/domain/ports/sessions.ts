import type { AssertionCredential } from '#src/contracts/passkeys.ts';
import type { RelyingParty } from '#src/domain/access/relying-party.ts';
import type { AppError } from '#src/domain/app-error.ts';

/** A valid session: its cookie is signed, it is stored, and it has not expired. */
export interface LiveSession {
  readonly sessionId: string;
  readonly userId: string;
  readonly email: string;
  readonly name: string;
  /** Chosen by the user. The membership is not checked here. */
  readonly activeOrganizationId: string | null;
  readonly expiresAt: Date;
  /** Time of the sign-in. */
  readonly signedInAt: Date;
  /** Time of the last proof, in this session, that the person is present: the sign-in, or a repetition of it. */
  readonly provedAt: Date;
  /** True if a password of this person is not enough to sign in: a code has to follow. */
  readonly usesCodes: boolean;
  /**
   * True if two factors protect this session: the person uses codes, or showed a passkey in it and still has one. A passkey verifies the
   * person, so that it is two factors by itself. Source: docs/decisions/0102.
   */
  readonly hasSecondFactor: boolean;
}

/** Proof that a person is present: their password, a code of their second factor, or what a passkey answered. */
export type Proof =
  | { readonly password: string }
  | { readonly code: string }
  | { readonly passkey: AssertionCredential };

/**
 * Sessions of users, issued by the authentication library. Every call reads them without a cookie cache, so that ending one works at once.
 * Errors: `service.unavailable` when the database is down. Source: `auth.session.cookie`, docs/decisions/0034.
 */
export interface Sessions {
  /** Session in the header `Cookie`. null when it is missing, forged, ended or expired. */
  read(cookie: string | undefined): Promise<LiveSession | null>;
}

/** Actions on second factors of the authentication library. */
export type SecondFactorAction = `two-factor/${
  | 'enable'
  | 'disable'
  | 'verify-totp'
  | 'verify-backup-code'
  | 'generate-backup-codes'}`;

/** Actions on passkeys of the authentication library. */
export type PasskeyAction = `passkey/${
  | 'generate-register-options'
  | 'verify-registration'
  | 'generate-authenticate-options'
  | 'verify-authentication'
  | 'update-passkey'
  | 'delete-passkey'}`;

/** A passkey, in the form that its person sees. */
export interface PasskeyInfo {
  readonly id: string;
  readonly name: string;
  readonly createdAt: Date;
  /** Time of the last sign-in or proof of presence with it; null: none yet. */
  readonly lastUsedAt: Date | null;
  /** True for a passkey that its password manager copies to other devices. */
  readonly isSynced: boolean;
}

/** Passkeys of people. Source: docs/decisions/0102. */
export interface Passkeys {
  /** Name and address that passkeys are bound to; null: the address of the service has none. */
  party(): RelyingParty | null;
  /** The reason why there are none. */
  unavailable(): AppError;
  /** Lists the passkeys of a person, oldest first. */
  list(userId: string): Promise<readonly PasskeyInfo[]>;
}

/** Account actions of the authentication library. */
export type AccountAction =
  | 'sign-up/email'
  | 'sign-in/email'
  | 'sign-out'
  | 'get-session'
  | 'change-password'
  | SecondFactorAction
  | PasskeyAction;

/** Shape of the endpoint's contract. */
export type AccountBody = Readonly<Record<string, unknown>>;

/** Origin of an action. `ip` comes from the HTTP server, never from the caller. */
export interface AccountCall {
  readonly cookie: string | undefined;
  readonly ip: string | undefined;
  /** Group of addresses that one caller has, such as an IPv6 network of 64 bits; absent: `ip`. */
  readonly network?: string;
  readonly userAgent: string | undefined;
  /** Aborts when the caller leaves. */
  readonly signal?: AbortSignal;
}

export interface AccountReply {
  /** JSON of the library: `{ user }`, `{ session, user }` or null. May contain session tokens. */
  readonly body: unknown;
  /** Values of `Set-Cookie`. */
  readonly cookies: readonly string[];
}

/** A session, in the form that its owner sees. */
export interface SessionInfo {
  readonly id: string;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  readonly ipAddress: string;
  readonly userAgent: string;
}

/**
 * Accounts and their sessions. When the session store is down, reads use the database. Changes of a session fail with
 * `service.unavailable` then, and leave reported state unchanged.
 */
export interface Accounts extends Sessions {
  readonly passkeys: Passkeys;
  /**
   * `invitationId` is required for a sign-up when accounts need an invitation. A sign-up that failed before it set a password loses its
   * user after a minute, so that the address can sign up again. Errors: `auth.unauthorized`, the same for an unknown address and a wrong
   * password; `auth.email_taken`; `auth.forbidden` for an address that may not sign up; `request.invalid`; `request.rate_limited`;
   * `service.unavailable`, also when too many passwords wait to be hashed.
   */
  perform(action: AccountAction, body: AccountBody, call: AccountCall): Promise<AccountReply>;
  /** Lists sessions that have not expired, newest first. */
  list(userId: string): Promise<readonly SessionInfo[]>;
  /** Ends one session of the user. False when there is none with this id. */
  end(userId: string, sessionId: string): Promise<boolean>;
  /** Ends every other session of the user. Returns their number. */
  endOthers(userId: string, keptSessionId: string): Promise<number>;
  /**
   * Proves that the person of the session is present, and stores the time in the session. Returns it. Errors: `request.invalid` for a wrong
   * password, code or passkey, `request.rate_limited`, `auth.unauthorized`, `passkey.unavailable`, `service.unavailable`.
   */
  reauthenticate(session: LiveSession, proof: Proof, call: AccountCall): Promise<Date>;
  /** Sets the session's active organization. Callers check the membership. */
  choose(session: LiveSession, organizationId: string): Promise<void>;
}

/**
 * Cache of sessions in front of the database. Use Redis for more than one process. Held by test/conformance/session-store.ts. Source:
 * `auth.session.secondary_store`.
 */
export interface SessionStore {
  get(key: string): Promise<string | null>;
  /** Keeps the value until it is deleted if `ttlSeconds` is absent. */
  set(key: string, value: string, ttlSeconds?: number): Promise<void>;
  delete(key: string): Promise<void>;
  getAndDelete(key: string): Promise<string | null>;
  /** Adds one and returns the sum. Begins a window of `ttlSeconds` if there is none. */
  increment(key: string, ttlSeconds: number): Promise<number>;
}
