import type { Collection } from 'mongodb';
import type { Collections } from '#src/stores/collections.ts';
import { processSafe } from '#src/stores/connect.ts';
import type {
  OAuthClient,
  OAuthGrant,
  ConsentRequest,
  AuthorizationCode,
  OAuthToken,
} from '#src/domain/access/oauth/records.ts';

/** `fresh` for exactly one of any number of concurrent callers. */
export type Consumed<T> = { readonly outcome: 'fresh' | 'replayed'; readonly record: T } | null;

type OAuthCollections = Pick<
  Collections,
  'oauthClients' | 'oauthConsents' | 'oauthGrants' | 'oauthCodes' | 'oauthTokens'
>;

/** Common fields of codes and refresh tokens, which are used once. */
interface SingleUse {
  readonly _id: string;
  readonly expiresAt: Date;
  readonly consumedAt: Date | null;
}

/** Uses one conditional update, so that one caller in any process succeeds. */
async function consume<Row extends SingleUse>(
  rows: Collection<SingleUse>,
  which: { readonly _id: string; readonly kind?: 'refresh' },
  now: Date,
): Promise<Consumed<Row>> {
  const fresh = { ...which, consumedAt: null, expiresAt: { $gt: now } };
  const taken = await rows.findOneAndUpdate(fresh, { $set: { consumedAt: now } }, { returnDocument: 'after' });
  if (taken !== null) return { outcome: 'fresh', record: taken as unknown as Row };
  const found = await rows.findOne(which);
  return found === null || found.consumedAt === null ? null : { outcome: 'replayed', record: found as unknown as Row };
}

function clientsIn({ oauthClients }: OAuthCollections) {
  return {
    async insertClient(client: OAuthClient): Promise<void> {
      await oauthClients.insertOne(client);
    },
    /** Stores the latest copy of a client's metadata document. */
    async saveClient({ _id, ...client }: OAuthClient): Promise<void> {
      await oauthClients.replaceOne({ _id }, client, { upsert: true });
    },
    findClient: (clientId: string): Promise<OAuthClient | null> => oauthClients.findOne({ _id: clientId }),
    async touchClient(clientId: string, at: Date, expiresAt: Date | null): Promise<void> {
      await oauthClients.updateOne({ _id: clientId }, { $set: { lastUsedAt: at, expiresAt } }, processSafe);
    },
    /** Lists the clients of an organization, newest first. */
    listClients: (organizationId: string): Promise<readonly OAuthClient[]> =>
      oauthClients.find({ organizationId }).sort({ createdAt: -1 }).limit(1_000).toArray(),
    async removeClient(organizationId: string, clientId: string): Promise<boolean> {
      const { deletedCount } = await oauthClients.deleteOne({ _id: clientId, organizationId });
      return deletedCount === 1;
    },
  };
}

function grantsIn({ oauthGrants }: OAuthCollections) {
  return {
    async insertGrant(grant: OAuthGrant): Promise<void> {
      await oauthGrants.insertOne(grant);
    },
    /** Finds a grant by the id in a token. The only read of grants without a tenant. */
    findGrant: (grantId: string): Promise<OAuthGrant | null> => oauthGrants.findOne({ _id: grantId }),
    /** Lists grants that are not revoked, newest first, at most 1,000. Filters by user if one is given. */
    listGrants: (organizationId: string, userId?: string): Promise<readonly OAuthGrant[]> =>
      oauthGrants
        .find({ organizationId, ...(userId !== undefined && { userId }), revokedAt: null })
        .sort({ createdAt: -1 })
        .limit(1_000)
        .toArray(),
    /** False when there is no such live grant. Its tokens end at once, because every call reads the grant. */
    async revokeGrant(organizationId: string, grantId: string, at: Date): Promise<boolean> {
      const which = { _id: grantId, organizationId, revokedAt: null };
      const { matchedCount } = await oauthGrants.updateOne(which, { $set: { revokedAt: at } });
      return matchedCount === 1;
    },
    /** Replaces the scopes of a live grant. Its tokens follow at once, because every call reads the grant. null: there is none. */
    changeScopes(
      organizationId: string,
      grantId: string,
      changed: Required<Pick<OAuthGrant, 'scopes' | 'added'>>,
    ): Promise<OAuthGrant | null> {
      const which = { _id: grantId, organizationId, revokedAt: null };
      return oauthGrants.findOneAndUpdate(which, { $set: changed }, { returnDocument: 'after' });
    },
    async touchGrant(organizationId: string, grantId: string, at: Date): Promise<void> {
      await oauthGrants.updateOne({ _id: grantId, organizationId }, { $set: { lastUsedAt: at } }, processSafe);
    },
  };
}

export function createOAuthStore(collections: OAuthCollections) {
  const { oauthConsents, oauthCodes, oauthTokens } = collections;
  return {
    ...clientsIn(collections),
    ...grantsIn(collections),

    async insertConsent(request: ConsentRequest): Promise<void> {
      await oauthConsents.insertOne(request);
    },
    /** Deletes and returns the request. null when it is unknown, was used, has expired, or belongs to another session. */
    takeConsent: (hash: string, sessionId: string, now: Date): Promise<ConsentRequest | null> =>
      oauthConsents.findOneAndDelete({ _id: hash, sessionId, expiresAt: { $gt: now } }),

    async insertCode(code: AuthorizationCode): Promise<void> {
      await oauthCodes.insertOne(code);
    },
    /** Finds used and expired codes too. */
    findCode: (hash: string): Promise<AuthorizationCode | null> => oauthCodes.findOne({ _id: hash }),
    /** null: unknown, or expired before use. */
    consumeCode: (hash: string, now: Date): Promise<Consumed<AuthorizationCode>> =>
      consume(oauthCodes as unknown as Collection<SingleUse>, { _id: hash }, now),

    async insertTokens(tokens: readonly OAuthToken[]): Promise<void> {
      await oauthTokens.insertMany([...tokens]);
    },
    /** Finds access and refresh tokens, used and expired ones too. */
    findToken: (hash: string): Promise<OAuthToken | null> => oauthTokens.findOne({ _id: hash }),
    /** null: unknown, no refresh token, or expired before use. */
    consumeRefreshToken: (hash: string, now: Date): Promise<Consumed<OAuthToken>> =>
      consume(oauthTokens as unknown as Collection<SingleUse>, { _id: hash, kind: 'refresh' }, now),
    async removeToken(hash: string): Promise<void> {
      await oauthTokens.deleteOne({ _id: hash });
    },
    /** Deletes every token that one code led to. Revoke the grant too: it ends tokens that are being issued. */
    async revokeFamily(family: string): Promise<void> {
      await oauthTokens.deleteMany({ family });
    },
  };
}

/** Store of the authorization server. Reads by hash are the only ones without a tenant: they find the tenant. */
export type OAuthStore = ReturnType<typeof createOAuthStore>;
