import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createOAuthStore, type OAuthStore } from '#src/stores/oauth.ts';
import { newId } from '#src/domain/ids.ts';
import { testDatabase, type TestDatabase } from '#test/support/database.ts';
import { consentRequest, oauthClient, oauthGrant, oauthOf, oauthToken } from '#test/support/oauth/records.ts';

const now = new Date();
const past = new Date(now.getTime() - 1);
const later = new Date(now.getTime() + 600_000);
const whose = () => ({ organizationId: newId('organization'), userId: newId('user'), projectIds: [newId('project')] });

describe('The OAuth store', () => {
  let database: TestDatabase;
  let store: OAuthStore;
  /** Another process on the same data. */
  let elsewhere: OAuthStore;
  beforeAll(async () => {
    database = await testDatabase();
    store = createOAuthStore(database.collections);
    elsewhere = createOAuthStore(database.connect().collections);
  });
  afterAll(() => database.close());

  const either = (at: number): OAuthStore => (at % 2 === 0 ? store : elsewhere);

  test('of twenty that use a code at once in two processes one finds it fresh', async () => {
    const { code } = oauthOf(whose());
    await store.insertCode(code);
    const all = await Promise.all(Array.from({ length: 20 }, (_, at) => either(at).consumeCode(code._id, now)));
    expect(all.filter((one) => one?.outcome === 'fresh')).toHaveLength(1);
    expect(all.filter((one) => one?.outcome === 'replayed')).toHaveLength(19);
    expect(all[0]?.record).toEqual({ ...code, consumedAt: now });
    expect(await store.findCode(code._id)).toEqual({ ...code, consumedAt: now });
  });

  test('of twenty that use a refresh token at once in two processes one finds it fresh', async () => {
    const [access, refresh] = oauthOf(whose()).tokens;
    await store.insertTokens([access, refresh]);
    const all = await Promise.all(
      Array.from({ length: 20 }, (_, at) => either(at).consumeRefreshToken(refresh._id, now)),
    );
    expect(all.filter((one) => one?.outcome === 'fresh')).toHaveLength(1);
    expect(all.filter((one) => one?.outcome === 'replayed')).toHaveLength(19);
    // An access token is no refresh token, whoever says so.
    expect(await store.consumeRefreshToken(access._id, now)).toBeNull();
  });

  test('of twenty that decide on a request at once in two processes one gets it', async () => {
    const request = consentRequest(oauthClient());
    await store.insertConsent(request);
    expect(await store.takeConsent(request._id, 'ses_other', now)).toBeNull();
    const all = await Promise.all(
      Array.from({ length: 20 }, (_, at) => either(at).takeConsent(request._id, request.sessionId, now)),
    );
    expect(all.filter((one) => one !== null)).toEqual([request]);
  });

  test('what has expired is not used, though it is still kept', async () => {
    const { code, consent, tokens } = oauthOf(whose());
    await store.insertCode({ ...code, expiresAt: past });
    await store.insertConsent({ ...consent, expiresAt: past });
    await store.insertTokens([{ ...tokens[1], expiresAt: past }]);
    expect(await store.consumeCode(code._id, now)).toBeNull();
    expect(await store.takeConsent(consent._id, consent.sessionId, now)).toBeNull();
    expect(await store.consumeRefreshToken(tokens[1]._id, now)).toBeNull();
    expect(await store.consumeCode('unknown', now)).toBeNull();
  });

  test('a revoked family loses its tokens, and others keep theirs', async () => {
    const grant = oauthGrant(whose(), oauthClient());
    const [mine, other] = [oauthToken(grant, 'access', { family: 'one' }), oauthToken(grant, 'access')];
    await store.insertTokens([mine, oauthToken(grant, 'refresh', { family: 'one' }), other]);
    await elsewhere.revokeFamily('one');
    expect(await store.findToken(mine._id)).toBeNull();
    expect(await database.collections.oauthTokens.countDocuments({ family: 'one' })).toBe(0);
    expect(await store.findToken(other._id)).toEqual(other);
    await store.removeToken(other._id);
    expect(await store.findToken(other._id)).toBeNull();
  });

  test('grants are listed by organization and person, newest first, until they are revoked', async () => {
    const who = whose();
    const other = { ...who, userId: newId('user') };
    const client = oauthClient();
    const [first, second, theirs] = [
      oauthGrant(who, client, { createdAt: past }),
      oauthGrant(who, client, { createdAt: now }),
      oauthGrant(other, client, { createdAt: later }),
    ] as const;
    for (const grant of [first, second, theirs]) await store.insertGrant(grant);
    const { organizationId, userId } = who;
    expect(await store.listGrants(organizationId)).toEqual([theirs, second, first]);
    expect(await store.listGrants(organizationId, userId)).toEqual([second, first]);
    expect(await store.revokeGrant(organizationId, first._id, now)).toBe(true);
    expect(await store.revokeGrant(organizationId, first._id, now)).toBe(false);
    await store.touchGrant(organizationId, second._id, now);
    expect(await store.listGrants(organizationId, userId)).toEqual([{ ...second, lastUsedAt: now }]);
    expect(await store.findGrant(first._id)).toEqual({ ...first, revokedAt: now });
  });

  test('a metadata document is kept in its latest form, and an organization lists its own clients only', async () => {
    const { organizationId } = whose();
    const document = oauthClient({ _id: 'https://app.example/client.json', origin: 'document' });
    await store.saveClient(document);
    await store.saveClient({ ...document, name: 'Renamed' });
    expect(await store.findClient(document._id)).toEqual({ ...document, name: 'Renamed' });
    const own = oauthClient({ organizationId });
    await store.insertClient(own);
    await store.touchClient(own._id, now, later);
    expect(await store.listClients(organizationId)).toEqual([{ ...own, lastUsedAt: now, expiresAt: later }]);
    expect(await store.removeClient(newId('organization'), own._id)).toBe(false);
    expect(await store.removeClient(organizationId, own._id)).toBe(true);
    expect(await store.findClient(own._id)).toBeNull();
  });

  test('codes, requests, tokens, clients and grants are forgotten by the database in time', async () => {
    const { oauthClients, oauthCodes, oauthConsents, oauthGrants, oauthTokens } = database.collections;
    const forgets = await Promise.all(
      [oauthClients, oauthCodes, oauthConsents, oauthGrants, oauthTokens].map(async (rows) => {
        const indexes: { key: object; expireAfterSeconds?: number }[] = await rows.indexes();
        return indexes.filter((one) => one.expireAfterSeconds !== undefined).map(({ key }) => Object.keys(key).join());
      }),
    );
    expect(forgets).toEqual([['expiresAt'], ['expiresAt'], ['expiresAt'], ['revokedAt', 'expiresAt'], ['expiresAt']]);
  });
});
