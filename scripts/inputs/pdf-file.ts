/** An object of a PDF: its dictionary or value, and the bytes of its stream. */
export interface PdfObject {
  readonly value: string;
  readonly stream?: Buffer;
}

export interface PdfFile {
  /** From number 1. The first is the catalog. */
  readonly objects: readonly (PdfObject | string)[];
  /** Entries of the trailer beside Size and Root. */
  readonly trailer?: string;
  readonly header?: string;
  /** Added to each offset of the table of objects: the table is then wrong. */
  readonly offsetBy?: number;
}

export const stream = (bytes: Buffer | string, entries = ''): PdfObject => {
  const data = typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes;
  return { value: `<< ${entries} /Length ${data.length} >>`, stream: data };
};

/** Writes a PDF. Source: ISO 32000-1 §7.5. */
export function pdfFile({ objects, trailer = '', header = '%PDF-1.5\n', offsetBy = 0 }: PdfFile): Buffer {
  const parts = [Buffer.from(header, 'latin1')];
  const offsets: number[] = [];
  let at = parts[0]?.length ?? 0;
  for (const [index, object] of objects.entries()) {
    const { value, stream: data }: PdfObject = typeof object === 'string' ? { value: object } : object;
    const body = data === undefined ? [] : [Buffer.from('\nstream\n'), data, Buffer.from('\nendstream')];
    const whole = Buffer.concat([
      Buffer.from(`${index + 1} 0 obj\n${value}`, 'latin1'),
      ...body,
      Buffer.from('\nendobj\n'),
    ]);
    offsets.push(at);
    parts.push(whole);
    at += whole.length;
  }
  const rows = offsets.map((offset) => `${String(offset + offsetBy).padStart(10, '0')} 00000 n \n`).join('');
  const table = `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${rows}`;
  const end = `trailer\n<< /Size ${objects.length + 1} /Root 1 0 R ${trailer} >>\nstartxref\n${at}\n%%EOF\n`;
  return Buffer.concat([...parts, Buffer.from(table + end, 'latin1')]);
}

export interface Page {
  /** Entries of the page beside Type, Parent, Resources and Contents. */
  readonly entries?: string;
  readonly content: string | Buffer | PdfObject;
  /** XObjects by name, from number 6. */
  readonly forms?: Readonly<Record<string, PdfObject>>;
  /** Further objects after those, and entries of the catalog. */
  readonly more?: readonly (PdfObject | string)[];
  readonly catalog?: string;
}

export const mediaBox = '/MediaBox [0 0 600 300]';

/** Objects of a document of one page, with Helvetica as `/F1`. Numbers: 1 catalog, 2 pages, 3 page, 4 content, 5 font, 6 and more: forms. */
export function onePage({
  entries = mediaBox,
  content,
  forms = {},
  more = [],
  catalog = '',
}: Page): PdfFile['objects'] {
  const names = Object.keys(forms).map((name, index) => `/${name} ${index + 6} 0 R`);
  const resources = `<< /Font << /F1 5 0 R >> /XObject << ${names.join(' ')} >> >>`;
  return [
    `<< /Type /Catalog /Pages 2 0 R ${catalog} >>`,
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    `<< /Type /Page /Parent 2 0 R ${entries} /Resources ${resources} /Contents 4 0 R >>`,
    typeof content === 'string' || Buffer.isBuffer(content) ? stream(content) : content,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    ...Object.values(forms),
    ...more,
  ];
}

/** Operators that write lines at a place, in points. */
export const written = (x = 40, y = 220, mode = ''): string =>
  `BT ${mode} /F1 24 Tf 30 TL ${x} ${y} Td (Invoice 4711 of 12 May) Tj T* (Paper and two pens) Tj T* (Total 12.50 EUR) Tj ET`;
