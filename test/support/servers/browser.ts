import { chromium as driver, type Browser, type BrowserContextOptions, type Page } from 'playwright-core';
import { test } from 'vitest';
import { chromium, findProgram, mayMissPrograms } from '#scripts/check/programs.ts';

/** A real Chromium that is started by its first page. */
export class LazyBrowser {
  #browser: Promise<Browser> | null = null;

  /** A page in a context of its own, which may have more pages. */
  async newPage(options?: BrowserContextOptions): Promise<Page> {
    const executablePath = findProgram(chromium);
    if (executablePath === null) throw new Error(`This machine has no Chromium. ${chromium.advice}`);
    this.#browser ??= driver.launch({ executablePath, args: ['--no-sandbox', '--disable-dev-shm-usage'] });
    return (await (await this.#browser).newContext(options)).newPage();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await (await this.#browser)?.close();
  }
}

/** A test in a real browser: without one it is skipped by name, and fails where `CI` is set. */
export function browserTest(title: string, work: () => Promise<void>, timeoutMs?: number): void {
  test(title, { ...(timeoutMs !== undefined && { timeout: timeoutMs }) }, async ({ skip }) => {
    skip(findProgram(chromium) === null && mayMissPrograms(), chromium.missing);
    await work();
  });
}
