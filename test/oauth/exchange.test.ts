import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Exchange } from '#tools/oauth/exchange.ts';
import { hashSecret, newOAuthSecret } from '#src/domain/access/oauth/secrets.ts';
import { callback, startOAuthServer, type OAuthServer } from '#test/oauth/server.ts';
import { oauthToken } from '#test/support/oauth/records.ts';

let server: OAuthServer;
beforeAll(async () => {
  server = await startOAuthServer();
});
afterAll(() => server.close());

/** Two requests with the same code and the same refresh token; the times are when they arrived. */
async function made() {
  const { client, grant, code } = await server.consented();
  const refresh = newOAuthSecret('refresh');
  await server.store.insertTokens([oauthToken(grant, 'refresh', { _id: hashSecret(refresh) })]);
  const parameters = new Map([['redirect_uri', callback]]);
  const at = (now: Date) => new Exchange(server, { client, parameters, ip: null, now });
  const isLive = async () => (await server.store.findGrant(grant._id))?.revokedAt === null;
  return { at, code, refresh, isLive };
}

/** A moment before anything is used, and one after. */
const early = () => new Date(Date.now() - 1_000);
const late = () => new Date(Date.now() + 1_000);
const refused = { code: 'invalid_grant' };

describe('What is used twice', () => {
  test('by requests that are under way together ends for one of them, at whatever step they meet', async () => {
    const { at, code, refresh, isLive } = await made();
    const [first, second, third] = [at(early()), at(early()), at(early())];
    for (const one of [first, second]) {
      await one.ofCode(code);
      await one.ofRefreshToken(refresh);
    }
    await first.useCode(code);
    await first.useRefreshToken(refresh);
    await expect(second.useCode(code)).rejects.toMatchObject(refused);
    await expect(second.useRefreshToken(refresh)).rejects.toMatchObject(refused);
    await expect(third.ofCode(code)).rejects.toMatchObject(refused);
    await expect(third.ofRefreshToken(refresh)).rejects.toMatchObject(refused);
    expect(await isLive()).toBe(true);
  });

  test.each(['ofCode', 'useCode'] as const)('by a request that came after ends the grant: code, %s', async (step) => {
    const { at, code, refresh, isLive } = await made();
    await at(early()).useCode(code);
    await expect(at(late())[step](code)).rejects.toMatchObject(refused);
    expect(await isLive()).toBe(false);
    await expect(at(late()).ofRefreshToken(refresh)).rejects.toMatchObject(refused);
  });

  test.each(['ofRefreshToken', 'useRefreshToken'] as const)(
    'by a request that came after ends the grant: refresh token, %s',
    async (step) => {
      const { at, code, refresh, isLive } = await made();
      await at(early()).useRefreshToken(refresh);
      await expect(at(late())[step](refresh)).rejects.toMatchObject(refused);
      expect(await isLive()).toBe(false);
      await expect(at(late()).ofCode(code)).rejects.toMatchObject(refused);
    },
  );
});
