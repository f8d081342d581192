import { afterAll, beforeAll, describe, expect } from 'vitest';
import { browserTest } from '#test/support/servers/browser.ts';
import { fixture, type TestApp } from '#test/support/test-app.ts';
import { startSite, visit, type OwnSite, type Site, type Tab } from '#test/web/site.ts';

const title = 'Receipt of Peppercorn Grocers, Eastvale';
const question = 'What is the receipt number of Peppercorn Grocers?';

let started: OwnSite;
let app: TestApp;
let site: Site;
let cookie: string;
let runId: string;

beforeAll(async () => {
  started = await startSite();
  ({ app, site, cookie } = started);
  const { id } = await app.ingest(await fixture('receipt.jpg'), 'image/jpeg', 'receipt.jpg');
  await app.app.idle();
  const key = app.seed.serviceKey;
  runId = (await app.call('GET', `/api/service/documents/${id}`, { key })).body.lastRun.runId;
  await app.call('PATCH', `/api/dashboard/documents/${id}`, { cookie, body: { title } });
}, 120_000);
afterAll(() => started[Symbol.asyncDispose]());

const phone = (): Promise<Tab> => site.open(cookie, { viewport: { width: 360, height: 780 } });

describe('On a phone, the dashboard', () => {
  browserTest('shows the whole name and the state of a document in the list', async () => {
    const tab = await phone();
    await visit(tab, `${site.api}/documents?view=list`);
    const row = tab.page.getByRole('article').first();
    await row.getByText('Succeeded').waitFor();
    const name = row.getByRole('heading');
    expect(await name.textContent()).toBe(title);
    const hidden =
      "(({ scrollHeight, clientHeight }) => scrollHeight - clientHeight)(document.querySelector('article h2'))";
    expect(await tab.page.evaluate(hidden)).toBe(0);
    await tab.page.context().close();
  });

  browserTest('leaves room for the bars of a run beside the names of its steps', async () => {
    const tab = await phone();
    await visit(tab, `${site.api}/runs/${runId}`);
    const row = tab.page.getByRole('button', { name: /load_image/ });
    const bar = await row.locator('> span').nth(1).boundingBox();
    expect(bar?.width).toBeGreaterThan(80);
    await tab.page.context().close();
  });

  browserTest('leads to earlier conversations', async () => {
    const tab = await phone();
    const { page } = tab;
    await visit(tab, `${site.api}/chat`);
    await page.getByLabel('Your question').fill(question);
    await page.keyboard.press('Enter');
    await page.locator('main a[href*="box="]').first().waitFor();
    // Names of sources are longer than the screen is wide.
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360);
    await page.getByRole('link', { name: question }).click();
    await page.waitForURL(/chat=/);
    expect(tab.complaints()).toEqual([]);
    await page.context().close();
  });

  browserTest('opens the menu of the account on the screen, with the focus on its first entry', async () => {
    const tab = await phone();
    const { page } = tab;
    await visit(tab, `${site.api}/documents`);
    await page.getByRole('button', { name: /^Account/ }).click();
    await page.getByRole('menuitem').first().waitFor();
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Overview');
    const box = await page.getByRole('menu', { name: /^Account/ }).boundingBox();
    expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThanOrEqual(780);
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.waitForURL(/sign-in/);
    await page.context().close();
  });
});
