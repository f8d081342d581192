import { describe, expect, test } from 'vitest';
import { densestPart, isBlank, linesOf } from '#src/domain/documents/page-signs.ts';
import type { GrayRaster } from '#src/domain/ports/image-codec.ts';
import type { Mask } from '#src/domain/segment-locally/ink.ts';

function raster(width: number, height: number, toneAt: (x: number, y: number) => number): GrayRaster {
  const pixels = Uint8Array.from({ length: width * height }, (_, at) => toneAt(at % width, Math.floor(at / width)));
  return { width, height, pixels };
}

/** Lines of words: eight rows of ink and eight of paper, with gaps between letters that differ from line to line. */
function writing(width: number, height: number, isInside = (_x: number, _y: number) => true): Mask {
  const { pixels } = raster(width, height, (x, y) => {
    const line = Math.floor(y / 16);
    return Number(y % 16 < 8 && (x + line * 5) % 7 < 4 && isInside(x, y));
  });
  return { width, height, bits: pixels };
}

const turned = ({ width, height, bits }: Mask): Mask => ({
  width: height,
  height: width,
  bits: bits.map((_, at) => bits[(at % height) * width + Math.floor(at / height)] ?? 0),
});

describe('A blank page', () => {
  test('may have grain, shadow and specks', () => {
    expect(isBlank(raster(200, 300, () => 230))).toBe(true);
    expect(isBlank(raster(200, 300, (x, y) => 180 + x / 10 + ((x * 7 + y * 13) % 9)))).toBe(true);
    expect(isBlank(raster(200, 300, (x, y) => (x % 50 < 2 && y % 50 < 2 ? 0 : 230)))).toBe(true);
  });

  test.each([
    ['dark on light', 230, 100],
    ['pale', 230, 205],
    ['light on dark', 20, 90],
  ])('has no digit on it: %s', (_name, paper, ink) => {
    for (const [left, top] of [
      [100, 200],
      [0, 0],
      [198, 292],
    ] as const)
      expect(
        isBlank(raster(200, 300, (x, y) => (x >= left && x < left + 2 && y >= top && y < top + 8 ? ink : paper))),
      ).toBe(false);
  });
});

describe('The direction of lines', () => {
  test('is across, and down after a quarter turn', () => {
    expect(linesOf(writing(400, 600))).toBe('across');
    expect(linesOf(turned(writing(400, 600)))).toBe('down');
  });

  test('is unclear without ink, and in a chequered pattern', () => {
    expect(linesOf({ width: 50, height: 50, bits: new Uint8Array(2_500) })).toBe('unclear');
    const chequered = raster(400, 400, (x, y) => (Math.floor(x / 8) + Math.floor(y / 8)) % 2).pixels;
    expect(linesOf({ width: 400, height: 400, bits: chequered })).toBe('unclear');
  });
});

describe('The densest part', () => {
  test('lies where the writing is, not on a dark area', () => {
    const { bits } = writing(400, 600, (_x, y) => y >= 300 && y < 420);
    bits.fill(1, 0, 400 * 100);
    const part = densestPart({ width: 400, height: 600, bits }, { width: 0.5, height: 0.2 });
    expect(part.top * 600).toBeGreaterThan(250);
    expect((part.top + part.height) * 600).toBeLessThan(470);
    expect(part).toMatchObject({ width: 0.5, height: 0.2 });
  });

  test('of a page that is smaller is the page', () => {
    const whole = { left: 0, top: 0, width: 1, height: 1 };
    expect(densestPart(writing(40, 60), { width: 3, height: 2 })).toEqual(whole);
  });
});
