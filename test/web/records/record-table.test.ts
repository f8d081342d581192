import type { BrowserContextOptions } from 'playwright-core';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { extracting, read, run } from '#test/records/support/scanned.ts';
import { browserTest } from '#test/support/servers/browser.ts';
import type { TestApp } from '#test/support/test-app.ts';
import { expectAccessible, startSite, visit, type OwnSite, type Site, type Tab } from '#test/web/site.ts';

const title = 'Groceries of May, for the summer party of the neighbourhood';

let started: OwnSite;
let app: TestApp;
let site: Site;
let cookie: string;
let documentId: string;

beforeAll(async () => {
  started = await startSite('api,agents');
  ({ app, site, cookie } = started);
  const workflowId = await extracting(app, { recordType: 'receipt' });
  const receipts = ['PEPPERCORN GROCERS LTD\nDate: 17/05/2026\nTOTAL EUR 10.00', 'NORTHERN RAIL LTD\nTOTAL EUR 80.20'];
  for (const [at, text] of receipts.entries()) {
    const scanned = await read(app, 40 + at, text);
    if (at === 0) ({ documentId } = scanned);
    expect(await run(app, workflowId, scanned)).toMatchObject({ status: 'succeeded' });
  }
  const named = await app.call('PATCH', `/api/dashboard/documents/${documentId}`, { cookie, body: { title } });
  expect(named.status).toBe(200);
}, 60_000);
afterAll(() => started[Symbol.asyncDispose]());

async function open(options: BrowserContextOptions): Promise<Tab> {
  const tab = await site.open(cookie, options);
  await visit(tab, `${site.api}/records`);
  return tab;
}

describe('The table of records', () => {
  browserTest('says which document a row is from, also when its fields scroll away, and leads there', async () => {
    const tab = await open({ viewport: { width: 360, height: 800 } });
    const { page } = tab;
    const header = page.getByRole('rowheader', { name: title });
    const state = page.getByRole('columnheader', { name: 'State' });
    const left = async (of: typeof header): Promise<number> => (await of.boundingBox())?.x ?? Number.NaN;
    const [before, stateBefore] = [await left(header), await left(state)];
    await page.evaluate('document.querySelector("table").parentElement.scrollLeft = 120');
    expect(await left(state)).toBe(stateBefore - 120);
    expect(await left(header)).toBe(before);
    await page.getByRole('rowheader', { name: 'Document without a title' }).waitFor();
    await expectAccessible(tab, 'records');
    await header.getByRole('link').click();
    await page.waitForURL(new RegExp(`/documents/${documentId}`));
    await page.getByRole('heading', { name: title, level: 1 }).waitFor();
    expect(tab.complaints()).toEqual([]);
  });

  browserTest('takes a correction by keyboard, in the type of its field, and refuses words for a number', async () => {
    const tab = await open({ viewport: { width: 1280, height: 800 } });
    const { page } = tab;
    const row = page.getByRole('row', { name: title });
    await row.getByRole('link', { name: 'Total: 10.00 EUR. Show on the page' }).focus();
    await page.keyboard.press('Tab');
    await expect.poll(() => page.evaluate('getComputedStyle(document.activeElement).opacity')).toBe('1');
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Correct Total' });
    await dialog.getByLabel('Value').fill('twelve');
    await page.keyboard.press('Enter');
    await dialog.getByText('Write a number, such as 12.50.').waitFor();
    await dialog.getByLabel('Value').fill('12,50');
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'detached' });
    await row.getByRole('link', { name: 'Total: 12.50 EUR' }).waitFor();
    await row.getByText('Confirmed').waitFor();
    expect(tab.complaints()).toEqual([]);
  });

  browserTest('follows a new name of a document, without a reload', async () => {
    const tab = await site.open(cookie, { viewport: { width: 1280, height: 800 } });
    const { page } = tab;
    const stream = page.waitForResponse(/\/realtime/);
    await visit(tab, `${site.api}/records`);
    await stream;
    const rename = (to: string) =>
      app.call('PATCH', `/api/dashboard/documents/${documentId}`, { cookie, body: { title: to } });
    await page.evaluate('window.isSamePage = true');
    await page.getByRole('rowheader', { name: title }).waitFor();
    expect((await rename('Bread for June')).status).toBe(200);
    await page.getByRole('rowheader', { name: 'Bread for June' }).waitFor();
    expect((await rename(title)).status).toBe(200);
    await page.getByRole('rowheader', { name: title }).waitFor();
    expect(await page.evaluate('window.isSamePage')).toBe(true);
    expect(tab.complaints()).toEqual([]);
  });

  browserTest('takes a correction by a finger, and a tap on a value leads to its place', async () => {
    const tab = await open({ viewport: { width: 360, height: 800 }, hasTouch: true, isMobile: true });
    const { page } = tab;
    const row = page.getByRole('row', { name: 'Document without a title' });
    const pencil = row.getByRole('button', { name: 'Correct Merchant' });
    const value = row.getByRole('link', { name: /^Merchant: .*Show on the page/ });
    await pencil.scrollIntoViewIfNeeded();
    const [target, text] = [await pencil.boundingBox(), await value.boundingBox()];
    expect(target).toMatchObject({ width: 44, height: 44 });
    // Nothing of the value lies below the button.
    expect((text?.x ?? 0) + (text?.width ?? 0)).toBeLessThanOrEqual(target?.x ?? 0);
    await expectAccessible(tab, 'records by touch');
    await pencil.tap();
    const dialog = page.getByRole('dialog', { name: 'Correct Merchant' });
    await dialog.getByLabel('Value').fill('Southern Rail');
    await dialog.getByRole('button', { name: 'Save' }).tap();
    await dialog.waitFor({ state: 'detached' });
    await row.getByRole('link', { name: 'Merchant: Southern Rail. Show on the page' }).tap();
    await page.waitForURL(/\/documents\/doc_.*page=0.*box=/);
    expect(tab.complaints()).toEqual([]);
  });
});
