import { expect, test } from 'vitest';
import { createImageCodec } from '#src/adapters/images/image-codec.ts';
import * as samples from '#test/adapters/images/samples.ts';
import { pdfBomb } from '#test/adapters/images/pdf-bomb.ts';

test("PDFs that unfold to gigabytes are refused, take no memory of this process, and delay nobody else's document", async () => {
  const codec = createImageCodec();
  const good = samples.handmadePdf('Hello');
  const bomb = pdfBomb(100);
  // The process that reads PDFs is warm.
  await codec.inspect(good, 'org_other');
  const before = process.memoryUsage.rss();
  const order: string[] = [];
  const hostile = [bomb, bomb].map(async (bytes) => {
    const [outcome] = await Promise.allSettled([codec.inspect(bytes, 'org_hostile')]);
    order.push('hostile');
    return outcome;
  });
  await codec.inspect(good, 'org_other');
  order.push('good');
  const refused = { code: 'image.undecodable', detail: 'The PDF needs too much memory. Send its pages as images.' };
  for (const outcome of await Promise.all(hostile)) expect(outcome).toMatchObject({ reason: refused });
  expect(order).toEqual(['good', 'hostile', 'hostile']);
  expect((process.memoryUsage.rss() - before) / 1_048_576).toBeLessThan(300);
}, 90_000);
