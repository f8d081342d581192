import { type TOTP, URI } from 'otpauth';
import { hashSecret, newOAuthSecret } from '#src/domain/access/oauth/secrets.ts';
import { createBrowser, type Browser } from '#test/support/dashboard/browser.ts';
import { oauthClient, oauthGrant, oauthToken } from '#test/support/oauth/records.ts';
import type { Person, TestApp } from '#test/support/test-app.ts';

/** Turns the second factor of a person on. Returns the cookie of their session. */
export async function withFactor(app: TestApp, { cookie, password }: Person): Promise<string> {
  const auth = (path: string, given: unknown) =>
    app.call('POST', `/api/auth/two-factor/${path}`, { cookie, body: given });
  const { body } = await auth('enable', { password });
  const confirmed = await auth('confirm', { code: (URI.parse(body.totpUri) as TOTP).generate() });
  return confirmed.headers
    .getSetCookie()
    .filter((line: string) => !/max-age=0/i.test(line))
    .map((line: string) => line.slice(0, line.indexOf(';')))
    .join('; ');
}

/** A browser that has the session of the cookie. */
export function browserWith(app: TestApp, cookie: string): Browser {
  const browser = createBrowser(app);
  for (const pair of cookie.split('; ')) {
    const [, name = '', value = ''] = /^([^=]+)=(.*)$/.exec(pair) ?? [];
    browser.cookies.set(name, value);
  }
  return browser;
}

/** Access token of a program that the person connected. */
export async function tokenOf(app: TestApp, { userId }: Person, resource: string): Promise<string> {
  const { oauth } = app.app.deps;
  const client = oauthClient({ name: 'Desk Agent' });
  const whose = { organizationId: app.seed.organizationId, userId, projectIds: [app.seed.projectId] };
  const grant = oauthGrant(whose, client, { scopes: ['workflows:read'], resource });
  const secret = newOAuthSecret('access');
  await oauth.insertClient(client);
  await oauth.insertGrant(grant);
  await oauth.insertTokens([oauthToken(grant, 'access', { _id: hashSecret(secret) })]);
  return secret;
}
