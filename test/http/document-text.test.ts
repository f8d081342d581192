import { afterAll, beforeAll, expect, test } from 'vitest';
import { getDocument } from 'pdfjs-dist/legacy/build/pdf.mjs';
import { fixture, startTestApp, type TestApp } from '#test/support/test-app.ts';

let app: TestApp;
let id: string;
let words: string[];
beforeAll(async () => {
  app = await startTestApp({ env: { SERVICES: 'api,agents' } });
  ({ id } = await app.ingest(await fixture('statement.tiff'), 'image/tiff', 'Auszug 02.2024.tiff'));
  await app.app.idle();
  words = (await text('')).body.split(/\s+/).filter((word) => word !== '');
});
afterAll(() => app[Symbol.asyncDispose]());

async function text(query: string, document = id, area = 'service', headers?: Record<string, string>) {
  const response = await fetch(new URL(`/api/${area}/documents/${document}/text${query}`, app.addresses.api), {
    headers: headers ?? { 'x-api-key': app.seed.serviceKey },
  });
  const bytes = Buffer.from(await response.arrayBuffer());
  return { status: response.status, headers: response.headers, bytes, body: bytes.toString() };
}

/** The text between tags, or of CONTENT, with entities read. */
const read = (xml: string, pattern: RegExp): string[] =>
  [...xml.matchAll(pattern)].map(([, found = '']) =>
    found
      .replaceAll('&lt;', '<')
      .replaceAll('&gt;', '>')
      .replaceAll('&quot;', '"')
      .replaceAll('&#39;', "'")
      .replaceAll('&amp;', '&'),
  );

test('the text of a document leaves as text, Markdown, hOCR and ALTO, whole or by page', async () => {
  const plain = await text('');
  expect(plain.headers.get('content-type')).toContain('text/plain');
  expect(plain.headers.get('content-language')).toBe('en');
  expect(plain.body.split('\f').length).toBeGreaterThan(1);
  expect((await text('?page=1')).body).toBe(plain.body.split('\f')[1]);
  expect((await text('?format=markdown')).body).toContain('| --- |');
  const hocr = await text('?format=hocr');
  expect(read(hocr.body, /class="ocrx_word"[^>]*>([^<]*)</g)).toEqual(words);
  expect(hocr.headers.get('content-security-policy')).toContain('sandbox');
  const alto = await text('?format=alto');
  expect(read(alto.body, /CONTENT="([^"]*)"/g)).toEqual(words);
  expect(alto.body).toContain('LANG="en"');
  expect((await text('?format=alto&page=1')).body.match(/<Page /g)).toHaveLength(1);
  const cookie = await app.signIn();
  expect((await text('?format=hocr', id, 'dashboard', { cookie })).body).toBe(hocr.body);
});

test('a searchable PDF has the words of a page where the picture shows them', async () => {
  const { bytes, headers } = await text('?format=pdf');
  expect(headers.get('content-disposition')).toBe('attachment; filename="Auszug 02.2024.pdf"');
  const pdf = await getDocument({ data: new Uint8Array(bytes), verbosity: 0 }).promise;
  const [, , pageWidth = 0, pageHeight = 0] = (await pdf.getPage(1)).view;
  const found: string[] = [];
  for (let page = 1; page <= pdf.numPages; page += 1) {
    const { items } = await (await pdf.getPage(page)).getTextContent();
    found.push(...items.flatMap((item) => ('str' in item ? item.str.split(/\s+/) : [])).filter((word) => word !== ''));
  }
  expect(found).toEqual(words);
  const alto = (await text('?format=alto&page=0')).body;
  const [, width = 1, height = 1] = (/<Page [^>]*WIDTH="(\d+)" HEIGHT="(\d+)"/.exec(alto) ?? []).map(Number);
  const [, left = 0, top = 0, , high = 0] = (
    /<TextLine ID="\w+" HPOS="(\d+)" VPOS="(\d+)" WIDTH="(\d+)" HEIGHT="(\d+)"/.exec(alto) ?? []
  ).map(Number);
  const [item] = (await (await pdf.getPage(1)).getTextContent()).items;
  if (item === undefined || !('transform' in item)) throw new Error('the page has no text');
  const [, , , size, x, y] = item.transform as [number, number, number, number, number, number];
  expect(x / pageWidth).toBeCloseTo(left / width, 2);
  expect(1 - (y + 0.8 * size) / pageHeight).toBeCloseTo(top / height, 2);
  expect(size / pageHeight).toBeCloseTo(high / height, 2);
});

test('a document without text, an unknown page and an unknown format are told apart', async () => {
  const unread = await app.store(await fixture('letter.png'), 'image/png');
  expect(JSON.parse((await text('', unread.id)).body)).toMatchObject({ status: 409, code: 'document.unread' });
  for (const query of ['?page=99', '?format=docx', '?page=-1', '?pages=1'])
    expect(JSON.parse((await text(query)).body)).toMatchObject({ status: 400, code: 'request.invalid' });
  expect(JSON.parse((await text('', 'doc_unknown')).body)).toMatchObject({ status: 404, code: 'document.not_found' });
});
