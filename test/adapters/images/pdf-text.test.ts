import { describe, expect, test } from 'vitest';
import { createImageCodec } from '#src/adapters/images/image-codec.ts';
import { flawOf, layerPage } from '#src/domain/documents/text-layer.ts';
import { picturePdf } from '#scripts/inputs/picture-pdf.ts';
import { damagedPicture } from '#test/adapters/images/damaged-picture.ts';
import { handmadePdf } from '#test/adapters/images/samples.ts';
import { fixture } from '#test/support/test-app.ts';

const codec = createImageCodec();
const sentence = 'The quick brown fox jumps over the lazy dog near the old river bank';
const written = `BT /F1 12 Tf 60 700 Td (${sentence}) Tj ET`;
const whole = {
  width: 1,
  height: 1,
  entries: '/ColorSpace /DeviceRGB /BitsPerComponent 8',
  data: Buffer.from([9, 9, 9]),
};
const flaw = async (bytes: Buffer) => {
  const text = await codec.text(bytes, 0);
  return text === null ? 'none' : flawOf(text);
};

describe('the text layer of a PDF', () => {
  test('gives the words of an invoice with their places', async () => {
    const text = await codec.text(await fixture('invoice.pdf'), 0);
    if (text === null) throw new Error('the fixture states text');
    expect(flawOf(text)).toBeNull();
    const page = layerPage(0, text);
    const drawn = await codec.page(await fixture('invoice.pdf'), 0);
    expect(page).toMatchObject({
      width: drawn.width,
      height: drawn.height,
      rotation: 0,
      confidence: 100,
      source: 'text-layer',
    });
    expect(page.lines.map((line) => line.text)).toEqual(page.text.split('\n').filter((line) => line !== ''));
  });

  test('has its words where the page draws them', async () => {
    const text = await codec.text(picturePdf({ text: written }), 0);
    const [line] = layerPage(0, text ?? expect.unreachable()).lines;
    expect(line?.text).toBe(sentence);
    const [x, y, width, height] = line?.words[0]?.box ?? [];
    expect([x, y, width, height].map((side) => Math.round((side ?? 0) * 100))).toEqual([10, 11, 3, 1]);
  });

  test('is not used where the page shows something else', async () => {
    expect(await flaw(picturePdf({ text: written }))).toBeNull();
    expect(await flaw(picturePdf({ text: `3 Tr ${written}` }))).toBe('hidden');
    expect(await flaw(picturePdf({ text: written, picture: whole }))).toBe('pictures');
    expect(
      await flaw(
        picturePdf({ text: `${written} q 600 0 0 800 0 0 cm /I Do Q`, picture: whole, place: '9 0 0 9 0 0 cm' }),
      ),
    ).toBe('hidden');
    expect(await flaw(picturePdf({ text: '/OC /Layer BDC EMC', picture: whole }))).toBe('none');
    expect(await flaw(picturePdf({ text: written.replace(sentence, 'Only a stamp') }))).toBe('short');
    expect(await flaw(picturePdf({ text: `BT 0 1 -1 0 300 100 Tm /F1 9 Tf (${sentence}) Tj ET` }))).toBe('turned');
  });

  test('tells a small damaged picture beside it', async () => {
    const text = await codec.text(picturePdf({ text: written, picture: damagedPicture, place: '60 0 0 60 0 0 cm' }), 0);
    expect(text?.losses).toEqual(['picture_damaged']);
    expect(layerPage(0, text ?? expect.unreachable()).losses).toEqual(['picture_damaged']);
  });

  test('is absent for images, and an index past the last page is refused', async () => {
    expect(await codec.text(await fixture('note.gif'), 0)).toBeNull();
    await expect(codec.text(handmadePdf('Hello'), 1)).rejects.toMatchObject({ code: 'request.invalid' });
  });
});
