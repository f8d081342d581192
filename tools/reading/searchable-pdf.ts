import { deflateSync } from 'node:zlib';
import type { OcrLine } from '#src/domain/ports/ocr-engine.ts';
import { wordsOf } from '#src/domain/segment-locally/geometry.ts';
import { glyphlessFont, letter } from '#src/domain/text-forms/glyphless-font.ts';

/** A page picture with its lines. */
export interface PrintedPage {
  readonly jpeg: Buffer;
  /** Pixels of the picture. */
  readonly width: number;
  readonly height: number;
  readonly isGray: boolean;
  /** Size of the page in points, 1/72 inch. */
  readonly points: readonly [width: number, height: number];
  /** Boxes are fractions of the picture. */
  readonly lines: readonly OcrLine[];
}

/** Numbers of the objects that every page uses; those of pages follow. */
const objects = { catalog: 1, pages: 2, font: 3, letters: 4, metrics: 5, file: 6, glyphs: 7, unicode: 8 } as const;
const firstOfPages = 9;

const codes = 65_536;
/** Maps every code to itself as UTF-16. */
const toUnicode = `/CIDInit /ProcSet findresource begin 12 dict begin begincmap
/CIDSystemInfo << /Registry (Adobe) /Ordering (UCS) /Supplement 0 >> def
/CMapName /Adobe-Identity-UCS def /CMapType 2 def
1 begincodespacerange <0000> <FFFF> endcodespacerange
1 beginbfrange <0000> <FFFF> <0000> endbfrange
endcmap CMapName currentdict /CMap defineresource pop end end
`;

/**
 * A PDF of page pictures, each with its text over it: not drawn, but found, selected and copied. It is written as the pages come, so that one
 * page is in memory at a time. Text is UTF-16 in a font without outlines, for every script. `languages`: BCP 47 tags. Source:
 * ISO 32000-1, docs/decisions/0139.
 */
export async function* searchablePdf(
  pages: AsyncGenerator<PrintedPage>,
  [language]: readonly string[],
): AsyncGenerator<Buffer> {
  const offsets: number[] = [];
  let written = 0;
  const counted = (bytes: Buffer): Buffer => {
    written += bytes.length;
    return bytes;
  };
  const object = (id: number, content: string | Buffer): Buffer => {
    offsets[id] = written;
    return counted(Buffer.concat([Buffer.from(`${id} 0 obj\n`), Buffer.from(content), Buffer.from('\nendobj\n')]));
  };

  // A reader who stops early ends the pages, too.
  await using all = pages;
  // The first page comes before the first byte, so that its errors are answered as errors.
  let next = await all.next();
  // Bytes over 127 tell programs that the file is binary.
  yield counted(Buffer.from('%PDF-1.5\n%\xe2\xe3\xcf\xd3\n', 'latin1'));
  for (const [id, content] of fontObjects()) yield object(id, content);
  const kids: number[] = [];
  for (; next.done !== true; next = await all.next()) {
    const page = next.value;
    const id = firstOfPages + kids.length * 3;
    kids.push(id);
    const [width, height] = page.points.map(number);
    const resources = `<< /XObject << /P ${id + 2} 0 R >> /Font << /T ${objects.font} 0 R >> >>`;
    const box = `[0 0 ${width} ${height}]`;
    yield object(
      id,
      `<< /Type /Page /Parent ${objects.pages} 0 R /MediaBox ${box} /Resources ${resources} /Contents ${id + 1} 0 R >>`,
    );
    const content = `q ${width} 0 0 ${height} 0 0 cm /P Do Q\n${textOf(page)}`;
    yield object(id + 1, stream('/Filter /FlateDecode', deflateSync(content)));
    const colors = page.isGray ? '/DeviceGray' : '/DeviceRGB';
    const size = `/Width ${page.width} /Height ${page.height}`;
    const picture = `/Type /XObject /Subtype /Image ${size} /ColorSpace ${colors} /BitsPerComponent 8 /Filter /DCTDecode`;
    yield object(id + 2, stream(picture, page.jpeg));
  }
  const list = kids.map((id) => `${id} 0 R`).join(' ');
  yield object(objects.pages, `<< /Type /Pages /Count ${kids.length} /Kids [${list}] >>`);
  const lang = language === undefined ? '' : ` /Lang (${language.replaceAll(/[^A-Za-z0-9-]/g, '')})`;
  yield object(objects.catalog, `<< /Type /Catalog /Pages ${objects.pages} 0 R${lang} >>`);
  const entries = offsets.slice(1).map((at) => `${String(at).padStart(10, '0')} 00000 n \n`);
  const trailer = `trailer\n<< /Size ${offsets.length} /Root ${objects.catalog} 0 R >>\nstartxref\n${written}\n%%EOF\n`;
  yield Buffer.from(`xref\n0 ${offsets.length}\n0000000000 65535 f \n${entries.join('')}${trailer}`);
}

function stream(facts: string, bytes: Buffer): Buffer {
  const head = Buffer.from(`<< ${facts} /Length ${bytes.length} >>\nstream\n`);
  return Buffer.concat([head, bytes, Buffer.from('\nendstream')]);
}

function* fontObjects(): Generator<readonly [id: number, content: string | Buffer]> {
  const name = '/BaseFont /Glyphless';
  yield [
    objects.font,
    `<< /Type /Font /Subtype /Type0 ${name} /Encoding /Identity-H /DescendantFonts [${objects.letters} 0 R] /ToUnicode ${objects.unicode} 0 R >>`,
  ];
  const system = '/CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >>';
  yield [
    objects.letters,
    `<< /Type /Font /Subtype /CIDFontType2 ${name} ${system} /FontDescriptor ${objects.metrics} 0 R /CIDToGIDMap ${objects.glyphs} 0 R /DW ${letter.width} >>`,
  ];
  const heights = `/Ascent ${letter.ascent} /Descent -${letter.descent} /CapHeight ${letter.ascent} /ItalicAngle 0 /StemV 80`;
  const box = `/FontBBox [0 -${letter.descent} ${letter.width} ${letter.ascent}]`;
  yield [
    objects.metrics,
    `<< /Type /FontDescriptor /FontName /Glyphless /Flags 5 ${box} ${heights} /FontFile2 ${objects.file} 0 R >>`,
  ];
  const file = glyphlessFont();
  yield [objects.file, stream(`/Length1 ${file.length}`, file)];
  // Every code is drawn with glyph 1.
  const glyphs = Buffer.alloc(codes * 2);
  for (let code = 0; code < codes; code += 1) glyphs[code * 2 + 1] = 1;
  yield [objects.glyphs, stream('/Filter /FlateDecode', deflateSync(glyphs))];
  yield [objects.unicode, stream('', Buffer.from(toUnicode))];
}

/** The lines as text that is not drawn (mode 3). Each word is stretched over its box, and has the height of its line. */
function textOf({ lines, points: [width, height] }: PrintedPage): string {
  const written = lines.flatMap((line) => {
    const [, top, , high] = line.box;
    const size = high * height;
    const base = height - (top + high) * height + (size * letter.descent) / 1_000;
    if (!isLength(size) || !Number.isFinite(base)) return [];
    const words = wordsOf(line).flatMap(({ text, box: [left, , wide] }) => {
      const stretch = (wide * width * 100 * 1_000) / (text.length * size * letter.width);
      if (!isLength(stretch) || !Number.isFinite(left)) return [];
      // The space after a word parts it from the next one in programs that go by letters.
      return [`${number(stretch)} Tz 1 0 0 1 ${number(left * width)} ${number(base)} Tm <${utf16(`${text} `)}> Tj`];
    });
    return words.length === 0 ? [] : [`/T ${number(size)} Tf\n${words.join('\n')}`];
  });
  return written.length === 0 ? '' : `BT 3 Tr\n${written.join('\n')}\nET\n`;
}

const isLength = (value: number): boolean => Number.isFinite(value) && value > 0.01;
const number = (value: number): string => String(Number(value.toFixed(3)));
const utf16 = (text: string): string => Buffer.from(text.toWellFormed(), 'utf16le').swap16().toString('hex');
