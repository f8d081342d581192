import { afterAll, expect } from 'vitest';
import { blankTiff, gatedOcr, textOf } from '#test/spec/support/gated-ocr.ts';
import { sharedApp } from '#test/spec/support/shared-app.ts';
import { browserTest } from '#test/support/servers/browser.ts';
import { expectAccessible, Site } from '#test/web/site.ts';

const pages = 9;
const gate = gatedOcr();
const app = await sharedApp({ env: { WEB: 'on' }, overrides: { ocr: gate.engine } });
const site = new Site(app);
afterAll(() => site[Symbol.asyncDispose]());

browserTest(
  'pages of a long document appear one by one on its page, in the list and in the timeline of the run, light and dark',
  async () => {
    expect(await app.app.preparePages()).toBe(true);
    const cookie = await app.signIn();
    const { id } = await app.ingest(await blankTiff(pages), 'image/tiff', 'long.tiff');
    await gate.read(2);
    const light = await site.open(cookie, { colorScheme: 'light', viewport: { width: 360, height: 800 } });
    const dark = await site.open(cookie, { colorScheme: 'dark', viewport: { width: 1_280, height: 800 } });
    // The first page is there, the third is not.
    for (const { page } of [light, dark]) await page.goto(`${site.api}/documents/${id}`);
    for (const { page } of [light, dark]) {
      await page.getByText(`2 of ${pages} pages are read.`).waitFor();
      await page
        .getByRole('group', { name: /Text of the page/ })
        .getByText('words')
        .waitFor();
      expect(await page.getByRole('button', { name: 'Correct text' }).count()).toBe(0);
    }
    await expectAccessible(light, 'a document that is being read, light');
    await expectAccessible(dark, 'a document that is being read, dark');
    await light.page.goto(`${site.api}/documents/${id}?page=2`);
    await light.page.getByText('This page is not read yet').waitFor();
    // It comes without a reload, and so does the number.
    await gate.read(5);
    await light.page.getByText(textOf(2).replace('words of page ', '')).first().waitFor();
    await light.page.getByText('This page is not read yet').waitFor({ state: 'hidden' });
    await dark.page.getByText(`5 of ${pages} pages are read.`).waitFor();
    await light.page.goto(`${site.api}/documents`);
    await light.page.getByText(`5 of ${pages} pages read`).waitFor();
    await dark.page.getByRole('link', { name: /are read\./ }).click();
    await dark.page.getByRole('heading', { name: 'Steps' }).waitFor();
    await dark.page.getByText(`page 5 of ${pages}`).waitFor();
    await expectAccessible(dark, 'a run that reads');
    await gate.read(7);
    await dark.page.getByText(`page 7 of ${pages}`).waitFor();
    await light.page.getByText(`7 of ${pages} pages read`).waitFor();
    await light.page.goto(`${site.api}/runs`);
    await light.page.getByText(`page 7 of ${pages}`).waitFor();
    // When the last page is read, nothing says any more that pages are missing.
    await light.page.goto(`${site.api}/documents/${id}`);
    await light.page.getByText(`7 of ${pages} pages are read.`).waitFor();
    gate.finish();
    await light.page.getByText(/\d of \d pages are read/).waitFor({ state: 'hidden' });
    await light.page.getByRole('button', { name: 'Correct text' }).waitFor();
    await dark.page.getByText(/page \d of \d/).waitFor({ state: 'hidden' });
    expect([...light.complaints(), ...dark.complaints()]).toEqual([]);
  },
  60_000,
);
