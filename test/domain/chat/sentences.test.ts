import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { descriptionPassages, ocrPassages } from '#src/domain/chat/passages.ts';
import { joinLines, longestSentence, sentencesIn } from '#src/domain/chat/sentences.ts';

const spans = (text: string) => [...sentencesIn(text, 0, text.length)];
const sentences = (text: string) => spans(text).map(({ start, end }) => joinLines(text.slice(start, end)));

const letter = `The society thanks you for the papers of your
grandfather, which arrived in good condi-
tion. Among them are 64 minute books. Please
return the form by 30 April 2024.

TOTAL EUR 29.41
CASH 50.00
Tel. 555-0187`;

describe('sentences of a text', () => {
  test('go over the ends of lines and hyphens; lines of a receipt stay apart', () => {
    expect(sentences(letter)).toEqual([
      'The society thanks you for the papers of your grandfather, which arrived in good condition.',
      'Among them are 64 minute books.',
      'Please return the form by 30 April 2024.',
      'TOTAL EUR 29.41',
      'CASH 50.00',
      'Tel. 555-0187',
    ]);
  });

  test.each([
    ['Mr. J. R. Smith met Dr. Jones at 5 p.m. on Monday. They talked.', 2],
    ['It cost 3.50 euros. 12 were sold.', 2],
    ['He lives in the U.S. The house is old. The U.S. Senate met.', 3],
    ['See no. 5 and fig. 3. He said no. She left.', 3],
    ['Die Frist endet am 30. April. Danach gilt § 5 Abs. 2.', 2],
    ['Apples, pears, etc. are fruit. “Really?” she asked. Yes!', 3],
    ['これは本です。それも本です。', 2],
    ['Wait... what? Yes.', 2],
  ])('%s has its sentences', (text, count) => {
    expect(sentences(text)).toHaveLength(count);
  });

  test('a heading, a list and a table are not run together', () => {
    const text =
      'ANNUAL REPORT OF THE LIBRARY OF THE HARBOUR TOWN\nThe library was open.\n- two eggs\n- flour and milk';
    expect(sentences(text)).toEqual([
      'ANNUAL REPORT OF THE LIBRARY OF THE HARBOUR TOWN',
      'The library was open.',
      '- two eggs',
      '- flour and milk',
    ]);
  });

  test('are in order, apart, bounded, and hold everything but white space, whatever the text', () => {
    const part = fc.constantFrom(
      'word ',
      'Word. ',
      '. ',
      '\n',
      '\n\n',
      'a-\nb',
      '!?',
      'x'.repeat(700),
      '😀'.repeat(400),
      ' ',
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 20 }), (parts) => {
        const text = parts.join('');
        const found = spans(text);
        expect(
          found
            .map(({ start, end }) => text.slice(start, end))
            .join('')
            .replaceAll(/\s/g, ''),
        ).toBe(text.replaceAll(/\s/g, ''));
        for (const { start, end } of found) {
          expect(end - start).toBeLessThanOrEqual(longestSentence);
          expect(text.slice(start, end).isWellFormed()).toBe(true);
        }
      }),
      { numRuns: 60 },
    );
  });
});

describe('a hostile text', () => {
  const longest = 10_000_000;
  const fill = (part: string) => part.repeat(Math.ceil(longest / part.length)).slice(0, longest);

  // Quadratic work on 10 MB would exceed the time limit of a test by hours.
  test.each([
    ['without spaces', fill('x')],
    ['of full stops', fill('.')],
    ['of spaces', `a${fill(' ')}b`],
    ['of hyphens at line ends', fill('a-\n')],
    ['of quotation marks', fill('."')],
    ['of short lines', fill('ab cd\n')],
  ])('%s of 10 MB is read up to a bound, once', (_, text) => {
    const passages = [
      ...ocrPassages({ documentId: 'd', ocrResultId: 'o', text, pages: [] }),
      ...descriptionPassages({ documentId: 'd', descriptionId: 'e', title: '', description: text }),
    ];
    for (const { start, end, sentences: parts } of passages) {
      expect(end).toBeLessThanOrEqual(300_000);
      expect(end - start).toBeLessThanOrEqual(longestSentence);
      expect(parts[0]?.start).toBe(start);
      expect(parts.at(-1)?.end).toBe(end);
    }
  });
});
