import { afterAll, beforeAll, expect } from 'vitest';
import { documentRecord } from '#test/support/records.ts';
import { browserTest } from '#test/support/servers/browser.ts';
import { collectionsIn } from '#test/support/stored.ts';
import { expectAccessible, startSite, visit, type OwnSite } from '#test/web/site.ts';

let started: OwnSite;

const made = 70;
beforeAll(async () => {
  started = await startSite('api');
  const { app } = started;
  const { organizationId, projectId } = app.seed;
  const stored = await collectionsIn(app.dataDir);
  await stored.documents.insertMany(
    Array.from({ length: made }, (_, at) =>
      documentRecord({ organizationId, projectId, createdAt: new Date(at), filename: `scan ${at}.png` }),
    ),
  );
  await stored.close();
}, 60_000);
afterAll(() => started[Symbol.asyncDispose]());

browserTest('the keyboard selects all documents that match, loaded or not, and the bar acts on them', async () => {
  const { site, cookie } = started;
  const tab = await site.open(cookie);
  const { page } = tab;
  await visit(tab, `${site.api}/documents?visibility=private`);
  await page.getByText('scan 69.png').waitFor();
  await page.keyboard.press('Control+a');
  const bar = page.getByRole('region', { name: 'Actions for the selection' });
  await bar.getByText('60 documents selected').waitFor();
  await bar.getByRole('button', { name: `Select all ${made} documents` }).click();
  await bar.getByText(`All ${made} documents selected`).waitFor();
  await expectAccessible(tab, 'bar over the whole list');
  // All that match are those of the filter that was seen: with another one, nothing is selected.
  await page.getByRole('button', { name: /^Remove Visibility/ }).click();
  await page.waitForURL((url) => !url.searchParams.has('visibility'));
  await bar.waitFor({ state: 'hidden' });
  await visit(tab, `${site.api}/documents?visibility=private`);
  await page.keyboard.press('Control+a');
  await bar.getByRole('button', { name: `Select all ${made} documents` }).click();
  await bar.getByRole('button', { name: 'Make public' }).click();
  await page.getByText(`${made} documents are public.`).waitFor();
  await visit(tab, `${site.api}/documents?visibility=public`);
  await page.getByText(`${made} documents`, { exact: true }).waitFor();
  await page.keyboard.press('Control+a');
  await bar.getByRole('button', { name: `Select all ${made} documents` }).click();
  await bar.getByRole('button', { name: 'Move to trash' }).click();
  await page.getByText(`${made} documents are in the trash.`).waitFor();
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByText(`${made} documents are back.`).waitFor();
  expect(tab.complaints()).toEqual([]);
});
