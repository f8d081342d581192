import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import sharp from 'sharp';
import type { DemoSite, Look } from '#scripts/pictures/demo-site.ts';

const fixtures = new URL('../../test/fixtures/', import.meta.url);
const size = { width: 1280, height: 800 };

/** The part of an image element that waits until it is drawn. */
interface Picture {
  decode(): Promise<void>;
}

/** The page without anything that still loads. */
async function open(page: Page, address: string): Promise<void> {
  await page.goto(address);
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.locator('.animate-pulse, [aria-busy=true]').first().waitFor({ state: 'hidden' });
}

/** Waits for the pictures of documents that are in sight. */
async function drawn(page: Page): Promise<void> {
  await page.locator('main img').first().waitFor();
  for (const image of await page.locator('main img').all())
    if (await image.isVisible()) await image.evaluate((one) => (one as unknown as Picture).decode());
}

const picture = (taken: Buffer): Promise<Buffer> => sharp(taken).webp({ quality: 82, effort: 6 }).toBuffer();

/** A page as a WebP of 1280 x 800 pixels. `prepare` does what a person would do first. */
async function photograph(
  site: DemoSite,
  theme: Look['theme'],
  path: string,
  prepare: (page: Page) => Promise<void> = () => Promise.resolve(),
): Promise<Buffer> {
  const page = await site.newPage({ theme, ...size });
  try {
    await open(page, site.api + path);
    await prepare(page);
    return await picture(await page.screenshot());
  } finally {
    await page.close();
  }
}

/** Id of the sample whose title has these words. */
async function sampleId(page: Page, words: string): Promise<string> {
  const href = await page.getByRole('link', { name: words }).first().getAttribute('href');
  return /\/documents\/([^?]+)/.exec(href ?? '')?.[1] ?? '';
}

/** An upload that comes alive: chosen, sent, read, and there with its title. An animated WebP. */
async function animate(site: DemoSite): Promise<Buffer> {
  const page = await site.newPage({ theme: 'light', width: 960, height: 600 });
  try {
    await open(page, `${site.api}/documents`);
    await page.getByRole('button', { name: 'Upload', exact: true }).click();
    const buffer = await readFile(new URL('letter.png', fixtures));
    // Bytes of its own: the samples have this letter already.
    const file = { name: 'scan-0412.png', mimeType: 'image/png', buffer: Buffer.concat([buffer, Buffer.from('1')]) };
    await page.locator('dialog input[type=file]').setInputFiles(file);
    const frames: Buffer[] = [await page.screenshot()];
    await page.locator('dialog button[type=submit]').click();
    const end = Date.now() + 9_000;
    while (Date.now() < end) {
      frames.push(await page.screenshot());
      const fresh = page.getByRole('button', { name: /new document/ });
      if (await fresh.isVisible()) await fresh.click();
      await page.waitForTimeout(250);
    }
    const small = await Promise.all(frames.map((frame) => sharp(frame).resize(720).png().toBuffer()));
    const delay = small.map((_, at) => (at === 0 ? 1_500 : at === small.length - 1 ? 3_000 : 320));
    return await sharp(small, { join: { animated: true } })
      .webp({ quality: 70, effort: 6, delay, loop: 0 })
      .toBuffer();
  } finally {
    await page.close();
  }
}

/** Pictures of the dashboard over the demo data, by file name. */
export async function dashboardPictures(site: DemoSite): Promise<Readonly<Record<string, Buffer>>> {
  const page = await site.newPage({ theme: 'light', ...size });
  await open(page, `${site.api}/documents?query=receipt`);
  const receipt = await sampleId(page, 'Receipt, Peppercorn');
  await open(page, `${site.api}/workflows`);
  const triage = await page.getByRole('link', { name: 'Triage' }).first().getAttribute('href');
  await page.close();
  return {
    'documents.webp': await photograph(site, 'light', '/documents', drawn),
    'document.webp': await photograph(site, 'dark', `/documents/${receipt}?tab=fields`, async (shown) => {
      await drawn(shown);
      await shown
        .getByRole('row', { name: /^total/i })
        .first()
        .hover();
    }),
    'review.webp': await photograph(site, 'light', '/reviews?kind=question', drawn),
    'workflow.webp': await photograph(site, 'dark', triage ?? '/workflows', async (shown) => {
      await shown.locator('.react-flow__node').first().waitFor();
    }),
    'upload.webp': await animate(site),
  };
}
