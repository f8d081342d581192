import { deflateSync } from 'node:zlib';

/**
 * A PDF of one page whose drawing instructions, lines over the page, unpack to so many megabytes: about a thousandth is packed. `disguise`:
 * more of the stream's dictionary.
 */
export function drawingPdf(megabytes: number, disguise = ''): Buffer {
  const lines = deflateSync(Buffer.alloc(megabytes * 1_048_576, '0 0 m 600 800 l S\n'), { level: 9 });
  const head = `%PDF-1.4
1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj
2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj
3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R>>endobj
4 0 obj<<${disguise}/Length ${lines.length}/Filter/FlateDecode>>stream
`;
  return Buffer.concat([Buffer.from(head), lines, Buffer.from('\nendstream endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n')]);
}
