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

const holder = (node: Node): HTMLElement | SVGElement | null =>
  (node instanceof Element ? node : node.parentElement)?.closest<HTMLElement | SVGElement>('[data-line]') ?? null;

/** Index of the word that the character `offset` of a line belongs to, where words are joined by one space. */
function wordOf({ words }: TextLine, offset: number): number {
  let end = 0;
  for (const [index, { text }] of words.entries()) {
    end += text.length + 1;
    if (offset < end) return index;
  }
  return Math.max(0, words.length - 1);
}

function endpoint(lines: readonly TextLine[], node: Node, offset: number): WordAt | null {
  const element = holder(node);
  if (element === null) return null;
  const line = Number(element.dataset['line']);
  const found = lines[line];
  if (found === undefined) return null;
  const { word } = element.dataset;
  return { line, word: word === undefined ? wordOf(found, offset) : Number(word) };
}

/** Words that a person has selected, on the page or in its text. Both mark their elements with `data-line` (and `data-word`). */
export function selectedWords(lines: readonly TextLine[]): readonly TextWord[] {
  const selection = getSelection();
  if (selection === null || selection.isCollapsed || selection.rangeCount === 0) return [];
  const range = selection.getRangeAt(0);
  const from = endpoint(lines, range.startContainer, range.startOffset);
  const to = endpoint(lines, range.endContainer, Math.max(0, range.endOffset - 1));
  if (from === null || to === null) return [];
  return lines.slice(from.line, to.line + 1).flatMap(({ words }, index, all) => {
    const first = index === 0 ? from.word : 0;
    const last = index === all.length - 1 ? to.word : words.length - 1;
    return words.slice(first, last + 1);
  });
}
