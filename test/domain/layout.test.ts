import { describe, expect, test } from 'vitest';
import { placeText } from '#src/domain/extract-locally/page-text.ts';
import { pageAsMarkdown } from '#src/domain/layout/markdown.ts';
import { rowsOfLines } from '#src/domain/layout/rows.ts';
import { tablesIn, type Table } from '#src/domain/layout/tables.ts';
import type { OcrLine } from '#src/domain/ports/ocr-engine.ts';
import { pageOf } from '#test/support/records.ts';

const placed = (text: string, lines: readonly OcrLine[] = pageOf(text).lines) =>
  placeText({ text, pages: [{ lines }] }).lines[0] ?? [];
const markdown = (...lines: readonly string[]) => pageAsMarkdown(placed(lines.join('\n')), 0);
const tables = (...lines: readonly string[]): Table[] =>
  tablesIn(rowsOfLines(placed(lines.join('\n'))), 0).flatMap((part) => ('table' in part ? part.table : []));

const invoice = [
  'Item                 Qty      Amount',
  'Brass hinge 40 mm      4       10.00',
  'Wood screws,                    6.40',
  'box of 100',
  'Delivery               1        5.00',
];

describe('A table', () => {
  test('has the cells of its columns, with their places in the text', () => {
    const [table] = tables(...invoice);
    expect(table?.hasHeader).toBe(true);
    expect(table?.rows.map((row) => row.map(({ text }) => text))).toEqual([
      ['Item', 'Qty', 'Amount'],
      ['Brass hinge 40 mm', '4', '10.00'],
      ['Wood screws, box of 100', '', '6.40'],
      ['Delivery', '1', '5.00'],
    ]);
    const text = invoice.join('\n');
    const [first] = table?.rows[1] ?? [];
    expect(text.slice(first?.start ?? 0, first?.end ?? 0)).toBe('Brass hinge 40 mm');
    expect(table?.rows[2]?.[1]).toEqual({ text: '', box: null, start: null, end: null });
    for (const side of table?.box ?? []) expect(side >= 0 && side <= 1).toBe(true);
  });

  test('is no pair of columns of words, and no single row', () => {
    expect(tables('Blue Sky Ltd      Invoice', 'Harbour Road      Original', 'Hamburg           Copy')).toEqual([]);
    expect(tables('Item     Qty     Amount')).toEqual([]);
  });
});

describe('A page as Markdown', () => {
  test('has its tables as tables, and marks in the text lose their meaning', () => {
    expect(markdown('# not <b>bold</b> | *text*', '', '', ...invoice)).toBe(
      [
        String.raw`\# not \<b\>bold\</b\> \| \*text\*`,
        '',
        '| Item | Qty | Amount |',
        '| --- | --- | --- |',
        '| Brass hinge 40 mm | 4 | 10.00 |',
        '| Wood screws, box of 100 |  | 6.40 |',
        '| Delivery | 1 | 5.00 |',
      ].join('\n'),
    );
  });

  test('joins the lines of a paragraph, keeps lists, and has headings where lines are higher', () => {
    const text = [
      'Terms',
      'We deliver within ten days, and you can return',
      'what you did not like.',
      '',
      '- hinges',
      '- screws',
      '1) pay',
    ].join('\n');
    const page = pageOf(text);
    const lines = page.lines.map((line, at): OcrLine => {
      if (at > 0) return line;
      const high = (box: OcrLine['box']) => [box[0], box[1], box[2], box[3] * 2] as const;
      return { ...line, box: high(line.box), words: line.words.map((word) => ({ ...word, box: high(word.box) })) };
    });
    expect(pageAsMarkdown(placed(text, lines), 0)).toBe(
      '# Terms\n\nWe deliver within ten days, and you can return what you did not like.\n\n- hinges\n- screws\n1. pay',
    );
  });

  test('reads columns of text one after the other, and a line across both where it stands', () => {
    const left = [
      'The first column tells of',
      'boats that went out early',
      'and came home with a lot',
      'of fish before the storm.',
    ];
    const right = [
      'The second one is about',
      'the people who repair the',
      'nets in winter when there',
      'is nothing else to do now.',
    ];
    const both = left.map((line, at) => line.padEnd(40) + (right[at] ?? ''));
    const text = markdown('News from the harbour of the town and of all its people today', ...both);
    expect(text.replaceAll(/\s+/gu, ' ')).toBe(
      ['News from the harbour of the town and of all its people today', ...left, ...right].join(' '),
    );
  });

  test('is bounded by its words on boxes that all stand in one place, or nowhere', () => {
    const [x, nowhere] = [0.1, Number.NaN];
    for (const at of [x, nowhere]) {
      const line: OcrLine = { text: 'a 1.00', confidence: 90, box: [at, at, at, at], words: [] };
      const lines = Array.from({ length: 5_000 }, () => line);
      const text = lines.map((one) => one.text).join('\n');
      expect(pageAsMarkdown(placed(text, lines), 0).length).toBeLessThan(text.length * 3);
    }
  });
});
