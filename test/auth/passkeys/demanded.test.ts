import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { dashboardOrganization as contract } from '#src/contracts/dashboard/organization.ts';
import { hashSecret, newOAuthSecret } from '#src/domain/access/oauth/secrets.ts';
import { cookiesOf, createPasskeyClient, type PasskeyClient } from '#test/auth/passkeys/passkey-client.ts';
import type { Passkey } from '#test/auth/passkeys/authenticator.ts';
import { problemOf, replyOf } from '#test/spec/support/replies.ts';
import { oauthClient, oauthGrant, oauthToken } from '#test/support/oauth/records.ts';
import { startTestApp, type Person, type TestApp } from '#test/support/test-app.ts';
import { verifies } from '#test/support/verifies.ts';

let app: TestApp;
let client: PasskeyClient;
/** The owner who demands it, by a passkey of their own. */
let owner: Person & { readonly passkey: Passkey };
beforeAll(async () => {
  app = await startTestApp({ env: { SERVICES: 'api,mcp', HOST: 'localhost' } });
  client = createPasskeyClient(app);
  const person = await app.addPerson('owner');
  problemOf(await demand(person.cookie, true), 'auth.forbidden');
  owner = { ...person, passkey: (await client.register(person.cookie)).passkey };
  replyOf(contract.change, await demand(owner.cookie, true));
});
afterAll(() => app[Symbol.asyncDispose]());

const demand = (cookie: string, requiresSecondFactor: boolean) =>
  app.call('PATCH', '/api/dashboard/organization', { cookie, body: { requiresSecondFactor } });
const projects = (cookie: string) => app.call('GET', '/api/dashboard/projects', { cookie });
/** Status of a call of a program that acts for the person. */
async function programOf({ userId }: Person): Promise<() => Promise<number>> {
  const { oauth } = app.app.deps;
  const resource = new URL('/mcp', app.addresses.mcp).href;
  const program = oauthClient({ name: 'Desk Agent' });
  const whose = { organizationId: app.seed.organizationId, userId, projectIds: [app.seed.projectId] };
  const grant = oauthGrant(whose, program, { scopes: ['workflows:read'], resource });
  const secret = newOAuthSecret('access');
  await oauth.insertClient(program);
  await oauth.insertGrant(grant);
  await oauth.insertTokens([oauthToken(grant, 'access', { _id: hashSecret(secret) })]);
  return async () => {
    const headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/json' };
    return (await fetch(resource, { method: 'POST', headers, body: '{}' })).status;
  };
}

describe('An organization that demands a second factor', () => {
  verifies('auth.passkey.second_factor', async () => {
    const member = await app.addPerson('editor');
    const program = await programOf(member);
    problemOf(await projects(member.cookie), 'auth.second_factor_required');
    expect(await program()).toBe(403);
    const { passkey, answer } = await client.register(member.cookie);
    // The registration shows it.
    expect((await projects(member.cookie)).status).toBe(200);
    expect(await program()).not.toBe(403);
    const byPassword = await app.signIn(member);
    expect(problemOf(await projects(byPassword), 'auth.second_factor_required').detail).toContain('/two-factor');
    const bySignIn = cookiesOf(await client.signIn(passkey));
    expect((await projects(bySignIn)).status).toBe(200);
    // A password proves presence, and no second factor.
    const body = { password: member.password };
    await app.call('POST', '/api/auth/reauthenticate', { cookie: byPassword, body });
    problemOf(await projects(byPassword), 'auth.second_factor_required');
    expect((await client.prove(passkey, byPassword)).status).toBe(200);
    expect((await projects(byPassword)).status).toBe(200);
    // Without the last passkey, sessions and programs are refused, until there is another one.
    await client.call('passkey/delete-passkey', member.cookie, { id: answer.body.id });
    for (const cookie of [member.cookie, byPassword, bySignIn])
      problemOf(await projects(cookie), 'auth.second_factor_required');
    expect(await program()).toBe(403);
    await client.register(member.cookie);
    expect((await projects(member.cookie)).status).toBe(200);
  });

  test('can stop to demand it by an owner who signed in with a passkey', async () => {
    problemOf(await demand(await app.signIn(owner), false), 'auth.second_factor_required');
    const cookie = cookiesOf(await client.signIn(owner.passkey));
    replyOf(contract.change, await demand(cookie, false));
    replyOf(contract.change, await demand(cookie, true));
  });
});
