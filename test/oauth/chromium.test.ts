import { afterAll, expect } from 'vitest';
import { oauthClient } from '#test/support/oauth/records.ts';
import { browserTest, LazyBrowser } from '#test/support/servers/browser.ts';
import { startOutside } from '#test/support/servers/outside-server.ts';
import { startTestApp } from '#test/support/test-app.ts';
import { authorizePath } from './consent-form.ts';

/** The program that asks: another origin, as its port is another one. */
const program = await startOutside((_request, response) => {
  response.writeHead(200, { 'content-type': 'text/html' }).end('<title>Back in the program</title>');
});
const app = await startTestApp({ env: { SERVICES: 'api' } });
const browser = new LazyBrowser();
afterAll(async () => {
  await browser[Symbol.asyncDispose]();
  await app[Symbol.asyncDispose]();
  await program[Symbol.asyncDispose]();
});

browserTest('81: a real browser signs in, consents, and lands in the program with code, state and issuer', async () => {
  const client = oauthClient({ redirectUris: ['http://127.0.0.1/callback'] });
  await app.app.deps.oauth.insertClient(client);
  const page = await browser.newPage({ viewport: { width: 320, height: 600 } });
  const complaints: string[] = [];
  page.on('console', (message) => complaints.push(message.text()));
  const redirect = `${program.url}/callback`;
  await page.goto(new URL(authorizePath({ client_id: client._id, redirect_uri: redirect }), app.addresses.api).href);
  await page.getByLabel('E-mail address').fill(app.seed.operatorEmail);
  await page.getByLabel('Password').fill(app.seed.operatorPassword);
  await page.getByRole('button', { name: 'Sign in' }).click();
  expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('Connect a program');
  // Nothing is cut off or hangs over on a small screen.
  const [inner, outer] = await page.evaluate<[number, number]>(
    '[document.documentElement.scrollWidth, document.documentElement.clientWidth]',
  );
  expect(inner).toBe(outer);
  // Enter in the form, or a press beside the decision, gives nothing away.
  await page.getByRole('checkbox', { name: 'Demo project' }).press('Enter');
  await page.getByRole('button', { name: 'Editor' }).click();
  expect(await page.getByRole('checkbox', { name: /^Add, change and delete documents/ }).isChecked()).toBe(true);
  expect(await page.getByRole('checkbox', { name: /^Manage API keys/ }).isChecked()).toBe(false);
  expect(program.received).toEqual([]);
  await page.getByRole('button', { name: 'Allow access' }).click();
  await page.waitForURL(`${redirect}?*`);
  expect(await page.title()).toBe('Back in the program');
  const said = Object.fromEntries(new URL(page.url()).searchParams);
  expect(said).toEqual({
    code: expect.stringMatching(/^ink_ac_/),
    state: 'st&te=1 %',
    iss: app.addresses.api,
  });
  // The page does not send the address that the person came from.
  expect(program.received[0]?.headers.referer).toBeUndefined();
  expect(complaints.filter((text) => /Content Security Policy/i.test(text))).toEqual([]);
  const [grant] = await app.app.deps.oauth.listGrants(app.seed.organizationId);
  expect(grant).toMatchObject({ clientId: client._id, scopes: { length: 7 }, redirectHost: program.listed });
});
