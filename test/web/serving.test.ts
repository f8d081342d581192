import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createBrowser, type Browser } from '#test/support/dashboard/browser.ts';
import { startTestApp, type TestApp } from '#test/support/test-app.ts';
import { verifies } from '#test/support/verifies.ts';

let app: TestApp;
let operator: Browser;
const page = { accept: 'text/html' };

async function signIn(to: TestApp, address = to.addresses.api): Promise<Browser> {
  const browser = createBrowser(to, address);
  await browser.open('/sign-in');
  await browser.send('/sign-in', { email: to.seed.operatorEmail, password: to.seed.operatorPassword });
  return browser;
}

beforeAll(async () => {
  app = await startTestApp({ env: { SERVICES: 'api', WEB: 'on' } });
  expect(await app.app.preparePages()).toBe(true);
  operator = await signIn(app);
}, 120_000);
afterAll(() => app[Symbol.asyncDispose]());

const assetIn = (html: string): string => /src="(\/assets\/[^"]+\.js)"/.exec(html)?.[1] ?? '';

verifies('web.pages', async () => {
  for (const path of ['/', '/documents', '/workflows/wf_1?tab=problems', '/no/such/page']) {
    const shown = await operator.open(path);
    expect(shown).toMatchObject({ status: 200, title: 'Inkgraph' });
    expect(shown.headers.get('cache-control')).toBe('no-cache');
    const unknown = await fetch(app.addresses.api + path, { headers: page, redirect: 'manual' });
    expect(unknown.headers.get('location')).toBe(`/sign-in?returnTo=${encodeURIComponent(path)}`);
  }
  const api = await app.call('GET', '/api/dashboard/nothing', { cookie: operator.cookie(), headers: page });
  expect(api.status).toBe(404);
  expect(api.body).not.toContain('id="root"');
  const program = await app.call('GET', '/documents', { headers: { accept: 'application/json' } });
  expect(program).toMatchObject({ status: 404, body: { code: 'request.not_found' } });
});

test('people stay on the name of this machine that they came to, and its pages may show pictures of the other', async () => {
  const address = `http://localhost:${new URL(app.addresses.api).port}`;
  const asked = await fetch(`${address}/documents?q=a`, { headers: page, redirect: 'manual' });
  expect(asked.headers.get('location')).toBe('/sign-in?returnTo=%2Fdocuments%3Fq%3Da');
  const shown = await (await signIn(app, address)).open('/documents?q=a');
  expect(shown).toMatchObject({ status: 200, title: 'Inkgraph' });
  const policy = shown.headers.get('content-security-policy');
  expect(policy).toContain(`img-src 'self' data: blob: ${new URL(app.addresses.objects).origin} ${app.addresses.api};`);
});

verifies('web.policy', async () => {
  const { headers, html } = await operator.open('/documents');
  const policy = headers.get('content-security-policy') ?? '';
  expect(policy).toMatch(/^default-src 'none'; script-src 'self'; style-src 'self'; /);
  expect(policy).toContain("require-trusted-types-for 'script'; trusted-types 'none'");
  expect(policy).toContain(`connect-src 'self' ${new URL(app.addresses.objects).origin};`);
  expect(policy).not.toContain('unsafe');
  expect(html.replaceAll(/<script( type="module"( crossorigin)?)? src="[^"]+"><\/script>/g, '')).not.toMatch(
    /<script|<style| on\w+=/,
  );
  expect(headers.get('cross-origin-opener-policy')).toBe('same-origin');
  // The browser keeps the page, and takes the headers of the answer that says so.
  const known = { ...page, cookie: operator.cookie(), 'if-none-match': headers.get('etag') ?? '' };
  const again = await fetch(`${app.addresses.api}/documents`, { headers: known });
  expect(again.status).toBe(304);
  expect(again.headers.get('content-security-policy')).toBe(policy);
});

verifies('web.assets', async () => {
  const { html } = await operator.open('/');
  const asset = assetIn(html);
  const found = await fetch(app.addresses.api + asset, { headers: { 'accept-encoding': 'br' } });
  expect(found.status).toBe(200);
  expect(found.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
  expect(found.headers.get('content-encoding')).toBe('br');
  const etag = found.headers.get('etag') ?? '';
  const again = await fetch(app.addresses.api + asset, { headers: { 'if-none-match': etag, 'accept-encoding': 'br' } });
  expect(again.status).toBe(304);
  for (const missing of ['/assets/gone-12345678.js', '/assets/../../package.json', '/assets/%2e%2e/manifest.json']) {
    const answer = await app.call('GET', missing, { cookie: operator.cookie(), headers: { accept: '*/*' } });
    expect(answer.status).toBe(404);
    expect(JSON.stringify(answer.body)).not.toContain('id="root"');
  }
});

verifies('web.absent', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'inkgraph-web-'));
  try {
    for (const [env, advice] of [
      [{ WEB_DIR: folder }, 'WEB_DIR has no index.html'],
      [{ WEB: 'off' }, null],
    ] as const) {
      await using other = await startTestApp({ env: { SERVICES: 'api', WEB: 'on', ...env } });
      expect(await other.app.preparePages()).toBe(false);
      const browser = await signIn(other);
      const shown = await browser.open('/');
      if (advice === null) expect(shown).toMatchObject({ status: 200, path: '/organizations' });
      else expect(shown).toMatchObject({ status: 503, title: 'The dashboard is not there - Inkgraph' });
      if (advice !== null) expect(shown.html).toContain(advice);
      const context = await other.call('GET', '/api/dashboard/context', { cookie: browser.cookie() });
      expect(context.status).toBe(200);
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

test('a page that is asked for during the build loads itself again', async () => {
  await using other = await startTestApp({ env: { SERVICES: 'api', WEB: 'on' } });
  const browser = await signIn(other);
  const first = await browser.open('/documents');
  // A bundle that is there already may be found before the first answer.
  if (first.status === 200) return;
  expect(first).toMatchObject({ status: 503, title: 'One moment - Inkgraph' });
  expect(first.headers.get('refresh')).toBe('1');
  expect(await other.app.preparePages()).toBe(true);
  expect((await browser.open('/documents')).status).toBe(200);
});
