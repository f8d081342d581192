import { readdir, readFile } from 'node:fs/promises';
import sharp from 'sharp';
import { beforeAll, describe, expect, it } from 'vitest';
import { fixtures } from '#scripts/fixtures/catalog.ts';
import { truthRow, type Fixture, type TruthRow } from '#scripts/fixtures/fixture.ts';
import { registerFonts } from '#scripts/fixtures/fonts.ts';
import { characterErrorRate } from '#scripts/bench/documents/character-error-rate.ts';

const folder = new URL('./fixtures/', import.meta.url);
const rows = JSON.parse(await readFile(new URL('ground-truth.json', folder), 'utf8')) as TruthRow[];
const images = rows.filter((row) => row.contentType !== 'application/pdf');
const read = (file: string): Promise<Buffer> => readFile(new URL(file, folder));

function named(file: string): Fixture {
  const found = fixtures.find((fixture) => fixture.file === file);
  if (found === undefined) throw new Error(`No fixture is called ${file}.`);
  return found;
}

describe('the collection', () => {
  it('lists every file once in the ground truth, and nothing else', async () => {
    const files = (await readdir(folder)).filter((file) => file !== 'README.md' && file !== 'ground-truth.json');
    expect(rows.map((row) => row.file).toSorted()).toEqual(files.toSorted());
    expect(fixtures.map((fixture) => fixture.file)).toEqual(rows.map((row) => row.file));
  });

  it('is described file by file in its README', async () => {
    const readme = (await read('README.md')).toString();
    for (const { file } of rows) expect(readme).toContain(`| \`${file}\` |`);
  });

  it('stays small: 350 kB a file, 3 MB together', async () => {
    const sizes = await Promise.all(rows.map(async ({ file }) => (await read(file)).length));
    expect(Math.max(...sizes)).toBeLessThanOrEqual(350_000);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(3_000_000);
  });

  it('says something different in each document', () => {
    for (const [index, row] of rows.entries()) {
      for (const other of rows.slice(index + 1)) expect(characterErrorRate(row.text, other.text)).toBeGreaterThan(0.4);
    }
  });

  it('has both clean and degraded documents', () => {
    expect(new Set(rows.map((row) => row.degraded))).toEqual(new Set([true, false]));
  });
});

describe.each(rows)('$file', (row) => {
  it('has text on every page, with each fact in it', () => {
    expect(row.text.split('\f')).toHaveLength(row.pages);
    for (const page of row.text.split('\f')) expect(page.trim().length).toBeGreaterThan(50);
    expect(Object.keys(row.facts).length).toBeGreaterThanOrEqual(3);
    for (const value of Object.values(row.facts)) expect(row.text).toContain(value);
  });
});

describe.each(images)('the image $file', (row) => {
  it('is of the declared type, has the declared pages, and every page decodes to dark text on light paper', async () => {
    const bytes = await read(row.file);
    const { format, pages = 1 } = await sharp(bytes).metadata();
    expect([`image/${format}`, pages]).toEqual([row.contentType, row.pages]);
    for (let page = 0; page < row.pages; page += 1) {
      const { channels } = await sharp(bytes, { page, failOn: 'warning' }).toColourspace('srgb').stats();
      expect(channels[0]?.stdev).toBeGreaterThan(8);
    }
  });
});

describe('what single documents promise', () => {
  it('keeps a text layer and no dates in the PDF', async () => {
    const pdf = (await read('invoice.pdf')).toString('latin1');
    expect(pdf).toMatch(/^%PDF-1\.\d/u);
    expect(pdf.trimEnd()).toMatch(/%%EOF$/u);
    expect(pdf).toContain('/FontFile2');
    expect(pdf).toContain('/ToUnicode');
    expect(pdf).not.toContain('Date');
  });

  it('needs the EXIF orientation of the photo, and gives none for the page turned sideways', async () => {
    const photo = await sharp(await read('photo-rotated.jpg')).metadata();
    expect([photo.orientation, photo.width > photo.height]).toEqual([6, true]);
    const page = await sharp(await read('sideways.png')).metadata();
    expect([page.orientation, page.width > page.height]).toEqual([undefined, true]);
  });

  it('saves the statement with one bit a pixel', async () => {
    expect((await sharp(await read('statement.tiff')).metadata()).bitsPerSample).toBe(1);
  });
});

describe('making them again', () => {
  beforeAll(registerFonts);

  it.each(['note.gif', 'receipt-faded.jpg', 'invoice.pdf'])('gives the same bytes of %s twice', async (file) => {
    const [first, second] = [await named(file).make(), await named(file).make()];
    expect(first.bytes.equals(second.bytes)).toBe(true);
  });

  it('gives the stored truth', async () => {
    const file = 'note.gif';
    expect(truthRow(named(file), await named(file).make())).toEqual(rows.find((row) => row.file === file));
  });

  it('gives the stored picture, but for rounding on another processor', async () => {
    const stored = await sharp(await read('note.gif'))
      .grayscale()
      .raw()
      .toBuffer();
    const made = await sharp((await named('note.gif').make()).bytes)
      .grayscale()
      .raw()
      .toBuffer();
    expect(made).toHaveLength(stored.length);
    const difference =
      made.reduce((sum, value, index) => sum + Math.abs(value - (stored[index] ?? 0)), 0) / made.length;
    expect(difference).toBeLessThan(0.5);
  });
});
