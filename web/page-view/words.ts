import type { Reply } from '../api/families.ts';
import type { Point } from './geometry.ts';

export type TextPage = Reply<'documents', 'ocr'>['results'][number]['result']['pages'][number];
export type TextLine = TextPage['lines'][number];
export type TextWord = TextLine['words'][number];
/** A word of a page: index of its line, and index within the line. */
export interface WordAt {
  readonly line: number;
  readonly word: number;
}

export const isSame = (one: WordAt | null, other: WordAt | null): boolean =>
  one === other || (one !== null && one.line === other?.line && one.word === other.word);

const slack = 0.003;

/** The word at a point of the page, in fractions of it. */
export function wordAt(lines: readonly TextLine[], { x, y }: Point): WordAt | null {
  for (const [line, { words }] of lines.entries()) {
    const word = words.findIndex(
      ({ box: [left, top, width, height] }) =>
        x >= left - slack && x <= left + width + slack && y >= top - slack && y <= top + height + slack,
    );
    if (word >= 0) return { line, word };
  }
  return null;
}
