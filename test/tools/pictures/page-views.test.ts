import { randomBytes } from 'node:crypto';
import { deflateSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { createImageCodec } from '#src/adapters/images/image-codec.ts';
import type { DocumentRecord } from '#src/domain/documents/document.ts';
import { PageViews, type PageView } from '#tools/pictures/page-views.ts';
import { searchablePdf } from '#tools/reading/searchable-pdf.ts';
import { pngChunk, pngHeader } from '#scripts/inputs/png.ts';

/** Gray noise: what no encoder makes small. */
function noise(width: number, height: number): Buffer {
  const rows = Array.from({ length: height }, () => Buffer.concat([Buffer.from([0]), randomBytes(width)]));
  const pixels = pngChunk('IDAT', deflateSync(Buffer.concat(rows), { level: 0 }));
  return Buffer.concat([pngHeader(width, height), pixels, pngChunk('IEND')]);
}

const [width, height] = [1_500, 1_000];
const images = createImageCodec();
const bytes = noise(width, height);
const document = { organizationId: 'org_1', _id: 'doc_1', pinnedKey: 'k', etag: 'e', pages: 1 } as DocumentRecord;
const whole: PageView = { page: 0, rotate: 0, region: null, maxPixels: 1_500_000 };
const viewsOf = (get: () => Promise<Buffer | null>): PageViews => new PageViews({ objects: { get }, images });

test('a picture stays within a megabyte of base64, whatever is on the page', async () => {
  const { bytes: jpeg, ...size } = await viewsOf(async () => bytes).picture(document, whole);
  expect(jpeg.toString('base64').length).toBeLessThanOrEqual(1_000_000);
  expect(size.width / size.height).toBeCloseTo(width / height, 1);
  expect(size.width, 'and is not smaller than it has to be').toBeGreaterThan(width / 2);
});

test('a region is cut out of the page as it is turned, and never enlarged', async () => {
  const region = { x: 0.5, y: 0, width: 0.5, height: 0.1 };
  const part = await viewsOf(async () => bytes).picture(document, { ...whole, region, rotate: 90 });
  expect(part).toMatchObject({ width: height / 2, height: width / 10 });
  const corner = { x: 0.999, y: 0.999, width: 0.5, height: 0.5 };
  expect(await viewsOf(async () => bytes).picture(document, { ...whole, region: corner })).toMatchObject({
    width: 2,
    height: 1,
  });
});

test('callers who ask for the same at once share the work, and a page that is not there is refused before any', async () => {
  let read = 0;
  const views = viewsOf(async () => {
    read += 1;
    return bytes;
  });
  const small = { ...whole, maxPixels: 10_000 };
  const [one, other] = await Promise.all([views.picture(document, small), views.picture(document, small)]);
  expect([read, one === other]).toEqual([1, true]);
  await expect(views.picture(document, { ...whole, page: 1 })).rejects.toMatchObject({ code: 'request.invalid' });
  expect(read).toBe(1);
  await expect(viewsOf(async () => null).picture(document, whole)).rejects.toMatchObject({
    code: 'document.not_found',
  });
});

test('four documents are open for scans at a time, and a PDF that nobody reads on gives its place back', async () => {
  const views = viewsOf(async () => bytes);
  const pdf = () =>
    searchablePdf(
      (async function* () {
        using scans = await views.open(document);
        for (;;) yield { ...(await scans.page(0, 90)), lines: [] };
      })(),
      [],
    );
  const open = [pdf(), pdf(), pdf(), pdf()];
  for (const one of open) expect((await one.next()).value?.toString('latin1')).toMatch(/^%PDF-/);
  await expect(pdf().next()).rejects.toMatchObject({ code: 'request.rate_limited' });
  await open[0]?.return(undefined);
  const again = pdf();
  expect((await again.next()).done).toBe(false);
  for (const one of [again, ...open]) await one.return(undefined);
  using scans = await views.open(document);
  expect(await scans.page(0, 90)).toMatchObject({ width: height, height: width });
});
