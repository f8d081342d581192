import { AxeBuilder } from '@axe-core/playwright';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { expect } from 'vitest';
import { LazyBrowser } from '#test/support/servers/browser.ts';
import type { TestApp } from '#test/support/test-app.ts';

/** Complaints of a page in the browser's own words, in their order. */
type Complaints = readonly string[];

export interface Tab {
  readonly page: Page;
  /** Errors of scripts, refusals by the policy, errors on the console. Answers with 4xx that a journey asks for are none. */
  complaints(): Complaints;
}

const watchPolicy = `document.addEventListener('securitypolicyviolation', (event) => {
  console.error('policy: ' + event.violatedDirective + ' ' + event.blockedURI);
});`;

/** The dashboard of a test app in a real browser. */
export class Site implements AsyncDisposable {
  readonly #browser = new LazyBrowser();
  readonly #app: TestApp;

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

  async watch(page: Page): Promise<Tab> {
    const said: string[] = [];
    await page.addInitScript({ content: watchPolicy });
    page.on('pageerror', (error) => said.push(`error: ${error.message}`));
    page.on('console', (message) => {
      const text = message.text();
      if (message.type() === 'error' && !text.startsWith('Failed to load resource')) said.push(text);
    });
    return { page, complaints: () => said };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#browser[Symbol.asyncDispose]();
  }
}

/** Opens an address and waits until nothing loads any more. */
export async function visit({ page }: Tab, address: string): Promise<void> {
  await page.goto(address);
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.locator('.animate-pulse, [aria-busy=true]').first().waitFor({ state: 'hidden' });
}

/** Fails with the rule and the element of each serious or moderate violation of WCAG that axe finds. */
export async function expectAccessible({ page }: Tab, place: string): Promise<void> {
  const { violations } = await new AxeBuilder({ page }).analyze();
  const found = violations
    .filter(({ impact }) => impact !== 'minor')
    .flatMap(({ id, nodes }) => nodes.map(({ target }) => `${place}: ${id} at ${target.join(' ')}`));
  expect(found).toEqual([]);
}
