import { describe, expect, test } from 'vitest';
import { enlargement, printHeight } from '#src/domain/documents/print-height.ts';
import type { GrayRaster } from '#src/domain/ports/image-codec.ts';

const [width, height] = [900, 600];

type Box = readonly [left: number, top: number, width: number, height: number];

/** White paper with frames of dark ink, as thick as strokes of letters. */
function paperWith(boxes: readonly Box[]): GrayRaster {
  const pixels = new Uint8Array(width * height).fill(245);
  for (const [left, top, wide, high] of boxes)
    for (let y = top; y < top + high; y += 1)
      for (let x = left; x < left + wide; x += 1)
        if (x < left + 2 || x >= left + wide - 2 || y < top + 2 || y >= top + high - 2) pixels[y * width + x] = 30;
  return { width, height, pixels };
}

const letters = (count: number, high: number): Box[] =>
  Array.from({ length: count }, (_, at) => [20 + (at % 20) * 40, 20 + Math.floor(at / 20) * 60, 8, high] as const);

describe('height of print', () => {
  test('is that of most letters, whatever else is on the page', () => {
    const specks = Array.from(
      { length: 200 },
      (_, at) => [5 + (at % 100) * 9, 500 + Math.floor(at / 100) * 9, 2, 2] as const,
    );
    const rest: Box[] = [[10, 560, 880, 4], [5, 10, 880, 480], ...letters(4, 44)];
    expect(printHeight(paperWith(letters(80, 12)))).toBe(12);
    expect(printHeight(paperWith([...letters(80, 12).slice(4), ...rest, ...specks]))).toBe(12);
  });

  test('is unknown on grainy paper with pale print, of which enlarging makes marks', () => {
    const { pixels } = paperWith(letters(80, 12));
    const faded = pixels.map((tone, at) => (tone < 100 ? 170 : 200 + ((at * 7_919) % 41)));
    expect(printHeight({ width, height, pixels: faded })).toBeNull();
  });

  test('is unknown with few letters', () => {
    expect(printHeight(paperWith(letters(12, 12)))).toBeNull();
    expect(printHeight(paperWith([]))).toBeNull();
  });
});

describe('enlargement', () => {
  test.each([
    [12, 2],
    [15, 1.6],
    [16, 1],
    [40, 1],
    [9, 1],
    [null, 1],
  ])('print of %s pixels is enlarged %s times', (print, factor) => {
    expect(enlargement(print, { width: 600, height: 1_200 })).toBe(factor);
  });

  test('large pages are enlarged up to a bound, or not at all', () => {
    const factor = enlargement(12, { width: 1_600, height: 2_600 });
    expect(factor).toBeGreaterThan(1.3);
    expect(1_600 * 2_600 * factor ** 2).toBeCloseTo(8_500_000);
    expect(enlargement(12, { width: 4_000, height: 4_000 })).toBe(1);
  });
});
