import sharp, { type Sharp } from 'sharp';
import { crc32 } from 'node:zlib';

/** Documents of every accepted type, made on the spot. 60 x 40 pixels: white, with a black left third. */
const width = 60;
const height = 40;

export function picture(): Sharp {
  const black = { create: { width: width / 3, height, channels: 3, background: '#000000' } } as const;
  const white = { create: { width, height, channels: 3, background: '#ffffff' } } as const;
  return sharp(white).composite([{ input: black, left: 0, top: 0 }]);
}

/** `orientation` as EXIF, or as the TIFF tag. */
export const encoders = {
  'image/png': (image: Sharp) => image.png().toBuffer(),
  'image/jpeg': (image: Sharp) => image.jpeg().toBuffer(),
  'image/webp': (image: Sharp) => image.webp().toBuffer(),
  'image/avif': (image: Sharp) => image.avif({ effort: 0 }).toBuffer(),
  'image/tiff': (image: Sharp) => image.tiff({ compression: 'deflate' }).toBuffer(),
  'image/gif': (image: Sharp) => image.gif().toBuffer(),
} as const;
export type Encoded = keyof typeof encoders;
export const encodedTypes = Object.keys(encoders) as Encoded[];

/** A TIFF of gray pages, one strip each, in either byte order; page n is n times 10 gray. */
export function handmadeTiff(order: 'II' | 'MM', pages: number, size = { width: 8, height: 4 }): Buffer {
  const u16 = (value: number): Buffer => {
    const bytes = Buffer.alloc(2);
    if (order === 'II') bytes.writeUInt16LE(value);
    else bytes.writeUInt16BE(value);
    return bytes;
  };
  const u32 = (value: number): Buffer => {
    const bytes = Buffer.alloc(4);
    if (order === 'II') bytes.writeUInt32LE(value);
    else bytes.writeUInt32BE(value);
    return bytes;
  };
  const entry = (tag: number, value: number): Buffer => Buffer.concat([u16(tag), u16(4), u32(1), u32(value)]);
  const area = size.width * size.height;
  const pageBytes = area + 2 + 9 * 12 + 4;
  const parts: Buffer[] = [Buffer.from(order), u16(42), u32(8 + area)];
  for (let page = 0; page < pages; page += 1) {
    const start = 8 + page * pageBytes;
    const isLast = page === pages - 1;
    parts.push(
      Buffer.alloc(area, page * 10),
      u16(9),
      entry(256, size.width),
      entry(257, size.height),
      entry(258, 8),
      entry(259, 1),
      entry(262, 1),
      entry(273, start),
      entry(277, 1),
      entry(278, size.height),
      entry(279, area),
      u32(isLast ? 0 : start + pageBytes + area),
    );
  }
  return Buffer.concat(parts);
}

/** A PDF with Helvetica text, which is not embedded; `pages` pages, of US Letter where no size in points is given. */
export function handmadePdf(text: string, pages = 1, size = { width: 612, height: 792 }): Buffer {
  const content = `BT /F1 24 Tf ${Math.min(72, size.width / 8)} ${Math.max(16, size.height - 92)} Td (${text}) Tj ET`;
  const kids = Array.from({ length: pages }, (_, page) => `${page + 5} 0 R`);
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Kids [${kids.join(' ')}] /Count ${pages} >>`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
    ...kids.map(
      () =>
        `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${size.width} ${size.height}] /Contents 4 0 R /Resources << /Font << /F1 3 0 R >> >> >>`,
    ),
  ];
  let body = '%PDF-1.4\n';
  const offsets: number[] = [];
  for (const [index, object] of objects.entries()) {
    offsets.push(body.length);
    body += `${index + 1} 0 obj\n${object}\nendobj\n`;
  }
  const rows = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  const table = `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${rows}`;
  return Buffer.from(
    `${body}${table}trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${body.length}\n%%EOF\n`,
  );
}

/** A whole PNG but for its pixels, that says to have `side` x `side` of them. */
export function bombPng(side: number): Buffer {
  const chunk = (type: string, data: Buffer): Buffer => {
    const named = Buffer.concat([Buffer.from(type), data]);
    const framed = Buffer.alloc(named.length + 8);
    framed.writeUInt32BE(data.length);
    named.copy(framed, 4);
    framed.writeUInt32BE(crc32(named), named.length + 4);
    return framed;
  };
  const header = Buffer.alloc(13);
  header.writeUInt32BE(side, 0);
  header.writeUInt32BE(side, 4);
  header.set([8, 2, 0, 0, 0], 8);
  const signature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    chunk('IDAT', Buffer.alloc(64)),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}
