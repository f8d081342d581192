import type { Collection } from 'mongodb';
import type { Collections } from '#src/stores/collections.ts';
import { processSafe } from '#src/stores/connect.ts';
import type { Consumed, OAuthStore } from '#src/domain/ports/oauth.ts';

type OAuthCollections = Pick<
  Collections,
  'oauthClients' | 'oauthConsents' | 'oauthGrants' | 'oauthCodes' | 'oauthTokens'
>;

/** Of codes and refresh tokens, which are used once. */
interface SingleUse {
  readonly _id: string;
  readonly expiresAt: Date;
  readonly consumedAt: Date | null;
}

/** One conditional update: the database lets one caller through, whichever process the others are in. */
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

type ClientMethods = 'insertClient' | 'saveClient' | 'findClient' | 'touchClient' | 'listClients' | 'removeClient';

function clientsIn({ oauthClients }: OAuthCollections): Pick<OAuthStore, ClientMethods> {
  return {
    async insertClient(client) {
      await oauthClients.insertOne(client);
    },
    async saveClient({ _id, ...client }) {
      await oauthClients.replaceOne({ _id }, client, { upsert: true });
    },
    findClient: (clientId) => oauthClients.findOne({ _id: clientId }),
    async touchClient(clientId, at, expiresAt) {
      await oauthClients.updateOne({ _id: clientId }, { $set: { lastUsedAt: at, expiresAt } }, processSafe);
    },
    listClients: (organizationId) =>
      oauthClients.find({ organizationId }).sort({ createdAt: -1 }).limit(1_000).toArray(),
    async removeClient(organizationId, clientId) {
      const { deletedCount } = await oauthClients.deleteOne({ _id: clientId, organizationId });
      return deletedCount === 1;
    },
  };
}

type GrantMethods = 'insertGrant' | 'findGrant' | 'listGrants' | 'revokeGrant' | 'touchGrant';

function grantsIn({ oauthGrants }: OAuthCollections): Pick<OAuthStore, GrantMethods> {
  return {
    async insertGrant(grant) {
      await oauthGrants.insertOne(grant);
    },
    findGrant: (grantId) => oauthGrants.findOne({ _id: grantId }),
    listGrants: (organizationId, userId) =>
      oauthGrants
        .find({ organizationId, ...(userId !== undefined && { userId }), revokedAt: null })
        .sort({ createdAt: -1 })
        .limit(1_000)
        .toArray(),
    async revokeGrant(organizationId, grantId, at) {
      const which = { _id: grantId, organizationId, revokedAt: null };
      const { matchedCount } = await oauthGrants.updateOne(which, { $set: { revokedAt: at } });
      return matchedCount === 1;
    },
    async touchGrant(organizationId, grantId, at) {
      await oauthGrants.updateOne({ _id: grantId, organizationId }, { $set: { lastUsedAt: at } }, processSafe);
    },
  };
}

export function createOAuthStore(collections: OAuthCollections): OAuthStore {
  const { oauthConsents, oauthCodes, oauthTokens } = collections;
  return {
    ...clientsIn(collections),
    ...grantsIn(collections),

    async insertConsent(request) {
      await oauthConsents.insertOne(request);
    },
    takeConsent: (hash, sessionId, now) =>
      oauthConsents.findOneAndDelete({ _id: hash, sessionId, expiresAt: { $gt: now } }),

    async insertCode(code) {
      await oauthCodes.insertOne(code);
    },
    findCode: (hash) => oauthCodes.findOne({ _id: hash }),
    consumeCode: (hash, now) => consume(oauthCodes as unknown as Collection<SingleUse>, { _id: hash }, now),

    async insertTokens(tokens) {
      await oauthTokens.insertMany([...tokens]);
    },
    findToken: (hash) => oauthTokens.findOne({ _id: hash }),
    consumeRefreshToken: (hash, now) =>
      consume(oauthTokens as unknown as Collection<SingleUse>, { _id: hash, kind: 'refresh' }, now),
    async removeToken(hash) {
      await oauthTokens.deleteOne({ _id: hash });
    },
    async revokeFamily(family) {
      await oauthTokens.deleteMany({ family });
    },
  };
}
