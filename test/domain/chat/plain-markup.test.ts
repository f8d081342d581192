import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createPlainMarkup } from '#src/domain/chat/plain-markup.ts';

function whole(text: string, sources = 3): string {
  const markup = createPlainMarkup(sources);
  return markup.push(text) + markup.end();
}

function inPieces(pieces: readonly string[], sources = 3): string {
  const markup = createPlainMarkup(sources);
  return pieces.map((piece) => markup.push(piece)).join('') + markup.end();
}

test('marks of sources that exist stay, and are cited', () => {
  const markup = createPlainMarkup(3);
  expect(markup.push('It is 29.41 [1]. Also [2][3].') + markup.end()).toBe('It is 29.41 [1]. Also [2][3].');
  expect([...markup.cited]).toEqual([1, 2, 3]);
});

test('marks of sources that do not exist go, with the blank before them', () => {
  expect(whole('It is so [9]. And this [1, 7] too [0].')).toBe('It is so. And this [1] too.');
  expect(createPlainMarkup(0).push('Nothing [1]. ')).toBe('Nothing.');
});

const hostile: readonly (readonly [name: string, text: string])[] = [
  ['an image', '![x](https://evil.example/p.png)'],
  ['an image over several words', 'see ![a b c]( https://evil.example/p.png "t" ) now'],
  ['a link', '[click here](https://evil.example/)'],
  ['a link of a script', '[x](javascript:alert(1))'],
  ['a link of data', '[x](data:text/html;base64,AAAA)'],
  ['an address in angle brackets', '<https://evil.example>'],
  ['a bare address', 'go to https://evil.example/?q=secret now'],
  ['an address without scheme', 'go to www.evil.example now'],
  ['a tag', '<img src=x onerror=alert(1)>'],
  ['a closing tag', '</div><script>alert(1)</script>'],
  ['a comment', '<!-- x -->'],
  ['a reference and its target', '[1] [x][1]\n\n[1]: https://evil.example/'],
  ['a target right after a dropped mark', '[1][99]: https://evil.example/'],
  ['a mark as the text of a link', '[1](https://evil.example) and ![1](https://evil.example/a.png)'],
  ['a mark and then a link', '[1][x](https://evil.example)'],
  ['a footnote', 'x[^1]\n\n[^1]: https://evil.example'],
  ['a scheme put together from two', 'hthttps://tps://evil.example javajavascript:script:alert(1)'],
  ['a scheme around a dropped mark', 'https:[99]//evil.example [x](java[98]script:alert)'],
  ['a scheme around a dropped mark with blanks', 'https:[9, 9]//evil.example'],
  ['a tag around a dropped mark', '<[99]img src=x>'],
  ['a very long word', `${'x'.repeat(397)}https://evil.example/![x](y)`],
  ['a nul', '!\u0000[x](https://evil.example)'],
];

/** Text that a renderer of Markdown or HTML would interpret. */
function dangers(text: string): string[] {
  const marksGone = text.replaceAll(/\[[1-9]\](?![(:])/g, '§');
  return [...marksGone.matchAll(/[[\]]|<[a-z/!?]|:\/\/|javascript:|data:[a-z]+\/|www\.\w|!§/gi)].map(
    ([found]) => found,
  );
}

test.each(hostile)('%s does not get through, however it is cut', (_, text) => {
  expect(dangers(whole(text))).toEqual([]);
  expect(inPieces(Array.from(text))).toBe(whole(text));
});

test('a dropped mark between www. and a comma leaves the same, however it is cut', () => {
  const text = 'www. [9], ';
  expect(inPieces(['www.', ' ', '[9]', ', '])).toBe(whole(text));
  expect(inPieces(Array.from(text))).toBe(whole(text));
});

test('ordinary text stays as it is', () => {
  const text =
    'Total: 29.41 EUR (a < b, 3 > 2) at 16:15, data: 5; **bold**, `code`, "quote" & more.\n\n- Ärger über 12 % – naïve 東京\n1. x';
  expect(whole(text)).toBe(text);
});

test('cut anywhere, the outcome is the same and harmless', () => {
  const piece = fc.constantFrom(
    '[',
    ']',
    '(',
    ')',
    '!',
    '<',
    '>',
    ':',
    '/',
    '//',
    '1',
    '9',
    '99',
    ', ',
    ' ',
    '\n',
    'https',
    'javascript:',
    'data:',
    'text/html',
    'www.',
    'img',
    'a',
    'é',
    '[1]',
    '[9]',
    '[1, 2]',
    '\\',
    '"',
    '^',
    '\u{1F600}',
    '\u0000',
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
      const text = pieces.join('');
      const all = whole(text);
      expect(inPieces(Array.from(text))).toBe(all);
      expect(inPieces(pieces)).toBe(all);
      expect(dangers(all)).toEqual([]);
    }),
    { numRuns: 1_500 },
  );
});

test('text is held back for a word, not for the answer', () => {
  const markup = createPlainMarkup(1);
  expect(markup.push('The total is 29')).toBe('The total is');
  expect(markup.push('.41 euros')).toBe(' 29.41');
  expect(markup.push(' [1')).toBe(' euros');
});
