import { describe, expect, test } from 'vitest';
import { segmentText } from '#src/domain/segment-locally/from-text.ts';
import { readPrompt } from '#src/domain/segment-locally/read-prompt.ts';
import type { Segmentation } from '#src/domain/ports/segmenter.ts';
import { line, pageOf, row } from '#test/domain/segment-locally/page.ts';

const invoice = pageOf([
  line('ACME Company', 0.05),
  line('Invoice number: A-4711', 0.1),
  line('Date: 5 March 2024', 0.125),
  line('Total: 1.234,50 EUR', 0.3),
]);
const find = (prompt: string, page = invoice): Segmentation => segmentText(readPrompt(prompt), page) ?? never();
const never = (): never => {
  throw new Error('text has no answer');
};
const texts = (found: Segmentation): (string | undefined)[] => found.segments.map(({ text }) => text);

describe('Segments of recognized text', () => {
  test('free text is found through misread letters and case, with the box of its words', () => {
    const found = find('acme cornpany');
    expect(texts(found)).toEqual(['ACME Company']);
    expect(found.segments[0]?.box[0]).toBeCloseTo(0.1);
    expect(found.segments[0]?.box[2]).toBeCloseTo(0.12);
    expect(found.segments[0]?.score).toBeGreaterThan(0.7);
  });

  test('free text may go on in the next line of its paragraph', () => {
    expect(texts(find('4711 Date', pageOf([line('A 4711', 0.1), line('Date 5', 0.125)])))).toEqual(['4711 Date']);
  });

  test.each(['logo', 'signature', 'face', 'qr code'])('"%s" is no guess: nothing, and unsupported', (prompt) => {
    expect(find(prompt)).toEqual({ segments: [], unsupportedPrompt: true });
  });

  test('short words are not taken for others that are one letter off', () => {
    expect(find('tax', pageOf([line('fax 4711', 0.1)])).segments).toEqual([]);
  });

  test('a thing that stands on the page as a word is text', () => {
    const found = find('signature', pageOf([line('Signature of applicant', 0.5)]));
    expect(found.unsupportedPrompt).toBe(false);
    expect(texts(found)).toEqual(['Signature']);
  });

  test('text in quotes that is not there is not there, and that is an answer', () => {
    expect(find('"walnut"')).toEqual({ segments: [], unsupportedPrompt: false });
  });

  test('layout words give lines, words, blocks and all text', () => {
    expect(find('lines').segments).toHaveLength(4);
    expect(find('words').segments).toHaveLength(12);
    expect(texts(find('blocks'))).toEqual([
      'ACME Company',
      'Invoice number: A-4711\nDate: 5 March 2024',
      'Total: 1.234,50 EUR',
    ]);
    expect(find('text').segments).toHaveLength(1);
  });

  test('typed prompts give the words of each value', () => {
    expect(find('money').segments).toMatchObject([{ label: 'money', text: '1.234,50 EUR' }]);
    expect(find('money').segments[0]?.box[0]).toBeCloseTo(0.17);
    expect(texts(find('date'))).toEqual(['5 March 2024']);
  });

  test.each(['value of total', 'Total:', 'Wert von Summe'])('"%s" gives what stands beside the label', (prompt) => {
    expect(texts(find(prompt))).toEqual(['1.234,50 EUR']);
  });

  test.each([
    [90, [0.2, 0.87, 0.02, 0.03]],
    [180, [0.87, 0.78, 0.03, 0.02]],
    [270, [0.78, 0.1, 0.02, 0.03]],
  ] as const)('boxes of a page that was read turned by %i degrees lie on the page as it came', (rotation, box) => {
    const found = find('abc', pageOf([row(0.2, [0.1, 'abc'])], rotation));
    for (const [at, value] of box.entries()) expect(found.segments[0]?.box[at]).toBeCloseTo(value);
  });

  test('boxes that stick out of the page are cut', () => {
    const [segment] = find('abcdef', pageOf([row(0.99, [0.98, 'abcdef'])])).segments;
    expect(segment?.box[0]).toBeCloseTo(0.98);
    expect((segment?.box[0] ?? 0) + (segment?.box[2] ?? 0)).toBeLessThanOrEqual(1);
    expect((segment?.box[1] ?? 0) + (segment?.box[3] ?? 0)).toBeLessThanOrEqual(1);
  });
});
