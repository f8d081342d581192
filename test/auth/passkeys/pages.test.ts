import { generateKeyPairSync } from 'node:crypto';
import type { CDPSession, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { noPasskeysBecause, relyingPartyOf } from '#src/domain/access/relying-party.ts';
import type { Passkey } from '#test/auth/passkeys/authenticator.ts';
import { problemOf } from '#test/spec/support/replies.ts';
import { createPasskeyClient, type PasskeyClient } from '#test/auth/passkeys/passkey-client.ts';
import { createBrowser } from '#test/support/dashboard/browser.ts';
import { browserTest, LazyBrowser } from '#test/support/servers/browser.ts';
import { startTestApp, type Person, type TestApp } from '#test/support/test-app.ts';

let app: TestApp;
let client: PasskeyClient;
const chromium = new LazyBrowser();
beforeAll(async () => {
  app = await startTestApp({ env: { SERVICES: 'api', HOST: 'localhost' } });
  client = createPasskeyClient(app);
});
afterAll(async () => {
  await chromium[Symbol.asyncDispose]();
  await app[Symbol.asyncDispose]();
});

const nobody = (): Passkey => {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return { id: Buffer.from('nobody'), privateKey, userHandle: 'AAAA', counter: 0 };
};
async function signedIn(person: Person) {
  const browser = createBrowser(app);
  await browser.open('/sign-in');
  await browser.send('/sign-in', { email: person.email, password: person.password });
  return browser;
}

describe('The page of passkeys', () => {
  test('renames and deletes without a script, escapes names, and tells whom the last one keeps out', async () => {
    const person = await app.addPerson('owner');
    await client.register(person.cookie, '<b>Laptop</b>');
    await app.call('PATCH', '/api/dashboard/organization', {
      cookie: person.cookie,
      body: { requiresSecondFactor: true },
    });
    const browser = await signedIn(person);
    const shown = await browser.open('/passkeys');
    expect(shown.html).toContain('&lt;b&gt;Laptop&lt;/b&gt;');
    expect(shown.html).toContain('demands a second factor and refuses you');
    const wrong = await browser.send('/passkeys/rename', { name: ' ' });
    expect(wrong).toMatchObject({ status: 400, title: 'Error: Passkeys - Inkgraph' });
    expect((await browser.send('/passkeys/rename', { name: 'Desk' })).html).toContain('Desk');
    expect((await browser.send('/passkeys/delete')).html).toContain('You have none yet.');
  });

  test('runs one script from one address, which calls the API of accounts alone', async () => {
    const browser = await signedIn(await app.addPerson('editor'));
    const origin = new URL(app.addresses.api).origin;
    const { html, headers } = await browser.open('/passkeys');
    const policy = headers.get('content-security-policy') ?? '';
    expect(policy).toMatch(/^default-src 'none'; /);
    expect(policy.split('; ').slice(-2)).toEqual([
      `script-src ${origin}/passkeys.js`,
      `connect-src ${origin}/api/auth/`,
    ]);
    expect(html.match(/<script/g)).toHaveLength(1);
    expect(html).not.toMatch(/\son\w+=|style="/);
    const script = await app.call('GET', '/passkeys.js');
    expect(script.headers.get('content-type')).toMatch(/^text\/javascript/);
    const etag = script.headers.get('etag') ?? '';
    expect((await app.call('GET', '/passkeys.js', { headers: { 'if-none-match': etag } })).status).toBe(304);
    expect((await browser.open('/organizations')).html).not.toContain('<script');
    expect((await createBrowser(app).open('/sign-in/code')).html).toContain('data-passkey="sign-in"');
    expect((await createBrowser(app).open('/sign-in')).html).toContain('autocomplete="username webauthn"');
  });
});

describe('At an address that is no host name', () => {
  test('passkeys are not offered, pages and the API say why, and those of before can be deleted', async () => {
    await using plain = await startTestApp({ env: { SERVICES: 'api' } });
    const person = await plain.addPerson('editor');
    const at = { cookie: person.cookie };
    const refused = await plain.call('GET', '/api/auth/passkey/generate-register-options', at);
    expect(problemOf(refused, 'passkey.unavailable').detail).toContain('127.0.0.1, is an IP address');
    for (const path of ['generate-authenticate-options', 'verify-authentication']) {
      const response = client.authenticator.sign(nobody(), { challenge: 'AAAA' });
      const body = path.startsWith('verify') ? { body: { response } } : {};
      const method = path.startsWith('verify') ? 'POST' : 'GET';
      problemOf(await plain.call(method, `/api/auth/passkey/${path}`, body), 'passkey.unavailable');
    }
    const browser = createBrowser(plain);
    expect((await browser.open('/sign-in')).html).not.toMatch(/passkey|<script/);
    await browser.send('/sign-in', { email: person.email, password: person.password });
    const { html, headers } = await browser.open('/passkeys');
    expect(html).toContain('is an IP address. The operator sets BASE_URL to a name');
    expect(html).not.toContain('data-passkey');
    expect(headers.get('content-security-policy')).not.toContain('script-src');
    const body = { id: 'pk_none' };
    problemOf(await plain.call('POST', '/api/auth/passkey/delete-passkey', { ...at, body }), 'passkey.not_found');
  });

  test.each([
    ['https://ink.example.com', { id: 'ink.example.com', origin: 'https://ink.example.com' }],
    ['https://ink.example.com:8443', { id: 'ink.example.com', origin: 'https://ink.example.com:8443' }],
    ['http://localhost:3000', { id: 'localhost', origin: 'http://localhost:3000' }],
    ['http://ink.localhost', { id: 'ink.localhost', origin: 'http://ink.localhost' }],
    ['http://ink.example.com', null],
    ['http://127.0.0.1:3000', null],
    ['https://192.0.2.1', null],
    ['https://0x7f.1', null],
    ['https://[::1]:3000', null],
  ])('%s has the relying party %o', (address, party) => {
    expect(relyingPartyOf(address)).toEqual(party);
    expect(noPasskeysBecause(address) === null).toBe(party !== null);
  });
});

interface Device {
  readonly page: Page;
  readonly cdp: CDPSession;
  readonly authenticatorId: string;
  readonly errors: readonly string[];
}

/** A browser with an authenticator that verifies its person, and answers as soon as it is asked. */
async function openDevice(): Promise<Device> {
  const page = await chromium.newPage();
  page.setDefaultTimeout(8_000);
  const errors: string[] = [];
  page.on('pageerror', (error) => errors.push(error.message));
  page.on('console', (line) => {
    // Chromium reports every answer of 4xx as an error.
    if (line.type() === 'error' && !line.text().startsWith('Failed to load resource')) errors.push(line.text());
  });
  const cdp = await page.context().newCDPSession(page);
  await cdp.send('WebAuthn.enable');
  const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  return { page, cdp, authenticatorId, errors };
}

const open = (page: Page, path: string) => page.goto(new URL(path, app.addresses.api).href);

async function signInByPassword(page: Page, { email, password }: Person, returnTo: string): Promise<void> {
  await open(page, `/sign-in?returnTo=${encodeURIComponent(returnTo)}`);
  await page.getByLabel('E-mail address').fill(email);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
}

describe('In a browser', () => {
  browserTest('a person adds a passkey, signs in with it, and shows it after a sign-in with the password', async () => {
    const person = await app.addPerson('editor');
    const { page, cdp, authenticatorId, errors } = await openDevice();
    const credentials = async () => (await cdp.send('WebAuthn.getCredentials', { authenticatorId })).credentials;
    /** The authenticator answers at once, also an offer in the field: without one, the person presses the button. */
    const offers = (inField: boolean) =>
      page.evaluate((isOn) => sessionStorage.setItem('offers', String(isOn)), inField);
    await page.addInitScript(() => {
      if (sessionStorage.getItem('offers') === 'false')
        (globalThis as any).PublicKeyCredential.isConditionalMediationAvailable = async () => false;
    });
    await signInByPassword(page, person, '/passkeys');
    await page.getByLabel('Name').fill('Laptop');
    await page.getByRole('button', { name: 'Add a passkey' }).click();
    await page.getByText('The passkey was added.').waitFor();
    await page.getByText('Laptop', { exact: true }).waitFor();
    const [made] = await credentials();
    expect(made).toMatchObject({ isResidentCredential: true, rpId: 'localhost' });
    // The device refuses a second one.
    await page.getByRole('button', { name: 'Add a passkey' }).click();
    await page.getByText('This device has a passkey of your account already.').waitFor();
    await offers(false);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
    await page.waitForURL(/\/organizations$/);
    expect((await credentials())[0]?.signCount).toBeGreaterThan(made?.signCount ?? 0);
    // The browser offers it in the field, and the person takes it.
    await offers(true);
    const signedOut = page.waitForURL(/\/sign-in/);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await signedOut;
    await page.waitForURL(/\/organizations$/);
    await offers(false);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('Password').waitFor();
    await signInByPassword(page, person, '/two-factor');
    const proof = page.waitForResponse(/\/api\/auth\/reauthenticate$/);
    await page.getByRole('button', { name: 'Confirm with a passkey' }).click();
    expect((await proof).status()).toBe(200);
    await expect.poll(() => page.getByRole('button', { name: 'Confirm with a passkey' }).count()).toBe(0);
    expect(errors).toEqual([]);
    // Ends the context whole: closing the page alone at times waits for ever on its authenticator.
    await page.context().close();
  });
});
