import { describe, expect, test } from 'vitest';
import {
  boxAround,
  boxText,
  fitted,
  kept,
  parseBox,
  shown,
  turnBox,
  turnPoint,
  turnedSize,
  zoomed,
  type Box,
  type Turn,
} from '#web/page-view/geometry.ts';
import { wordAt, type TextLine } from '#web/page-view/words.ts';
import { placesOf, signed, ticksOf, width as plotWidth } from '#web/pages/experiment/interval-axis.ts';

const page = { width: 1_000, height: 1_400 };
const room = { width: 524, height: 724 };
const sizes = { page, room };
const near = (box: Box) => box.map((value) => expect.closeTo(value, 6) as number);

describe('A page in its view', () => {
  test('a box keeps its place on the paper through every turn, and comes back', () => {
    const box: Box = [0.1, 0.2, 0.3, 0.05];
    expect(turnBox(box, 90)).toEqual(near([0.75, 0.1, 0.05, 0.3]));
    for (const turn of [0, 90, 180, 270] as const) {
      const back = ((360 - turn) % 360) as Turn;
      expect(turnBox(turnBox(box, turn), back)).toEqual(near(box));
      const [x, y, width, height] = turnBox(box, turn);
      const middle = turnPoint({ x: 0.25, y: 0.225 }, turn);
      expect(middle).toEqual({ x: expect.closeTo(x + width / 2, 6), y: expect.closeTo(y + height / 2, 6) });
      expect(turnedSize(turnedSize(page, turn), back)).toEqual(page);
    }
  });

  test('a page fits whole or in its width, and never leaves its view', () => {
    expect(fitted('width', page, room)).toEqual({ scale: 0.5, x: 12, y: 12 });
    const whole = fitted('page', page, { width: 800, height: 724 });
    expect(whole).toEqual({ scale: 0.5, x: 150, y: 12 });
    expect(kept({ scale: 2, x: 500, y: -9_000 }, page, room)).toEqual({ scale: 2, x: 12, y: 724 - 2_800 - 12 });
  });

  test('zooming leaves the point below the pointer where it is', () => {
    const before = kept({ scale: 1, x: -200, y: -300 }, page, room);
    const at = { x: 260, y: 350 };
    const after = zoomed(before, 1.5, at, sizes);
    expect(after.scale).toBe(1.5);
    expect((at.x - after.x) / after.scale).toBeCloseTo((at.x - before.x) / before.scale, 6);
    expect((at.y - after.y) / after.scale).toBeCloseTo((at.y - before.y) / before.scale, 6);
    expect(zoomed(before, 1_000, at, sizes).scale).toBeLessThan(10);
  });

  test('a place of an address comes into the middle, readable', () => {
    const box = parseBox('0.4,0.5,0.1,0.01');
    expect(box).toEqual([0.4, 0.5, 0.1, 0.01]);
    const view = shown(fitted('width', page, room), box ?? [0, 0, 0, 0], sizes);
    expect(view.scale).toBeGreaterThan(1);
    expect(view.x + 450 * view.scale).toBeCloseTo(room.width / 2, 6);
    expect(view.y + 707 * view.scale).toBeCloseTo(room.height / 2, 6);
  });

  test('an address that is no place is none', () => {
    for (const text of [undefined, '', '1,2', '0.1,0.2,0.3,x', '0,0,2,1', '0,0,1,1,1'])
      expect(parseBox(text)).toBeUndefined();
    expect(boxText([0.123456, 0, 1, 0.5])).toBe('0.1235,0,1,0.5');
    expect(boxAround([])).toBeNull();
    const whole = boxAround([
      [0.1, 0.1, 0.1, 0.1],
      [0.5, 0.3, 0.2, 0.1],
    ]);
    expect(whole).toEqual(near([0.1, 0.1, 0.6, 0.3]));
  });

  test('the word below a point is found by its box', () => {
    const word = (text: string, box: Box) => ({
      text,
      confidence: 90,
      box: [...box] as [number, number, number, number],
    });
    const words = [word('Total', [0.1, 0.2, 0.1, 0.02]), word('9.50', [0.3, 0.2, 0.1, 0.02])];
    const lines: TextLine[] = [{ text: 'Total 9.50', confidence: 90, box: [0.1, 0.2, 0.3, 0.02], words }];
    expect(wordAt(lines, { x: 0.35, y: 0.21 })).toEqual({ line: 0, word: 1 });
    expect(wordAt(lines, { x: 0.25, y: 0.21 })).toBeNull();
  });
});

/** Width of a digit at the font size of the axis. */
const digit = 7.5;

test.each([0.011, 0.5, 1, 1.001])('the numbers of an axis that reaches %d are inside of its picture', (most) => {
  const place = placesOf(most);
  for (const tick of ticksOf(most)) {
    const half = (signed(tick).length * digit) / 2;
    expect(place(tick) - half).toBeGreaterThan(0);
    expect(place(tick) + half).toBeLessThan(plotWidth);
  }
});
