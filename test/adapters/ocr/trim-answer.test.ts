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

test('an answer with a table becomes blocks: words in lines, lines in paragraphs', () => {
  const rows = [
    [1, 1, 0, 0, 0, 0, 0, 0, 90, 90, -1, ''],
    [2, 1, 1, 0, 0, 0, 1, 2, 8, 9, -1, ''],
    [3, 1, 1, 1, 0, 0, 1, 2, 8, 9, -1, ''],
    [4, 1, 1, 1, 1, 0, 1, 2, 8, 9, -1, ''],
    [5, 1, 1, 1, 1, 1, 1, 2, 2, 2, '95.5', 'Owl'],
    [5, 1, 1, 1, 1, 2, 4, 2, 5, 2, '9.25', '#1'],
    [3, 1, 1, 2, 0, 0, 1, 7, 8, 1, -1, ''],
    [4, 1, 1, 2, 1, 0, 1, 7, 8, 1, -1, ''],
  ];
  const tsv = rows.map((row) => row.join('\t')).join('\n');
  const words = [
    { text: 'Owl', confidence: 95.5, bbox: { x0: 1, y0: 2, x1: 3, y1: 4 } },
    { text: '#1', confidence: 9.25, bbox: { x0: 4, y0: 2, x1: 9, y1: 4 } },
  ];
  expect(trimAnswer({ blocks: null, layoutBlocks: null, tsv: `${tsv}\n` })).toEqual({
    blocks: [
      {
        paragraphs: [
          { lines: [{ words, bbox: { x0: 1, y0: 2, x1: 9, y1: 11 } }] },
          { lines: [{ words: [], bbox: { x0: 1, y0: 7, x1: 9, y1: 8 } }] },
        ],
      },
    ],
    layoutBlocks: null,
  });
});

test.each([undefined, null, 'Error: no', { loaded: true }])('the answer %o stays as it is', (data) => {
  expect(trimAnswer(data)).toBe(data);
});
