import { describe, expect, test } from 'vitest';
import { unreadParts, usualHeight, withMissed } from '#src/domain/layout/unread-parts.ts';
import type { OcrLine, OcrWord } from '#src/domain/ports/ocr-engine.ts';
import type { Mask } from '#src/domain/segment-locally/ink.ts';
import type { Box } from '#src/domain/segment-locally/geometry.ts';

const [width, height] = [200, 300];
const high = 12;
const rows = [30, 60, 90, 120, 150];

const boxOf = (x: number, y: number, wide: number, tall = high): Box => [
  x / width,
  y / height,
  wide / width,
  tall / height,
];

function word(text: string, box: Box, confidence = 90): OcrWord {
  return { text, confidence, box };
}

function line(...words: readonly OcrWord[]): OcrLine {
  const [first] = words;
  return { text: words.map(({ text }) => text).join(' '), confidence: 90, box: first?.box ?? [0, 0, 0, 0], words };
}

const labels = rows.map((y, at) => line(word(`ITEM${at}`, boxOf(10, y, 60))));

/** Full boxes of ink, in pixels. */
function inkOf(boxes: readonly (readonly [number, number, number, number])[]): Mask {
  const bits = new Uint8Array(width * height);
  for (const [x, y, wide, tall] of boxes)
    for (let row = y; row < y + tall; row += 1) bits.fill(1, row * width + x, row * width + x + wide);
  return { width, height, bits };
}

const read = rows.map((y) => [10, y, 60, high] as const);
const amounts = rows.map((y) => [150, y, 30, high] as const);

describe('ink that no word covers', () => {
  test('is found, as boxes in reading order', () => {
    expect(usualHeight(labels)).toBe(high / height);
    const found = unreadParts(inkOf([...read, ...amounts]), labels, usualHeight(labels));
    expect(found.map(([x, y]) => [Math.round(x * width), Math.round(y * height)])).toEqual(rows.map((y) => [150, y]));
  });

  test('is found below a tall word, which recognition makes of a column', () => {
    const column = line(word('|', boxOf(145, 20, 40, 150), 20));
    const found = unreadParts(inkOf([...read, ...amounts]), [...labels, column], usualHeight(labels));
    expect(found).toHaveLength(amounts.length);
  });

  test.each([
    ['few parts', [...read, ...amounts.slice(0, 2)]],
    [
      'rules and specks',
      [...read, ...rows.map((y) => [90, y + 5, 100, 1] as const), ...rows.map((y) => [80, y, 2, 2] as const)],
    ],
    ['a picture', [...read, [90, 20, 100, 200] as const]],
  ])('%s are left alone', (_, boxes) => {
    expect(unreadParts(inkOf(boxes), labels, usualHeight(labels))).toEqual([]);
  });
});

describe('missed words', () => {
  const texts = (paragraphs: readonly (readonly OcrLine[])[]): string[] => paragraphs.flat().map(({ text }) => text);

  test('stand in the line of their row, in order', () => {
    const amount = [word('12.50', boxOf(150, 60, 30))];
    const before = [word('2', boxOf(0, 90, 6))];
    const merged = withMissed([labels], [amount, before]);
    expect(texts(merged)).toEqual(['ITEM0', 'ITEM1 12.50', '2 ITEM2', 'ITEM3', 'ITEM4']);
    expect(merged[0]?.[1]?.box[2]).toBeCloseTo(170 / width);
  });

  test('beside no line stand below the lines above them', () => {
    const total = [word('TOTAL', boxOf(20, 75, 40)), word('12.50', boxOf(150, 75, 30))];
    expect(texts(withMissed([labels], [total]))).toEqual(['ITEM0', 'ITEM1', 'TOTAL 12.50', 'ITEM2', 'ITEM3', 'ITEM4']);
    expect(texts(withMissed([], [total]))).toEqual(['TOTAL 12.50']);
  });

  test('that are no text, or hardly read, are left out', () => {
    const marks = [[word('|_', boxOf(150, 60, 30))], [word('12.50', boxOf(150, 90, 30), 40)], []];
    expect(texts(withMissed([labels], marks))).toEqual(texts([labels]));
  });
});
