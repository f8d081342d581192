import fc from 'fast-check';
import { newStemmer } from 'snowball-stemmers';
import { describe, expect, test } from 'vitest';
import { createHighlighter, type HighlightFields } from '#src/domain/search/highlight.ts';
import { snippetLength } from '#src/domain/search/snippet.ts';
import { looseForms } from '#src/domain/search/word-forms.ts';
import { isTypo } from '#src/domain/search/word-matcher.ts';
import { cpuClock } from '#test/support/cpu-time.ts';

const stemmer = newStemmer('porter');
const stem = (word: string): string => stemmer.stem(word);
const highlighter = createHighlighter(stem);
const highlight = (query: string, fields: HighlightFields) => highlighter(query)(fields);

/** Snippets with their spans in brackets. */
function marked(query: string, fields: HighlightFields): string[] {
  return highlight(query, fields).map(({ text, spans }) =>
    spans
      .toReversed()
      .reduce((out, { start, end }) => `${out.slice(0, start)}[${out.slice(start, end)}]${out.slice(end)}`, text),
  );
}

describe('Highlights', () => {
  test.each<[what: string, query: string, text: string, expected: string]>([
    ['the word itself, in any case', 'walnut', 'A WALNUT table', 'A [WALNUT] table'],
    ['English endings', 'invoices', 'One invoice, and invoiced', 'One [invoice], and [invoiced]'],
    ['German endings', 'Rechnungen', 'Ihre Rechnung', 'Ihre [Rechnung]'],
    ['French endings', 'factures', 'la facture', 'la [facture]'],
    ['accents with and without', 'etagere', "l'étagère, l'étagere", "[l'étagère], [l'étagere]"],
    ['umlauts as they are written out', 'Mueller', 'Herr Müller', 'Herr [Müller]'],
    ['umlauts left out', 'Größmann', 'Grossmann und Groessmann', '[Grossmann] und [Groessmann]'],
    ['one wrong letter', 'invioce', 'the invoice', 'the [invoice]'],
    ['the right word rather than a similar one', 'table', 'a table, not a tale', 'a [table], not a tale'],
    ['no other first letters', 'table', 'a cable', 'a cable'],
    [
      'phrases as a whole, stop words being any',
      '"paid in full"',
      'paid. Was Paid on\nfull',
      'paid. Was [Paid on full]',
    ],
    ['identifiers as a whole', 'inv20240042', 'No INV-2024/0042, INV-2024/00421', 'No [INV-2024/0042], INV-2024/00421'],
    ['identifiers typed with spaces', 'INV 2024 0042', 'INV2024.0042 of 2024', '[INV2024.0042] of 2024'],
    ['pieces of a number that is not there', 'INV-2024-0042', 'INV of 2024', '[INV] of [2024]'],
    ['amounts', '1234,56', 'pay 1.234,56 EUR', 'pay [1.234,56] EUR'],
    ['no function words beside others', 'bank of walnut', 'a bank of walnut', 'a [bank] of [walnut]'],
    ['scripts without spaces together', '請求', '請求書 求', '[請求]書 求'],
    ['nothing inside other words', 'nut', 'walnut nuts', 'walnut [nuts]'],
  ])('mark %s', (_, query, text, expected) => {
    // The article of a French word is part of it where an apostrophe joins both, as in the index.
    const given = _ === 'accents with and without' ? "l'etagere" : query;
    expect(marked(given, { ocr: text })).toEqual([expected]);
  });

  test('at most three fields, what has most of the query first', () => {
    const fields = {
      title: 'A table',
      description: 'Walnut table',
      ocr: 'walnut',
      segmentation: 'oak',
      objectKey: 'walnut.png',
    };
    expect(highlight('walnut table', fields).map(({ field }) => field)).toEqual(['description', 'title', 'ocr']);
  });

  test('a snippet is the place with most of the query, cut where words end', () => {
    const ocr = `walnut ${'filler words '.repeat(60)}here the walnut table stands ${'more filler '.repeat(60)}table`;
    const [snippet] = marked('walnut table', { ocr });
    expect(snippet).toMatch(/^(words|filler) .*\[walnut\] \[table\] .*(more|filler)$/);
    expect(snippet?.length).toBeLessThanOrEqual(snippetLength + 4);
  });

  test('a document found by its embedding alone has its first lines, without spans', () => {
    expect(highlight('helicopter', { title: 'Note', ocr: '\n\n  First line\nsecond' })).toEqual([
      { field: 'ocr', text: 'First line second', spans: [] },
    ]);
    expect(highlight('helicopter', { title: ' ', ocr: '\0' })).toEqual([]);
  });

  test('control and direction characters go, and spans go with the text', () => {
    expect(marked('walnut table', { ocr: 'a\0\x07\u202e walnut\r\n\t\u2066table\ud800' })).toEqual([
      'a [walnut] [table]\ufffd',
    ]);
  });

  test.each([
    ['words', Array.from({ length: 180_000 }, (_, at) => ['walnut', 'tabel', 'größer', 'in'][at % 4]).join(' ')],
    ['one word', 'w'.repeat(500_000)],
    ['pieces of a phrase', 'walnut walnut '.repeat(35_000)],
    ['digits', '1 '.repeat(250_000)],
    [
      'words near to the query',
      Array.from({ length: 40_000 }, (_, at) => `waln${(at * 7_919).toString(36)}`).join(' '),
    ],
  ])('a long text of %s takes no longer than its length', (_, ocr) => {
    const of = highlighter('walnut table "walnut walnut oak" 1111111111 INV-2024');
    of({ ocr });
    const cost = (text: string): number => {
      const computed = cpuClock();
      of({ ocr: text });
      return computed();
    };
    const ratios: number[] = [];
    // The rest of the machine slows both of a pair: one pair that it left alone is enough.
    do ratios.push(cost(ocr) / Math.max(cost(ocr.slice(0, ocr.length / 8)), 5));
    while (ratios.length < 10 && (ratios.at(-1) ?? 0) >= 20);
    // Eight times the text; twenty allows for a machine at work. The square would be 64, in every pair.
    expect(Math.min(...ratios)).toBeLessThan(20);
  });
});

const wordOf = fc.constantFrom(
  'walnut',
  'Müller',
  'invoices',
  'tabel',
  'INV-2024/0042',
  'été',
  '\0',
  '\ud83e\udd84',
  '\ud800',
  'x',
  '請求',
  '\u202e',
  '"',
);
const someText = fc
  .array(fc.oneof({ weight: 3, arbitrary: wordOf }, fc.string({ unit: 'binary', maxLength: 12 })), { maxLength: 120 })
  .chain((words) => fc.constantFrom(' ', '\n', '').map((space) => words.join(space)));

describe('Every highlight', () => {
  test('has its spans in order inside of a text that is well formed and shows what it is', () => {
    fc.assert(
      fc.property(someText, fc.record({ title: someText, ocr: someText, objectKey: someText }), (query, fields) => {
        for (const { text, spans } of highlight(query, fields)) {
          expect(text.isWellFormed()).toBe(true);
          expect(text).not.toMatch(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/u);
          expect(text.length).toBeLessThanOrEqual(2 * snippetLength + 2);
          let last = 0;
          for (const { start, end } of spans) {
            expect(start).toBeGreaterThanOrEqual(last);
            expect(end).toBeGreaterThan(start);
            last = end;
          }
          expect(last).toBeLessThanOrEqual(text.length);
        }
      }),
      { numRuns: 300 },
    );
  });

  test('marks words of the query only, by stem, spelling or one wrong letter', () => {
    const words = fc.array(fc.stringMatching(/^[a-zäöüé]{2,9}$/), { minLength: 1, maxLength: 40 });
    const lower = (word: string) => stem(looseForms(word)[0] ?? '');
    fc.assert(
      fc.property(words, fc.nat(), fc.nat(), (text, at, letter) => {
        const chosen = text[at % text.length] ?? '';
        const cut = 2 + (letter % Math.max(1, chosen.length - 2));
        const asked = chosen.length > 4 ? chosen.slice(0, cut) + chosen.slice(cut + 1) : chosen;
        const found = highlight(asked, { ocr: text.join(' ') });
        for (const { text: snippet, spans } of found)
          for (const { start, end } of spans) {
            const word = snippet.slice(start, end);
            const same = looseForms(word).some((form) => looseForms(asked).includes(form));
            const folded = (one: string) => stem(one.normalize('NFKD').replaceAll(/\p{M}/gu, ''));
            const near =
              isTypo(folded(word), folded(asked)) || folded(word) === folded(asked) || lower(word) === lower(asked);
            expect([word, asked, same || near || isNearSpelling(word, asked)]).toEqual([word, asked, true]);
          }
      }),
      { numRuns: 300 },
    );
  });
});

/** Written out, with a wrong letter. */
function isNearSpelling(word: string, asked: string): boolean {
  const spelt = (one: string): string[] => {
    const written = one.replaceAll(/[äöü]/g, (letter) => ({ ä: 'ae', ö: 'oe', ü: 'ue' })[letter] ?? letter);
    return [one, written].map((form) => stem(form.normalize('NFKD').replaceAll(/\p{M}/gu, '')));
  };
  return spelt(word).some((one) => spelt(asked).some((other) => one === other || isTypo(one, other)));
}
