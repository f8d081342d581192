import sharp from 'sharp';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import type { DocumentRecord } from '#src/domain/documents/document.ts';
import { fixture, startTestApp, type TestApp } from '#test/support/test-app.ts';

let app: TestApp;
let letter: DocumentRecord;
let pdf: DocumentRecord;
beforeAll(async () => {
  app = await startTestApp({ env: { SERVICES: 'api' } });
  letter = await stored(await fixture('letter.png'), 'image/png');
  pdf = await stored(await fixture('invoice.pdf'), 'application/pdf');
});
afterAll(() => app[Symbol.asyncDispose]());
afterEach(() => void vi.useRealTimers());

async function stored(bytes: Buffer, contentType: string): Promise<DocumentRecord> {
  const { id } = await app.store(bytes, contentType);
  const record = await app.app.deps.documents.findInOrganization(app.seed.organizationId, id);
  if (record === null) throw new Error('the document is not stored');
  return record;
}

const pageUrl = (document: DocumentRecord, page = 0, more = ''): string =>
  app.app.deps.thumbnails.pageUrl(document, page) + more;
const thumbnailUrl = (document: DocumentRecord, more = ''): string => app.app.deps.thumbnails.url(document) + more;

async function picture(url: string) {
  const response = await fetch(url);
  expect(response.status).toBe(200);
  const bytes = Buffer.from(await response.arrayBuffer());
  const { format, width, height, exif, icc, xmp } = await sharp(bytes).metadata();
  return { response, bytes, format, width, height, hidden: exif ?? icc ?? xmp ?? null };
}

async function problem(url: string): Promise<{ status: number; code: string; body: any }> {
  const { status, body } = await app.call('GET', url);
  return { status, code: body.code, body };
}

describe('A page image', () => {
  test('is a WebP of the page, of a PDF as of a picture', async () => {
    for (const document of [letter, pdf]) {
      const { format, width, height, response } = await picture(pageUrl(document));
      expect(format).toBe('webp');
      expect(width).toBe(Math.min(1_600, document.width));
      expect(height / width).toBeCloseTo(document.height / document.width, 2);
      expect(response.headers.get('content-type')).toBe('image/webp');
    }
  });

  test('shows every page of a document of several', async () => {
    const statement = await stored(await fixture('statement.tiff'), 'image/tiff');
    expect(statement.pages).toBeGreaterThan(1);
    const pages = [];
    for (let page = 0; page < statement.pages; page += 1)
      pages.push((await picture(pageUrl(statement, page, '&w=400'))).bytes.toString('base64'));
    expect(new Set(pages).size).toBe(statement.pages);
    for (let page = 0; page < pdf.pages; page += 1)
      expect((await picture(pageUrl(pdf, page, '&w=400'))).width).toBe(400);
  });

  test('has the width asked for, rounded up to a step, and is never enlarged', async () => {
    const wide = await stored(
      await sharp({ create: { width: 3_000, height: 1_000, channels: 3, background: 'white' } })
        .png()
        .toBuffer(),
      'image/png',
    );
    const widths = [];
    for (const w of [1, 400, 401, 1_999, 2_000]) widths.push((await picture(pageUrl(wide, 0, `&w=${w}`))).width);
    expect(widths).toEqual([400, 400, 800, 2_000, 2_000]);
    const small = await stored(
      await sharp({ create: { width: 90, height: 30, channels: 3, background: 'white' } })
        .png()
        .toBuffer(),
      'image/png',
    );
    expect(await picture(pageUrl(small, 0, '&w=2000'))).toMatchObject({ width: 90, height: 30 });
  });

  test('is turned clockwise, and its width is counted then', async () => {
    // Red above, blue below.
    const half = { create: { width: 900, height: 300, channels: 3, background: 'red' } } as const;
    const bytes = await sharp(half).extend({ bottom: 300, background: 'blue' }).png().toBuffer();
    const document = await stored(bytes, 'image/png');
    const corner = async (rotate: string) => {
      const { bytes: webp, width, height } = await picture(pageUrl(document, 0, `&w=400&rotate=${rotate}`));
      const [red = 0, , blue = 0] = await sharp(webp)
        .extract({ left: 5, top: 5, width: 1, height: 1 })
        .raw()
        .toBuffer();
      return { width, height, corner: red > blue ? 'red' : 'blue' };
    };
    expect(await corner('0')).toEqual({ width: 400, height: 267, corner: 'red' });
    expect(await corner('90')).toEqual({ width: 400, height: 600, corner: 'blue' });
    expect(await corner('180')).toEqual({ width: 400, height: 267, corner: 'blue' });
    expect(await corner('270')).toEqual({ width: 400, height: 600, corner: 'red' });
  });

  test('of a strip as long as the format allows is a picture all the same', async () => {
    const strip = { create: { width: 300, height: 40_000, channels: 3, background: 'white' } } as const;
    const { width, height } = await picture(pageUrl(await stored(await sharp(strip).png().toBuffer(), 'image/png')));
    expect(height).toBe(8_000);
    expect(width).toBe(60);
  });

  test('is upright before it is turned, as EXIF says of a photograph', async () => {
    const photo = await stored(await fixture('photo-rotated.jpg'), 'image/jpeg');
    const ratio = photo.height / photo.width;
    expect(ratio).toBeGreaterThan(1.1);
    const [upright, turned] = [await picture(pageUrl(photo)), await picture(pageUrl(photo, 0, '&rotate=90'))];
    expect(upright.height / upright.width).toBeCloseTo(ratio, 2);
    expect(turned.width / turned.height).toBeCloseTo(ratio, 2);
  });

  test('carries nothing of the file but its pixels: no place, no name, no script', async () => {
    const plain = sharp({ create: { width: 600, height: 300, channels: 3, background: 'green' } });
    const jpeg = await plain
      .withExif({
        IFD0: { Artist: 'Delphine Secret' },
        IFD3: {
          GPSLatitudeRef: 'N',
          GPSLatitude: '51/1 30/1 3230/100',
          GPSLongitudeRef: 'W',
          GPSLongitude: '0/1 7/1 4366/100',
        },
      })
      .jpeg()
      .toBuffer();
    const polyglot = Buffer.concat([jpeg, Buffer.from('<script>alert("hidden")</script>')]);
    expect((await sharp(polyglot).metadata()).exif).toBeDefined();
    const document = await stored(polyglot, 'image/jpeg');
    for (const url of [pageUrl(document), pageUrl(document, 0, '&rotate=90'), thumbnailUrl(document)]) {
      const { hidden, bytes } = await picture(url);
      expect(hidden).toBeNull();
      for (const text of ['Delphine', 'script', 'Exif', 'EXIF', 'GPS']) expect(bytes.includes(text)).toBe(false);
    }
  });

  test('is not run, not sniffed, and cached by the browser', async () => {
    for (const url of [pageUrl(letter), thumbnailUrl(letter)]) {
      const { response } = await picture(url);
      expect(Object.fromEntries(response.headers)).toMatchObject({
        'x-content-type-options': 'nosniff',
        'content-security-policy': "default-src 'none'; base-uri 'none'; frame-ancestors 'none'; sandbox",
        'cross-origin-resource-policy': 'cross-origin',
        'cache-control': 'private, max-age=3600, immutable',
      });
      const etag = response.headers.get('etag') ?? '';
      const again = await fetch(url, { headers: { 'if-none-match': etag } });
      expect([again.status, await again.text()]).toEqual([304, '']);
      const other = await fetch(url, { headers: { 'if-none-match': '"other"' } });
      expect(other.status).toBe(200);
      await other.arrayBuffer();
    }
  });
});

describe('A thumbnail', () => {
  test('is 320 pixels at its longest side, or as large as asked for up to 640', async () => {
    const longest = async (more: string) => {
      const { width, height } = await picture(thumbnailUrl(letter, more));
      return Math.max(width, height);
    };
    expect(await longest('')).toBe(320);
    expect(await longest('&w=100')).toBe(160);
    expect(await longest('&w=640')).toBe(640);
    expect(await problem(thumbnailUrl(letter, '&w=641'))).toMatchObject({ status: 400, code: 'request.invalid' });
  });
});

describe('An address of a picture', () => {
  test.each(['0', '-1', '2001', '1e3', '400.5', 'abc', '', '00400', '999999', '400&w=800'])(
    'with w=%s is refused by the name of the field',
    async (w) => {
      const { status, body } = await problem(pageUrl(letter, 0, `&w=${w}`));
      expect([status, body.code, body.errors?.[0]?.pointer]).toEqual([400, 'request.invalid', '/w']);
    },
  );

  test.each(['45', '-90', '360', '90.0', 'left', '90&rotate=180'])('with rotate=%s is refused', async (rotate) => {
    const { status, body } = await problem(pageUrl(letter, 0, `&rotate=${rotate}`));
    expect([status, body.code, body.errors?.[0]?.pointer]).toEqual([400, 'request.invalid', '/rotate']);
  });

  test('of a page that the document does not have leads nowhere', async () => {
    for (const page of [1, 7, 9_999]) expect((await problem(pageUrl(letter, page))).status).toBe(404);
    for (const page of ['-1', 'x', '1.5', '00', '99999'])
      expect((await problem(pageUrl(letter).replace('pages/0.webp', `pages/${page}.webp`))).status).toBe(404);
  });

  test('that is forged, of another document, or of another kind is refused', async () => {
    const url = pageUrl(letter);
    const [, signature = ''] = /signature=([^&]+)/.exec(url) ?? [];
    const forged = [
      url.replace(/expires=\d/, 'expires=9'),
      url.replace(signature, signature.toLowerCase()),
      url.replace(signature, ''),
      url.replace(/&signature=.*/, ''),
      url.replace(/expires=\d+&/, ''),
      `${url}&signature=${signature}`,
      url.replace(letter._id, pdf._id),
      url.replace(letter.organizationId, 'org_other'),
      thumbnailUrl(letter).replace('thumbnail.webp', 'pages/0.webp'),
      url.replace('pages/0.webp', 'thumbnail.webp'),
    ];
    for (const one of forged)
      expect(await problem(one), one).toMatchObject({ status: 403, code: 'object.signature_invalid' });
  });

  test('expires, and says so', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - 2 * 3_600_000 });
    const urls = [pageUrl(letter), thumbnailUrl(letter)];
    vi.useRealTimers();
    for (const url of urls) expect(await problem(url)).toMatchObject({ status: 403, code: 'object.expired' });
  });

  test('stays the same for a while, so that browsers need not load the picture again', () => {
    const times = [0, 1_000, 30_000].map((ms) => {
      vi.useFakeTimers({ toFake: ['Date'], now: 1_800_000_001_000 + ms });
      return pageUrl(letter);
    });
    expect(new Set(times).size).toBe(1);
  });
});

test('the original is handed out as an attachment that no browser runs, and only by its own address', async () => {
  const bytes = await fixture('letter.png');
  const url = await app.app.deps.thumbnails.originalUrl(letter);
  const response = await fetch(url);
  expect(Buffer.from(await response.arrayBuffer()).equals(bytes)).toBe(true);
  expect(response.headers.get('content-disposition')).toMatch(/^attachment/);
  expect(response.headers.get('content-type')).toBe('application/octet-stream');
  expect(response.headers.get('x-content-type-options')).toBe('nosniff');
  expect(new URL(url).origin).not.toBe(new URL(app.addresses.api).origin);
  expect((await fetch(url.replace(/signature=.{5}/, 'signature=AAAAA'))).status).toBe(403);
});
