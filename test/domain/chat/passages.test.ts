import { describe, expect, test } from 'vitest';
import { ocrPassages, segmentationPassages, segmentationText } from '#src/domain/chat/passages.ts';

const box = (at: number) => [0.1, at / 100, 0.5, 0.01] as const;
const ocr = (pages: readonly (readonly string[])[]) => ({
  documentId: 'doc_1',
  ocrResultId: 'ocr_1',
  text: pages.map((lines) => lines.join('\n')).join('\f'),
  pages: pages.map((lines) => ({ lines: lines.map((text, at) => ({ text, box: box(at) })) })),
});

describe('passages of recognized text', () => {
  test('hold whole lines of one page, up to 600 characters, with the box around them', () => {
    const line = (n: number) => `${n} `.padEnd(100, 'x');
    const page = Array.from({ length: 8 }, (_, n) => line(n));
    const passages = ocrPassages(ocr([page, ['second page']]));
    expect(passages.map(({ page: index }) => index)).toEqual([0, 0, 1]);
    const texts = passages.map(({ whole, start, end }) => whole.slice(start, end));
    expect(texts).toEqual([page.slice(0, 5).join('\n'), page.slice(5).join('\n'), 'second page']);
    const [first, second] = passages;
    expect(first?.bbox?.map((value) => Math.round(value * 100))).toEqual([10, 0, 50, 5]);
    expect(second?.bbox?.map((value) => Math.round(value * 100))).toEqual([10, 5, 50, 3]);
  });

  test('of one endless line are cut at blanks, and never within a character', () => {
    const words = ocrPassages(ocr([['lorem ipsum '.repeat(200)]]));
    expect(words.length).toBeGreaterThan(3);
    for (const { whole, start, end } of words) {
      expect(end - start).toBeLessThanOrEqual(600);
      expect(whole.slice(start, end)).toMatch(/^( ?lorem| ?ipsum)/);
    }
    const solid = ocrPassages(ocr([['x' + '\u{1F600}'.repeat(1_000)]]));
    expect(solid.map(({ whole, start, end }) => whole.slice(start, end)).join('')).toBe(solid[0]?.whole);
    for (const { whole, start, end } of solid) expect(whole.slice(start, end).isWellFormed()).toBe(true);
  });

  test('a text without lines has passages without boxes', () => {
    const [passage] = ocrPassages({ documentId: 'd', ocrResultId: 'o', text: 'plain', pages: [] });
    expect(passage).toMatchObject({ start: 0, end: 5, page: 0 });
    expect(passage).not.toHaveProperty('bbox');
  });

  test('a book is read up to a bound', () => {
    const passages = ocrPassages(ocr(Array.from({ length: 500 }, () => ['word '.repeat(400).trim()])));
    expect(passages.at(-1)?.end).toBeLessThanOrEqual(300_000);
    expect(passages.length).toBeGreaterThan(400);
  });
});

describe('the text of a segmentation', () => {
  const segments = [
    { label: 'stamp', text: 'Paid', box: box(1) },
    { label: 'stamp', box: box(5) },
  ];
  const found = { documentId: 'd', segmentationId: 's', prompt: 'stamps', page: 2, segments };

  test('is what was looked for, and every different label and text', () => {
    expect(segmentationText(found).text).toBe('stamps\nstamp\nPaid');
  });

  test('has a passage with its page and box; nothing found has none', () => {
    expect(segmentationPassages(found)).toMatchObject([{ page: 2, start: 0, end: 17, field: 'segmentation' }]);
    expect(segmentationPassages({ ...found, segments: [] })).toEqual([]);
  });
});
