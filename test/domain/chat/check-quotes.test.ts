import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createQuoteCheck, quoteLookup } from '#src/domain/chat/check-quotes.ts';

const stored = 'The repair of the floor was estimated at\n$1,784.50. It’s due – soon.';
const checked = (pieces: readonly string[]): string => {
  const check = createQuoteCheck(quoteLookup(['other', stored]));
  return pieces.map((piece) => check.push(piece)).join('') + check.end();
};

test('a quotation that stands in a source stays one, over the end of a line, too', () => {
  const text = 'It says "floor was estimated at $1,784.50" [1] and “The repair of the floor.”';
  expect(checked([text])).toBe(text);
});

test('a quotation that stands in no source loses its marks', () => {
  expect(checked(['It says "the floor was estimated at $9,999.00" [1].'])).toBe(
    'It says the floor was estimated at $9,999.00 [1].',
  );
  expect(checked(['„niemals so geschrieben“ und «jamais écrit ainsi»'])).toBe(
    'niemals so geschrieben und jamais écrit ainsi',
  );
});

test('quotations without a source are listed, at most 20', () => {
  const check = createQuoteCheck(quoteLookup([stored]));
  check.push('"The repair of the floor" and "never written like this" ');
  check.push(`"${'long '.repeat(140)}" `);
  expect(check.unverified).toEqual(['never written like this', 'long '.repeat(120).trim()]);
  for (let n = 0; n < 30; n += 1) check.push(`"invented sentence ${n}"`);
  check.end();
  expect(check.unverified).toHaveLength(20);
});

test('what is left out with dots may be anything, the rest not', () => {
  expect(checked(['"The repair ... estimated at"'])).toBe('"The repair ... estimated at"');
  expect(checked(['"The repair ... was never estimated"'])).toBe('The repair ... was never estimated');
});

test('short words in quotation marks are names, and stay', () => {
  expect(checked(['the form "RP-12" and 5" x 7"'])).toBe('the form "RP-12" and 5" x 7"');
});

test('a quotation that does not end loses its mark, and does not hold the answer back', () => {
  const long = `"${'word '.repeat(200)}`;
  const check = createQuoteCheck(() => true);
  expect(check.push(long).length).toBeGreaterThan(500);
  expect(checked(['"unfinished business here'])).toBe('unfinished business here');
});

test('cut anywhere, the outcome is the same', () => {
  const piece = fc.constantFrom(
    '"',
    '“',
    '”',
    '„',
    'The repair',
    ' of the floor',
    ' lies ',
    '...',
    '\n',
    'x'.repeat(300),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
      expect(checked(Array.from(pieces.join('')))).toBe(checked([pieces.join('')]));
    }),
  );
});
