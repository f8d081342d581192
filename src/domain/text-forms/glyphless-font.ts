/** Units of the em square. Width, ascent and descent of the letter are fractions of it. */
const em = 1_000;
/** Metrics of every letter, in thousandths of the font size. The descent is below the base of the line. */
export const letter = { width: 500, ascent: 800, descent: 200 } as const;

/** Big-endian 16-bit numbers. */
function words(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 2);
  for (const [at, value] of values.entries()) bytes.writeUInt16BE(value & 0xffff, at * 2);
  return bytes;
}

/** Sum of the 32-bit words of a table, which is padded with zeros. */
function checksum(table: Buffer): number {
  let sum = 0;
  for (let at = 0; at < table.length; at += 4) sum = (sum + padded(table).readUInt32BE(at)) >>> 0;
  return sum;
}

const padded = (table: Buffer): Buffer => Buffer.concat([table, Buffer.alloc((4 - (table.length % 4)) % 4)]);

/** Tables in the order of their tags. Both glyphs, the one for missing letters and the letter, have no outline. */
const tables: readonly (readonly [tag: string, bytes: Buffer])[] = [
  ['glyf', Buffer.alloc(1)],
  // Version, revision, adjustment (not needed in a PDF), magic number, flags, units, dates, box, style, least size, direction, formats.
  [
    'head',
    Buffer.concat([
      words(1, 0, 1, 0, 0, 0, 0x5f0f, 0x3cf5, 0, em, ...Array.from({ length: 8 }, () => 0)),
      words(0, -letter.descent, letter.width, letter.ascent, 0, 3, 0, 0, 0),
    ]),
  ],
  // Version, ascent, descent, gap, largest advance, bearings and extent, caret, reserved, format, number of metrics.
  ['hhea', words(1, 0, letter.ascent, -letter.descent, 0, letter.width, 0, 0, letter.width, 1, 0, 0, 0, 0, 0, 0, 0, 1)],
  ['hmtx', words(letter.width, 0, 0)],
  ['loca', words(0, 0, 0)],
  // Version, glyphs, and the limits of outlines and instructions.
  ['maxp', words(1, 0, 2, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0)],
];

/**
 * A TrueType font whose letters are all the same empty glyph: the text over a page picture can be selected and is not drawn. Readers take
 * no text without an embedded font. Source: ISO 32000-2 §9.9 for the tables that a PDF needs.
 */
export function glyphlessFont(): Buffer {
  const count = tables.length;
  const power = 2 ** Math.floor(Math.log2(count));
  const head = words(1, 0, count, power * 16, Math.log2(power), (count - power) * 16);
  let at = head.length + count * 16;
  const directory = tables.map(([tag, bytes]) => {
    const entry = Buffer.alloc(16);
    entry.write(tag, 'latin1');
    entry.writeUInt32BE(checksum(bytes), 4);
    entry.writeUInt32BE(at, 8);
    entry.writeUInt32BE(bytes.length, 12);
    at += padded(bytes).length;
    return entry;
  });
  return Buffer.concat([head, ...directory, ...tables.map(([, bytes]) => padded(bytes))]);
}
