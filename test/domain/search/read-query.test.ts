import { describe, expect, test } from 'vitest';
import { queryLimits, readQuery } from '#src/domain/search/read-query.ts';

describe('A search text', () => {
  test.each<[text: string, words: string[], phrases: string[], identifiers: string[]]>([
    ['walnut table', ['walnut', 'table'], [], []],
    ['the walnut of a table', ['walnut', 'table'], [], []],
    ['The Who', ['The', 'Who'], [], []],
    ['"paid in full" walnut', ['walnut'], ['paid in full'], []],
    ['"a b" "a b" "" " " "!"', [], ['a b'], []],
    ['"never closed', ['"never', 'closed'], [], []],
    ['invoice INV-2024/0042', ['invoice', 'INV-2024/0042'], [], ['inv20240042']],
    ['walnut\0table\twalnut', ['walnut', 'table'], [], []],
    ['*?~^:\\/()[]{} && ||', [], [], []],
    ['{"$gt":""}', [], ['$gt'], []],
    ['', [], [], []],
    ['\ud800 walnut', ['walnut'], [], []],
  ])('%j is taken apart', (text, words, phrases, identifiers) => {
    expect(readQuery(text)).toMatchObject({ words, phrases, identifiers });
  });

  test('what is embedded is all of it without quotes and control characters', () => {
    expect(readQuery(' "paid in full"\0the walnut ').text).toBe('paid in full  the walnut');
  });

  test('of many words the longest are ranked by, in their order', () => {
    const words = Array.from({ length: 30 }, (_, at) => 'w'.repeat(at + 1));
    expect(readQuery(words.toReversed().join(' ')).words).toEqual(words.slice(-queryLimits.words).toReversed());
  });

  test('a long text costs no more than a short one', () => {
    const { words, phrases, identifiers, text } = readQuery(
      `${'"p q" '.repeat(5_000)} ${'x'.repeat(5_000)} ${'a1b2 '.repeat(90_000)}`,
    );
    expect(text.length).toBeLessThanOrEqual(queryLimits.characters);
    expect([words.length, phrases.length, identifiers.length].every((count) => count <= 32)).toBe(true);
    expect(readQuery('y'.repeat(queryLimits.wordCharacters + 1)).words).toEqual([]);
  });
});
