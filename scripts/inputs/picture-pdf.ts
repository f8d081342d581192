interface Picture {
  readonly width: number;
  readonly height: number;
  /** Entries of its dictionary, such as `/Filter /FlateDecode`. */
  readonly entries: string;
  readonly data: Buffer;
}

interface Page {
  readonly picture?: Picture;
  /** Operators that place it as `/I Do`. Default: over the whole page. */
  readonly place?: string;
  /** Operators that write text with `/F1`, which is Helvetica. */
  readonly text?: string;
}

/** A PDF of one page of 600 x 800 points with a picture, and text after it. */
export function picturePdf({ picture, place = '600 0 0 800 0 0 cm', text = '' }: Page): Buffer {
  const content = `${picture === undefined ? '' : `q ${place} /I Do Q`} ${text}`;
  const { width = 1, height = 1, entries = '', data = Buffer.alloc(3) } = picture ?? {};
  const objects = [
    Buffer.from('<< /Type /Catalog /Pages 2 0 R >>'),
    Buffer.from('<< /Type /Pages /Kids [3 0 R] /Count 1 >>'),
    Buffer.from(
      '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 4 0 R /Resources << /XObject << /I 5 0 R >> /Font << /F1 6 0 R >> >> >>',
    ),
    Buffer.from(`<< /Length ${content.length} >>\nstream\n${content}\nendstream`),
    Buffer.concat([
      Buffer.from(
        `<< /Type /XObject /Subtype /Image /Width ${width} /Height ${height} ${entries} /Length ${data.length} >>\nstream\n`,
      ),
      data,
      Buffer.from('\nendstream'),
    ]),
    Buffer.from('<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>'),
  ];
  const parts = [Buffer.from('%PDF-1.5\n')];
  const offsets: number[] = [];
  let at = parts[0]?.length ?? 0;
  for (const [index, object] of objects.entries()) {
    offsets.push(at);
    const whole = Buffer.concat([Buffer.from(`${index + 1} 0 obj\n`), object, Buffer.from('\nendobj\n')]);
    parts.push(whole);
    at += whole.length;
  }
  const rows = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  const table = `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${rows}`;
  const trailer = `trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${at}\n%%EOF\n`;
  return Buffer.concat([...parts, Buffer.from(table + trailer)]);
}
