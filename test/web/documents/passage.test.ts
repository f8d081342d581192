import { expect, test } from 'vitest';
import { fromMatch } from '#web/pages/documents/passage.ts';

const marked = ({ text, spans }: ReturnType<typeof fromMatch>): string[] =>
  spans.map(({ start, end }) => text.slice(start, end));
const around = (text: string, ...words: readonly string[]) =>
  fromMatch({
    text,
    spans: words.map((word) => ({ start: text.indexOf(word), end: text.indexOf(word) + word.length })),
  });

test('a passage begins shortly before its first match, at a word', () => {
  const text = 'Delivery to Eastvale 1 39.00 39.00 Net amount EUR 731.70 VAT 19 % EUR 139.02 Total EUR 870.72 Payable';
  const shown = around(text, 'Total', 'Payable');
  expect(shown.text).toBe('… VAT 19 % EUR 139.02 Total EUR 870.72 Payable');
  expect(marked(shown)).toEqual(['Total', 'Payable']);
});

test('a passage with an early match, or with none, stays whole', () => {
  expect(around('Total EUR 870.72', 'Total')).toEqual({ text: 'Total EUR 870.72', spans: [{ start: 0, end: 5 }] });
  expect(fromMatch({ text: 'A description', spans: [] })).toEqual({ text: 'A description', spans: [] });
});

test('a passage without spaces begins with the match', () => {
  const shown = around(`${'漢'.repeat(60)}領収書です`, '領収書');
  expect(shown.text).toBe('… 領収書です');
  expect(marked(shown)).toEqual(['領収書']);
});
