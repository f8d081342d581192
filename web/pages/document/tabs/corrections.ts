import type { Input } from '../../../api/families.ts';
import type { TextLine } from '../../../page-view/words.ts';

export type OcrChange = NonNullable<Input<'operators', 'correctOcr'>['body']>['changes'][number];

const wordsOf = (line: string): string[] => line.split(/\s+/u).filter((word) => word !== '');

/** A line as a person edits it: its words with spaces between them. */
export const textOf = (line: TextLine): string => line.words.map(({ text }) => text).join(' ');

/**
 * Changes that make `lines` read as `texts`. Where a line keeps its number of words, only the words that differ are sent, so that the others
 * keep their confidence; otherwise the whole line is.
 */
export function changesOf(page: number, lines: readonly TextLine[], texts: readonly string[]): OcrChange[] {
  return lines.flatMap((line, index): OcrChange[] => {
    const [before, after] = [line.words.map(({ text }) => text), wordsOf(texts[index] ?? '')];
    if (before.join(' ') === after.join(' ')) return [];
    if (before.length !== after.length) return [{ page, line: index, text: after.join(' ') }];
    return after.flatMap((text, word) => (text === before[word] ? [] : [{ page, line: index, word, text }]));
  });
}
