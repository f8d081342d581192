import { AxeBuilder } from '@axe-core/playwright';
import type { BrowserContextOptions, Page, Request } from 'playwright-core';
import { expect } from 'vitest';
import { LazyBrowser } from '#test/support/servers/browser.ts';
import { startTestApp, type TestApp } from '#test/support/test-app.ts';

/** Complaints of a page in the browser's own words, in their order. */
type Complaints = readonly string[];

export interface Tab {
  readonly page: Page;
  /** Waits until the page has every answer that it asked for, and shows nothing as loading. */
  quiet(): Promise<void>;
  /** Errors of scripts, refusals by the policy, errors on the console. Answers with 4xx that a journey asks for are none. */
  complaints(): Complaints;
}

const watchPolicy = `document.addEventListener('securitypolicyviolation', (event) => {
  console.error('policy: ' + event.violatedDirective + ' ' + event.blockedURI);
});`;

/** Follows the requests of a page. The stream of events is none of them: it never ends. */
function quietness(page: Page): () => Promise<void> {
  const open = new Set<Request>();
  let ended = Promise.withResolvers<void>();
  page.on('request', (request) => {
    if (!request.url().includes('/realtime')) open.add(request);
  });
  const end = (request: Request): void => {
    open.delete(request);
    ended.resolve();
    ended = Promise.withResolvers<void>();
  };
  page.on('requestfinished', end);
  page.on('requestfailed', end);
  return async () => {
    const loading = page.locator('.animate-pulse, [aria-busy=true]').first();
    do {
      while (open.size > 0) await ended.promise;
      await loading.waitFor({ state: 'hidden' });
      // An answer is drawn, and what it asks for is asked, before the second frame.
      await page.evaluate('new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))');
    } while (open.size > 0);
  };
}

/** The dashboard of a test app in a real browser. */
export class Site implements AsyncDisposable {
  readonly #browser = new LazyBrowser();
  readonly #app: TestApp;
  #usual: Promise<Tab> | null = null;

  constructor(app: TestApp) {
    this.#app = app;
  }

  get api(): string {
    return this.#app.addresses.api;
  }

  /** A new tab of a person of its own; without `cookie` nobody is signed in. */
  async open(cookie: string | null, options: BrowserContextOptions = {}): Promise<Tab> {
    const page = await this.#browser.newPage({ reducedMotion: 'reduce', ...options });
    if (cookie !== null) {
      const cookies = cookie.split('; ').map((pair) => {
        const [name = '', ...value] = pair.split('=');
        return { name, value: value.join('='), url: this.api };
      });
      await page.context().addCookies(cookies);
    }
    return this.watch(page);
  }

  /** A new tab of the browser of one person, whose cache has the scripts after the first. */
  async openNext(cookie: string): Promise<Tab> {
    this.#usual ??= this.open(cookie);
    const first = await this.#usual;
    return this.watch(await first.page.context().newPage());
  }

  async watch(page: Page): Promise<Tab> {
    // Less than a test may take, so that a failure names what it waited for.
    page.setDefaultTimeout(20_000);
    const said: string[] = [];
    const quiet = quietness(page);
    await page.addInitScript({ content: watchPolicy });
    page.on('pageerror', (error) => said.push(`error: ${error.message}`));
    page.on('console', (message) => {
      const text = message.text();
      if (message.type() === 'error' && !text.startsWith('Failed to load resource')) said.push(text);
    });
    return { page, quiet, complaints: () => said };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#browser[Symbol.asyncDispose]();
  }
}

/** The dashboard of an app of its own, which ends with it. */
export interface OwnSite extends AsyncDisposable {
  readonly app: TestApp;
  readonly site: Site;
  /** Session of its first person. */
  readonly cookie: string;
}

/** Starts an app with its dashboard and signs in. `services`: all of them, unless it says less. */
export async function startSite(services?: string): Promise<OwnSite> {
  const app = await startTestApp({ env: { WEB: 'on', ...(services !== undefined && { SERVICES: services }) } });
  const site = new Site(app);
  expect(await app.app.preparePages()).toBe(true);
  const cookie = await app.signIn();
  const end = async (): Promise<void> => {
    await site[Symbol.asyncDispose]();
    await app[Symbol.asyncDispose]();
  };
  return { app, site, cookie, [Symbol.asyncDispose]: end };
}

/** Opens an address and waits until nothing loads any more. */
export async function visit({ page, quiet }: Tab, address: string): Promise<void> {
  await page.goto(address);
  await page.getByRole('heading', { level: 1 }).waitFor();
  await quiet();
}

/** Goes to a path as a link of the dashboard does: without loading the dashboard again. */
export async function go({ page, quiet }: Tab, path: string): Promise<void> {
  await page.evaluate(
    `document.querySelector('h1').dataset.old = location.pathname; history.pushState({}, '', ${JSON.stringify(path)}); dispatchEvent(new PopStateEvent('popstate'));`,
  );
  const { pathname } = new URL(path, page.url());
  await page.locator(`h1:not([data-old]), h1[data-old="${pathname}"]`).waitFor();
  await quiet();
}

interface Found {
  readonly id: string;
  readonly impact?: string | null | undefined;
  readonly nodes: readonly { readonly target: readonly unknown[] }[];
}

/** Violations within `part`. The page keeps axe, whose half a megabyte is sent once. */
async function violationsOf(page: Page, part: string): Promise<readonly Found[]> {
  const options = { resultTypes: ['violations' as const] };
  if ((await page.evaluate('typeof axe')) === 'undefined')
    return (await new AxeBuilder({ page }).setLegacyMode().options(options).include(part).analyze()).violations;
  const run = `axe.run(${JSON.stringify(part)}, ${JSON.stringify(options)}).then(({ violations }) => violations)`;
  return (await page.evaluate(run)) as Found[];
}

/** Fails with the rule and the element of each serious or moderate violation of WCAG that axe finds. */
export async function expectAccessible({ page }: Tab, place: string, part = 'html'): Promise<void> {
  const found = (await violationsOf(page, part))
    .filter(({ impact }) => impact !== 'minor')
    .flatMap(({ id, nodes }) => nodes.map(({ target }) => `${place}: ${id} at ${target.join(' ')}`));
  expect(found).toEqual([]);
}
