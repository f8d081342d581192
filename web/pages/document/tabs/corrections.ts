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

const placeOf = ({ box }: TextLine): string => box.join(' ');

/** Texts of the lines of a newer version: those that a person changed in an older one, by their place, and else its own. */
export function keptTexts(before: readonly TextLine[], typed: readonly string[], now: readonly TextLine[]): string[] {
  const mine = new Map(
    before.flatMap((line, index) => {
      const text = typed[index];
      return text === undefined || text === textOf(line) ? [] : [[placeOf(line), text] as const];
    }),
  );
  return now.map((line) => mine.get(placeOf(line)) ?? textOf(line));
}
