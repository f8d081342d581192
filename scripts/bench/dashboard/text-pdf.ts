/** Lines of a page. */
const lines = 36;

const pageText = (title: string, page: number): string =>
  Array.from({ length: lines }, (_, line) => {
    const words = `${title}, page ${page + 1}, line ${line + 1}: parcel ${page * lines + line} of juniper and walnut`;
    return `BT /F1 11 Tf 50 ${780 - line * 20} Td (${words}) Tj ET`;
  }).join('\n');

/** A PDF whose pages have text in Helvetica, which the service reads without recognition. No two titles make the same bytes. */
export function textPdf(title: string, pages: number): Buffer {
  const kids = Array.from({ length: pages }, (_, page) => `${4 + page * 2} 0 R`).join(' ');
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Kids [${kids}] /Count ${pages} >>`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    ...Array.from({ length: pages }, (_, page) => {
      const content = pageText(title, page);
      return [
        `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents ${5 + page * 2} 0 R /Resources << /Font << /F1 3 0 R >> >> >>`,
        `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
      ];
    }).flat(),
  ];
  let text = '%PDF-1.5\n';
  const offsets = objects.map((object, index) => {
    const offset = text.length;
    text += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return offset;
  });
  const table = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  const trailer = `trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${text.length}\n%%EOF\n`;
  return Buffer.from(`${text}xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${table}${trailer}`);
}
