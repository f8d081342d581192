import { betterAuth } from 'better-auth';
import { mongodbAdapter } from 'better-auth/adapters/mongodb';
import { organization } from 'better-auth/plugins';
import { createAccessControl } from 'better-auth/plugins/access';
import { defaultStatements } from 'better-auth/plugins/organization/access';
import type { Db } from 'mongodb';
import { newId, type IdKind } from '#src/domain/ids.ts';
import type { MemberStore, SessionStore } from '#src/domain/ports/sessions.ts';

export interface AuthOptions {
  readonly db: Db;
  /** null: the database alone. */
  readonly store: SessionStore | null;
  readonly members: Pick<MemberStore, 'organizationsOf'>;
  /** Signs cookies. */
  readonly secret: string;
  /** Public address of the API. */
  readonly baseUrl: string;
  /** Origins, beside the base URL's, that pages of ours may have. */
  readonly origins: readonly string[];
}

export const authPath = '/api/auth';
export const sessionCookie = 'app.session_token';
/** What the facade says of the caller's address; never what the caller says. */
export const clientIpHeader = 'x-app-client-ip';

const kinds: Readonly<Record<string, IdKind>> = {
  user: 'user',
  users: 'user',
  session: 'session',
  sessions: 'session',
  account: 'account',
  accounts: 'account',
  verification: 'verification',
  verifications: 'verification',
  organization: 'organization',
  organizations: 'organization',
  member: 'member',
  members: 'member',
  invitation: 'invitation',
  invitations: 'invitation',
};

const access = createAccessControl(defaultStatements);
/** Members, invitations and roles are changed by our own tools: the library's roles only know who may read. */
const nothing = access.newRole({});

/**
 * The authentication library as identity.md wants it: cookie `app.session_token`, string ids, our collections, no cookie cache, the
 * caller's address from the facade only.
 */
export function createBetterAuth({ db, store, members, secret, baseUrl, origins }: AuthOptions) {
  return betterAuth({
    appName: 'Inkgraph',
    baseURL: baseUrl,
    basePath: authPath,
    secret,
    trustedOrigins: [...origins],
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
    },
    databaseHooks: {
      session: {
        create: {
          async before(session) {
            const [first] = await members.organizationsOf(session.userId);
            return { data: { ...session, activeOrganizationId: first?.organizationId ?? null } };
          },
        },
      },
    },
    emailAndPassword: { enabled: true, minPasswordLength: 10, maxPasswordLength: 128 },
    advanced: {
      cookiePrefix: 'app',
      // Otherwise the name gains `__Secure-` on https, and breaks the specification.
      useSecureCookies: false,
      defaultCookieAttributes: { secure: baseUrl.startsWith('https:'), httpOnly: true, sameSite: 'lax' },
      database: { generateId: ({ model }) => newId(kinds[model] ?? 'verification') },
      ipAddress: { ipAddressHeaders: [clientIpHeader] },
    },
    telemetry: { enabled: false },
    logger: { disabled: true },
    plugins: [
      organization({
        ac: access,
        roles: { viewer: nothing, editor: nothing, admin: nothing, owner: nothing },
        creatorRole: 'owner',
        schema: {
          organization: { modelName: 'organizations' },
          member: { modelName: 'members' },
          invitation: { modelName: 'invitations' },
        },
      }),
    ],
  });
}
export type BetterAuth = ReturnType<typeof createBetterAuth>;
