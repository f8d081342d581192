import { expect, test } from 'vitest';
import { trimAnswer } from '#src/adapters/ocr/tesseract-layout.ts';

const bbox = { x0: 1, y0: 2, x1: 3, y1: 4 };
const word = { text: 'a', confidence: 9, bbox };

test('an answer with blocks keeps words and boxes, and loses letters, choices and baselines', () => {
  const line = { words: [{ ...word, symbols: [{ choices: [] }] }], bbox, baseline: {} };
  const blocks = [{ paragraphs: [{ lines: [line], is_ltr: true }], polygon: [] }, { paragraphs: null }];
  expect(trimAnswer({ blocks, layoutBlocks: null, psm: '3', text: null })).toEqual({
    blocks: [{ paragraphs: [{ lines: [{ words: [word], bbox }] }] }, { paragraphs: null }],
    layoutBlocks: null,
  });
});

test.each([undefined, null, 'Error: no', { loaded: true }])('the answer %o stays as it is', (data) => {
  expect(trimAnswer(data)).toBe(data);
});
