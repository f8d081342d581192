import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core';
import { test } from 'vitest';
import { chromiumAdvice, findChromium, mayMissChromium, noChromium } from '#scripts/check/chromium.ts';

/** A real Chromium that is started by its first page. */
export class LazyBrowser {
  #browser: Promise<Browser> | null = null;

  async newPage(options?: BrowserContextOptions): Promise<Page> {
    const executablePath = findChromium();
    if (executablePath === null) throw new Error(`This machine has no Chromium. ${chromiumAdvice}`);
    this.#browser ??= chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-dev-shm-usage'] });
    return (await this.#browser).newPage(options);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await (await this.#browser)?.close();
  }
}

/** A test in a real browser: without one it is skipped by name, and fails where `CI` is set. */
export function browserTest(title: string, work: () => Promise<void>): void {
  test(title, async ({ skip }) => {
    skip(findChromium() === null && mayMissChromium(), noChromium);
    await work();
  });
}
