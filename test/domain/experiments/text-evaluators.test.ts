import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { editsBetween } from '#src/domain/experiments/evaluators/error-rate.ts';
import { observed, scored } from '#test/domain/experiments/score.ts';

const texts = (spec: object, wanted: string, got: unknown) => scored(spec, observed({ text: got }), { text: wanted });
const cer = { type: 'cer' };

describe('cer and wer', () => {
  it.each([
    ['kitten', 'sitting', 3 / 6],
    ['Total 29.41', 'Total 29.41', 0],
    ['abcd', '', 1],
    ['', '', 0],
    ['', 'noise', 1],
    ['ab', 'abxyzxyz', 3],
    ['one\ntwo\f three', ' one  two\tthree\n', 0],
    ['ﬁnal e\u0301tude', 'final \u00e9tude', 0],
    ['a👩‍👩‍👧‍👦b', 'a👩‍👩‍👧b', 1 / 3],
    ['e\u0323\u0301x', 'ex', 1 / 2],
    ['🇩🇪🇫🇷', '🇩🇪🇬🇧', 1 / 2],
    ['שלום', 'שלוס', 1 / 4],
  ])('finds the share of wrong characters of %j in %j', (wanted, got, value) => {
    const score = texts(cer, wanted, got);
    expect(score.value).toBeCloseTo(value, 12);
    expect(score.quality).toBeCloseTo(Math.max(0, 1 - value), 12);
  });

  it.each([
    ['the total is 29.41', 'the tota1 is 29.41', 1 / 4],
    ['one two', 'one', 1 / 2],
    ['one', 'one two three', 2],
    ['', '', 0],
    ['', 'noise here', 1],
  ])('finds the share of wrong words of %j in %j', (wanted, got, value) => {
    expect(texts({ type: 'wer' }, wanted, got).value).toBeCloseTo(value, 12);
  });

  it('compares case and white space as the evaluator says', () => {
    expect(texts(cer, 'TOTAL', 'total').value).toBe(1);
    expect(texts({ ...cer, ignoreCase: true }, 'TOTAL', 'total').value).toBe(0);
    expect(texts({ ...cer, foldWhitespace: false }, 'a b', 'a  b').value).toBeCloseTo(1 / 3, 12);
  });

  it('gives a failed run the worst score, also where the reference is empty', () => {
    for (const status of ['failed', 'timed_out', 'canceled'] as const)
      for (const text of ['abc', '']) {
        const score = scored(cer, observed({ text }, { status }), { text });
        expect(score).toMatchObject({ value: 1, quality: 0, note: expect.stringMatching(/^The run /) });
      }
  });

  it('does not judge a document without a reference text', () => {
    expect(scored(cer, observed({ text: 'abc' }), null).value).toBeNull();
    expect(scored(cer, observed({ text: 'abc' }, { status: 'failed' }), { label: 'x' }).quality).toBeNull();
  });

  it('takes the text of an output that is a result, of a member, and of lines', () => {
    const outputs = {
      ocr: { ocrResultId: 'x', text: 'abc' },
      facts: { note: { short: 'abc' } },
      lines: ['a', { text: 'b' }],
    };
    expect(scored({ ...cer, output: 'ocr' }, observed(outputs), { text: 'abc' }).value).toBe(0);
    expect(scored({ ...cer, output: 'facts', path: 'note.short' }, observed(outputs), { text: 'abc' }).value).toBe(0);
    expect(scored({ ...cer, output: 'lines' }, observed(outputs), { text: 'a b' }).value).toBe(0);
  });

  it('takes an output that is missing or no text for an empty text, and says so', () => {
    for (const name of ['none', 'facts', 'constructor', '__proto__']) {
      const score = scored({ ...cer, output: name, path: 'a.b' }, observed({ facts: {} }), { text: 'abc' });
      expect(score).toEqual({ value: 1, quality: 0, note: `The run has no text in output "${name}.a.b".` });
    }
  });

  it('compares the first 40,000 characters of longer texts, and says so', () => {
    const long = 'abcd '.repeat(9_000);
    const score = texts(cer, long, `${long}more`);
    expect(score).toMatchObject({ value: 0, quality: 1, note: 'Only the first 40000 characters are compared.' });
  });

  it('has a quality from 0 to 1, and no error for a text and itself', () => {
    const unicode = fc.string({ unit: 'grapheme', maxLength: 40 });
    fc.assert(
      fc.property(unicode, unicode, fc.constantFrom('cer', 'wer', 'levenshtein'), (wanted, got, type) => {
        const { value, quality } = texts({ type }, wanted, got);
        expect(value).toBeGreaterThanOrEqual(0);
        expect(quality).toBeGreaterThanOrEqual(0);
        expect(quality).toBeLessThanOrEqual(1);
        expect(texts({ type }, wanted, wanted)).toEqual({ value: 0, quality: 1 });
      }),
    );
  });
});

describe('levenshtein, exact and contains', () => {
  it('counts edits, and rates them by the longer text', () => {
    expect(texts({ type: 'levenshtein' }, 'kitten', 'sitting')).toEqual({ value: 3, quality: 1 - 3 / 7 });
    expect(texts({ type: 'levenshtein' }, '', '')).toEqual({ value: 0, quality: 1 });
    const failed = observed({}, { status: 'failed' });
    expect(scored({ type: 'levenshtein' }, failed, { text: 'abc' })).toMatchObject({ value: 3, quality: 0 });
  });

  it('is the same in both directions', () => {
    const unicode = fc.string({ unit: 'grapheme', maxLength: 30 });
    fc.assert(
      fc.property(unicode, unicode, (one, other) => {
        const spec = { type: 'levenshtein' };
        expect(texts(spec, one, other).value).toBe(texts(spec, other, one).value);
      }),
    );
  });

  it('finds equal texts, to the last character of long ones', () => {
    const exact = { type: 'exact' };
    expect(texts(exact, 'a b', ' a\nb ').value).toBe(1);
    expect(texts(exact, 'a', 'A').value).toBe(0);
    expect(texts(exact, `${'x'.repeat(50_000)}1`, `${'x'.repeat(50_000)}2`).value).toBe(0);
    expect(scored(exact, observed({}), { text: '' })).toMatchObject({ value: 0, quality: 0 });
    expect(scored(exact, observed({ text: 'a' }, { status: 'timed_out' }), { text: 'a' }).value).toBe(0);
  });

  it('finds the share of the texts that occur', () => {
    const contains = { type: 'contains', texts: ['IBAN', 'Total', 'Due'] };
    expect(scored(contains, observed({ text: 'Total due: 3' }))).toEqual({
      value: 1 / 3,
      quality: 1 / 3,
      note: 'Missing: "IBAN", "Due".',
    });
    expect(scored({ ...contains, ignoreCase: true }, observed({ text: 'Total due: 3' })).value).toBeCloseTo(2 / 3);
    expect(scored({ type: 'contains' }, observed({ text: 'the total' }), { text: 'total' }).value).toBe(1);
    expect(scored({ type: 'contains' }, observed({ text: 'the total' })).value).toBeNull();
    expect(scored(contains, observed({ text: 'IBAN Total Due' }, { status: 'failed' })).value).toBe(0);
  });
});

describe('regex', () => {
  it.each([
    [{ pattern: String.raw`Total\s+\d+[.,]\d\d` }, 'Date\nTotal  29.41', 1],
    [{ pattern: '^total', flags: 'im' }, 'Date\nTotal 29.41', 1],
    [{ pattern: '^total' }, 'Date\nTotal 29.41', 0],
    [{ pattern: 'a.b', flags: 's' }, 'a\nb', 1],
    [{ pattern: 'password', expect: 'no_match' }, 'harmless', 1],
    [{ pattern: 'password', expect: 'no_match' }, 'a password', 0],
  ])('judges %j', (spec, text, value) => {
    expect(scored({ type: 'regex', ...spec }, observed({ text })).value).toBe(value);
  });

  it('gives a failed run 0, also where nothing may match', () => {
    const failed = observed({}, { status: 'failed' });
    expect(scored({ type: 'regex', pattern: 'x', expect: 'no_match' }, failed)).toMatchObject({ value: 0, quality: 0 });
  });

  it.each(['(', '(?=a)b', String.raw`(a)\1`, '((a{100}){100}){100}'])('refuses the pattern %s', (pattern) => {
    expect(() => scored({ type: 'regex', pattern }, observed({ text: '' }))).toThrow(/request\.invalid: The pattern/);
  });
});

test('edits are counted over any number of different items', () => {
  const items = Array.from({ length: 70_000 }, (_, at) => `word ${at}`);
  expect(editsBetween(items, ['other', 'word 2', 'more'])).toBe(69_999);
});
