import { deflateSync } from 'node:zlib';

/**
 * A PDF of one page whose page dictionary holds a text of `megabytes`, deflated about a thousandfold inside an object stream. A reader
 * builds the text before it knows the size of the page. `disguise`: more of the stream's dictionary.
 */
export function pdfBomb(megabytes: number, disguise = ''): Buffer {
  const catalog = '<< /Type /Catalog /Pages 2 0 R >>';
  const pages = '<< /Type /Pages /Kids [3 0 R] /Count 1 >>';
  const page = '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Junk (';
  const index = `1 0 2 ${catalog.length + 1} 3 ${catalog.length + pages.length + 2} `;
  const start = Buffer.from(`${index}${catalog} ${pages} ${page}`);
  const content = deflateSync(Buffer.concat([start, Buffer.alloc(megabytes * 1_048_576, 'a'), Buffer.from(') >>')]));
  const head = Buffer.from('%PDF-1.5\n');
  const objects = Buffer.concat([
    Buffer.from(
      `4 0 obj\n<< /Type /ObjStm ${disguise} /N 3 /First ${index.length} /Filter /FlateDecode /Length ${content.length} >>\nstream\n`,
    ),
    content,
    Buffer.from('\nendstream\nendobj\n'),
  ]);
  const at = head.length + objects.length;
  const rows = [
    [0, 0, 0],
    [2, 4, 0],
    [2, 4, 1],
    [2, 4, 2],
    [1, head.length, 0],
    [1, at, 0],
  ];
  const table = Buffer.concat(
    rows.map(([type = 0, field = 0, third = 0]) => {
      const row = Buffer.alloc(6);
      row.writeUInt8(type, 0);
      row.writeUInt32BE(field, 1);
      row.writeUInt8(third, 5);
      return row;
    }),
  );
  const tail = Buffer.concat([
    Buffer.from(`5 0 obj\n<< /Type /XRef /Size 6 /W [1 4 1] /Root 1 0 R /Length ${table.length} >>\nstream\n`),
    table,
    Buffer.from(`\nendstream\nendobj\nstartxref\n${at}\n%%EOF\n`),
  ]);
  return Buffer.concat([head, objects, tail]);
}
