import { expect, test } from 'vitest';
import { createImageCodec } from '#src/adapters/images/image-codec.ts';
import * as samples from '#test/adapters/images/samples.ts';
import { drawingPdf } from '#scripts/inputs/drawing-pdf.ts';
import { pdfBomb } from '#test/adapters/images/pdf-bomb.ts';

test("PDFs that unfold to gigabytes are refused, take no memory of this process, and delay nobody else's document", async () => {
  const codec = createImageCodec();
  const good = samples.handmadePdf('Hello');
  // A stream that calls itself a picture is unpacked, and ended by the memory of its process.
  const bomb = pdfBomb(100, '/Subtype /Image');
  // The process that reads PDFs is warm.
  await codec.inspect(good, { owner: 'org_other' });
  const before = process.memoryUsage.rss();
  const order: string[] = [];
  const hostile = [bomb, bomb].map(async (bytes) => {
    const [outcome] = await Promise.allSettled([codec.inspect(bytes, { owner: 'org_hostile' })]);
    order.push('hostile');
    return outcome;
  });
  await codec.inspect(good, { owner: 'org_other' });
  order.push('good');
  const refused = { code: 'image.undecodable', detail: 'The PDF needs too much memory. Send its pages as images.' };
  for (const outcome of await Promise.all(hostile)) expect(outcome).toMatchObject({ reason: refused });
  expect(order).toEqual(['good', 'hostile', 'hostile']);
  expect((process.memoryUsage.rss() - before) / 1_048_576).toBeLessThan(300);
}, 90_000);

test('a PDF with a stream that unpacks to more than any real one is refused before a reader unpacks it', async () => {
  const codec = createImageCodec();
  const refused = {
    code: 'image.undecodable',
    detail: 'A part of the PDF unpacks to more than 64 MiB. Send its pages as images.',
  };
  for (const bomb of [pdfBomb(65), drawingPdf(65)]) await expect(codec.inspect(bomb)).rejects.toMatchObject(refused);
  for (const large of [pdfBomb(1), drawingPdf(60)])
    await expect(codec.inspect(large)).resolves.toMatchObject({ pages: 1 });
});
