import { describe, expect, test } from 'vitest';
import type { GrayRaster } from '#src/domain/ports/image-codec.ts';
import { segmentInk } from '#src/domain/segment-locally/from-ink.ts';
import { inkOf } from '#src/domain/segment-locally/ink.ts';
import { paperOf } from '#src/domain/segment-locally/paper.ts';
import { readPrompt } from '#src/domain/segment-locally/read-prompt.ts';
import { skewOf } from '#src/domain/segment-locally/skew.ts';

type Tone = (x: number, y: number) => number;

function raster(width: number, height: number, tone: Tone): GrayRaster {
  const pixels = Uint8Array.from({ length: width * height }, (_, at) => tone(at % width, Math.floor(at / width)));
  return { width, height, pixels };
}

/** Two lines of three words of four letters, on paper that gets darker to the right. */
const print: Tone = (x, y) => {
  const paper = 250 - x / 4;
  const inLine = (y >= 40 && y < 50) || (y >= 120 && y < 130);
  const column = x - 40;
  const inWord = column >= 0 && column % 80 < 60 && column < 240;
  return inLine && inWord && column % 15 < 8 ? paper / 4 : paper;
};
const page = raster(400, 200, print);
const find = (prompt: string, on = page) => segmentInk(readPrompt(prompt), on);

describe('Segments of ink', () => {
  test('words, lines and blocks are told apart by their gaps, in uneven light', () => {
    expect(find('words').segments).toHaveLength(6);
    expect(find('lines').segments).toHaveLength(2);
    const [first] = find('lines').segments;
    expect(first?.box).toEqual([0.1, 0.2, expect.closeTo(218 / 400), expect.closeTo(0.05)]);
  });

  test('text is the region of all print, foreground has a mask as well', () => {
    expect(find('text').segments).toMatchObject([{ label: 'text' }]);
    const [foreground] = find('foreground').segments;
    const runs = foreground?.mask?.runs ?? [];
    expect(runs.reduce((sum, run) => sum + run, 0)).toBe(400 * 200);
    expect(runs.filter((_, at) => at % 2 === 1).reduce((sum, run) => sum + run, 0)).toBe(24 * 8 * 10);
  });

  test.each(['total:', 'date', 'walnut', 'signature'])('"%s" needs text, so it is unsupported without', (prompt) => {
    expect(find(prompt)).toEqual({ segments: [], unsupportedPrompt: true });
  });

  test('an empty page has no segments, and that is an answer', () => {
    const empty = raster(100, 100, () => 240);
    for (const prompt of ['text', 'lines', 'foreground'])
      expect(find(prompt, empty)).toEqual({ segments: [], unsupportedPrompt: false });
  });

  test('the page is the sheet on a darker table, or all of the picture', () => {
    const sheet = raster(300, 400, (x, y) => (x >= 30 && x < 270 && y >= 40 && y < 360 ? print(x, y) : 60));
    const [left, top, width, height] = paperOf(sheet);
    expect([left, top, width, height]).toEqual([0.1, 0.1, 0.8, 0.8].map((value) => expect.closeTo(value) as number));
    expect(paperOf(page)).toEqual([0, 0, 1, 1]);
    expect(find('page').segments).toMatchObject([{ label: 'page', box: [0, 0, 1, 1] }]);
  });
});

describe('Skew', () => {
  /** Lines of text turned clockwise by an angle. */
  const turned = (degrees: number): GrayRaster => {
    const slope = Math.tan((degrees * Math.PI) / 180);
    return raster(600, 800, (x, y) => {
      const across = y - x * slope;
      const isLine = across > 100 && across < 700 && across % 30 < 10;
      return isLine && x > 60 && x < 540 && x % 12 < 7 ? 20 : 240;
    });
  };

  test.each([-15, -9.3, -2, -0.5, 0.7, 4, 12.4, 15])('of %d degrees is found to a fifth of a degree', (degrees) => {
    expect(Math.abs(skewOf(inkOf(turned(degrees)), 15) - degrees)).toBeLessThanOrEqual(0.2);
  });

  test('is 0 for straight lines, an empty page and noise', () => {
    let state = 1;
    const random = (): number => (state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0) / 2 ** 32;
    expect(skewOf(inkOf(turned(0)), 15)).toBe(0);
    expect(skewOf(inkOf(raster(100, 100, () => 255)), 15)).toBe(0);
    expect(skewOf(inkOf(raster(300, 300, () => (random() < 0.05 ? 0 : 255))), 15)).toBe(0);
  });
});
